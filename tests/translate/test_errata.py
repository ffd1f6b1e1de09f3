"""The errata of the papers that concern the text of queries and its translation.

Each test would fail on the printed version; docs/semantics.md lists them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from askos.algebra import CountWindow, SlidingWindow, Stamped
from askos.algebra.reference import evaluate
from askos.errors import QueryError
from askos.prepared import prepare
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.terms import Literal, Solution, Term, Triple, URIRef, Variable
from askos.translate import create_plan, parse

PAPERS = Path(__file__).parent.parent / "queries"
CITY = "http://linkedurbandata.org/city#"
TRAFFIC = "http://linkedurbandata.org/traffic#"
TOLLGATES = URIRef("http://streams.org/citytollgates.trdf")
CAMERAS = URIRef("http://streams.org/citycameras.trdf")


def paper(name: str) -> str:
    return (PAPERS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "inside",
    [
        "OPTIONAL { ?s <q> ?o }",
        "{ ?s <q> ?o } UNION { ?s <r> ?o }",
        "MINUS { ?s <q> ?o }",
        "{ SELECT ?s { ?s <q> ?o } }",
        "FILTER EXISTS { ?s <q> ?o }",
    ],
)
def test_a_window_of_a_group_holds_inside_its_nested_groups(inside: str) -> None:
    """Streaming SPARQL, Alg. 1, resets `win` in a nested group."""
    text = f"ASK FROM STREAM <s> WINDOW ELEMS 9 {{ ?s <p> ?o {inside} WINDOW RANGE 5 S FIXED }}"
    windows = [node for node in create_plan(text).walk() if isinstance(node, CountWindow)]
    assert windows == []
    held = [node for node in create_plan(text).walk() if isinstance(node, SlidingWindow)]
    assert len(held) >= 2


def test_distinct_and_reduced_are_alternatives() -> None:
    """Streaming SPARQL, Table 1, lists them without the bar between."""
    parse("SELECT DISTINCT ?s { ?s ?p ?o }")
    parse("SELECT REDUCED ?s { ?s ?p ?o }")
    with pytest.raises(QueryError, match="but found REDUCED"):
        parse("SELECT DISTINCT REDUCED ?s { ?s ?p ?o }")


def test_csparql_reads_what_its_paper_prints() -> None:
    """^^ for &&, commas in SELECT, FROM before SELECT, 24 hours; in C-SPARQL alone."""
    parse(paper("csparql-2010/seller-market-movements-per-day.rq"))
    parse(paper("csparql-2010/total-amount-per-day-and-broker.rq"))
    for text in ("SELECT ?s, ?p { ?s ?p ?o }", "FROM <g> SELECT ?s { ?s ?p ?o }"):
        with pytest.raises(QueryError):
            parse(text)


def test_a_select_registered_as_a_stream_is_a_query_with_a_remark() -> None:
    """C-SPARQL 2010, section 2.7, registers one so, and so do its engine's examples."""
    text = paper("csparql-2010/cars-turning-from-palm-into-oak.rq")
    (remark,) = parse(text).remarks
    assert remark.message.startswith("SELECT yields no triples, so this registers a query")
    assert prepare(text).publishes is None
    other = "REGISTER STREAM q AS SELECT * { STREAM <s> [NOW] { ?x ?y ?z } }"
    with pytest.raises(QueryError, match="a stream is made of triples"):
        parse(other, dialect="cqels")


def test_full_streets_as_printed_is_empty_and_corrected_it_is_not() -> None:
    """C-SPARQL 2010, section 2.6, looks for static triples inside the GRAPH of a stream."""
    gate, street, car = (URIRef(f"http://city.example/{name}") for name in ("g", "s", "c"))
    static = [
        Triple(street, URIRef(CITY + "hasCapacity"), Literal(1)),
        Triple(gate, URIRef(CITY + "placedIn"), street),
    ]
    passage = Stamped(Triple(gate, URIRef(TRAFFIC + "registers"), car), 1_000)
    data: dict[URIRef, list[Triple] | list[Stamped]] = {
        DEFAULT_GRAPH: static,
        TOLLGATES: [passage],
        CAMERAS: [],
    }
    known = Catalogue().stream(TOLLGATES).stream(CAMERAS).graph()
    printed = create_plan(paper("csparql-2010/full-streets.rq"), sources=known)
    corrected = create_plan(paper("csparql-2010/full-streets-corrected.rq"), sources=known)
    instant = 5 * 60_000
    assert evaluate(printed, data, instant) == {}
    found: dict[Variable, Term] = {Variable("street"): street, Variable("passages"): Literal(1)}
    assert evaluate(corrected, data, instant) == {Solution(found): 1}


def test_cqels_counts_without_parentheses_and_has_no_bare_loc2() -> None:
    parse(paper("cqels/q5.rq"))
    with pytest.raises(QueryError, match="unknown word loc2"):
        parse(paper("cqels/refused/q5.rq"))


def test_cqels_takes_window_and_name_in_both_orders() -> None:
    """Its EBNF and its examples differ."""
    before = create_plan("SELECT * { STREAM [RANGE 3s] <s> { ?s ?p ?o } }")
    after = create_plan("SELECT * { STREAM <s> [RANGE 3s] { ?s ?p ?o } }")
    assert before == after


@pytest.mark.parametrize("name", ["listing-1-2.rq", "listing-1-3.rq"])
def test_a_union_stands_inside_the_braces_of_where(name: str) -> None:
    """Streaming SPARQL, Listings 1.2 and 1.3, print it outside, against its own grammar."""
    with pytest.raises(QueryError, match="UNION stands inside the braces of WHERE"):
        parse(paper(f"streaming-sparql/refused/{name}"))
    parse(paper(f"streaming-sparql/{name}"))
