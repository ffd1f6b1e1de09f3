"""Queries in other dialects: where they mean the same, and why not where they do not."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askos.algebra import Stamped
from askos.algebra.reference import Streams, evaluate
from askos.errors import QueryError, UnsupportedError
from askos.sources import DEFAULT_GRAPH
from askos.terms import Triple, URIRef
from askos.translate import Dialect, Difference, ast, create_plan, parse
from askos.translate import format as format_query
from askos.translate.convert import convert
from tests.build import EX, stream, triple
from tests.translate.generate import DIALECTS, queries

ANY = frozenset(Difference)


def into(dialect: str, text: str, *allow: str) -> str:
    """The query in another dialect, on one line."""
    return " ".join(format_query(parse(text), dialect=dialect, allow=allow).split())


# ---- laws -------------------------------------------------------------------------------------


@settings(max_examples=4 * settings().max_examples)
@given(queries(), DIALECTS)
def test_what_is_converted_is_a_query_of_its_dialect_or_refused(
    query: ast.Query, dialect: Dialect
) -> None:
    try:
        new = convert(query, dialect, ANY)
    except (UnsupportedError, QueryError):  # the latter of reports that make no sense
        return
    assert new.dialect is dialect
    assert parse(format_query(new), dialect=dialect) == new


@settings(max_examples=3 * settings().max_examples)
@given(queries(), DIALECTS, st.sets(st.sampled_from(Difference)))
def test_allowing_more_never_refuses_more(
    query: ast.Query, dialect: Dialect, allow: set[Difference]
) -> None:
    try:
        strict = convert(query, dialect, allow)
    except (UnsupportedError, QueryError):
        return
    assert convert(query, dialect, ANY) == strict


@pytest.mark.parametrize("dialect", Dialect, ids=lambda d: d.value)
@pytest.mark.parametrize("text", ["SELECT * { ?s ?p ?o }", "ASK { GRAPH <g> { ?s <p>* ?o } }"])
def test_a_query_without_streams_goes_into_any_dialect_and_back(
    dialect: Dialect, text: str
) -> None:
    query = parse(text)
    there = format_query(query, dialect=dialect)
    assert there == format_query(query)
    assert convert(parse(there, dialect=dialect), Dialect.SPARQL) == query


# ---- the same by meaning ----------------------------------------------------------------------

BY_MEANING = [
    "SELECT * FROM STREAM :s WINDOW RANGE 5 SLIDE 1 { ?x :p ?y }",
    "SELECT DISTINCT ?x FROM STREAM :s WINDOW RANGE 5 SLIDE 1 { ?x :p ?y }",
    "ASK FROM STREAM :s WINDOW ELEMS 3 { ?x :p ?y FILTER NOT EXISTS { ?y :p ?z } }",
    "SELECT DISTINCT * FROM STREAM :s WINDOW ELEMS 3 FROM NAMED STREAM :t WINDOW RANGE 4 SLIDE 1"
    " { ?x :p ?y OPTIONAL { GRAPH :t { ?x :p ?z } } }",
    "SELECT DISTINCT * FROM STREAM :s WINDOW ELEMS 3 FROM NAMED STREAM :s WINDOW ELEMS 3"
    " { ?x :p ?y MINUS { GRAPH :s { ?y :p ?x } } }",
    "SELECT * FROM STREAM :s [RANGE 6 STEP 4] { ?x :p ?y }",
    "SELECT ?x (COUNT(*) AS ?n) FROM STREAM :s [RANGE 5 STEP 5] FROM STREAM :t [RANGE 4 STEP 2]"
    " { ?x :p ?y GRAPH :s { ?y :p ?z } } GROUP BY ?x",
    "SELECT * FROM STREAM :s [RANGE 4 STEP 4] FROM NAMED STREAM :t [RANGE TRIPLES 2]"
    " { ?x :p ?y GRAPH :t { ?y :p ?z } }",
    "SELECT * FROM NAMED STREAM :s [RANGE 4 STEP 4] FROM NAMED STREAM :t [RANGE 3 STEP 1]"
    " { ?x :p ?y OPTIONAL { GRAPH :t { ?y :p ?z } } }",
    "SELECT * FROM NAMED :g FROM NAMED STREAM :s [RANGE TRIPLES 3]"
    " { GRAPH :s { ?x :p ?y } GRAPH :g { ?y :p ?z } }",
    "SELECT * FROM STREAM :s [RANGE 4 STEP 4] { GRAPH :s { ?x :p ?y } }",
    "SELECT * { STREAM :s [RANGE 5] { ?x :p ?y } STREAM :t [TRIPLES 2] { ?y :p ?z } }",
    "SELECT * { STREAM :s [NOW] { ?x :p ?y } STREAM :s [ALL] { ?y :p ?z } }",
    "SELECT * { STREAM :s [RANGE 5 SLIDE 7] { ?x :p ?y }"
    " { STREAM :s [RANGE 5 SLIDE 7] { ?y :p ?z } } UNION { STREAM :t [RANGE 2] { ?z :p ?y } } }",
    "SELECT * FROM STREAM :s [RANGE 3 SLIDE 2] FROM STREAM T [NOW]"
    " { ?x :p ?y STREAM :s { ?y :p ?z } }",
    "CONSTRUCT WHERE { ?x :p ?y }",
    "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 2] FROM NAMED WINDOW :v ON :t [ELEMENTS 3]"
    " { WINDOW :w { ?x :p ?y } WINDOW :v { ?y :p ?z } }",
    "SELECT DISTINCT * FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 2] { WINDOW :w { ?x :p ?y } }",
    "SELECT * FROM NAMED STREAM :s [NOW - 5 MS SLIDE 2 MS] { ?x :p ?y }",
    "SELECT DISTINCT ?y FROM NAMED STREAM :s [NOW - 5 MS TO NOW - 1 MS SLIDE 2 MS] { ?x :p ?y }",
    "SELECT DISTINCT ?y FROM STREAM :s [NOW - 5 MS] FROM NAMED STREAM :t [NOW]"
    " { ?x :p ?y OPTIONAL { GRAPH :t { ?y :p ?z } } }",
    "SELECT * { ?x :p ?y GRAPH :g { ?y :p ?z } }",
]
NODES = st.sampled_from("ab")
ROWS = st.lists(st.tuples(NODES, st.just("p"), NODES, st.integers(0, 12)), max_size=6)
GRAPHS = st.lists(st.tuples(NODES, NODES), max_size=2, unique=True)


@st.composite
def data(draw: st.DrawFn) -> Streams:
    found: dict[URIRef, list[Stamped] | list[Triple]] = {
        name: stream(*sorted(draw(ROWS), key=lambda row: row[3])) for name in (EX.s, EX.t)
    }
    found[EX.g] = [triple(s, "p", o) for s, o in draw(GRAPHS)]
    return found | {URIRef("T"): [], DEFAULT_GRAPH: []}


@pytest.mark.parametrize("text", BY_MEANING)
@settings(max_examples=settings().max_examples // 2)
@given(data=data())
def test_the_converted_query_has_the_same_answer_at_every_instant(text: str, data: Streams) -> None:
    """Whatever it reports; and where the engine has no static graphs of its own."""
    query = parse(f"PREFIX : <{EX}> {text}")
    plan = create_plan(query)
    for dialect in Dialect:
        try:
            there = format_query(query, dialect=dialect, allow=("report", "static"))
        except UnsupportedError:
            continue
        other = create_plan(parse(there, dialect=dialect))
        for t in range(24):
            assert evaluate(other, data, t) == evaluate(plan, data, t), (there, t)


def test_most_of_these_can_be_said_in_several_dialects() -> None:
    """So that the test above is not an empty one."""
    said = []
    for text in BY_MEANING:
        query = parse(f"PREFIX : <{EX}> {text}")
        for dialect in set(Dialect) - {query.dialect}:
            with suppress(UnsupportedError):
                format_query(query, dialect=dialect, allow=("report", "static"))
                said.append((query.dialect, dialect))
    assert len(said) >= 35
    assert len(set(said)) >= 15


# ---- the same in other words ------------------------------------------------------------------


def test_the_last_elements_are_the_same_in_cqels_and_rspql() -> None:
    cqels = (
        "SELECT ?x { STREAM <s> [TRIPLES 5] { ?x <p> ?y } STREAM <t> [TRIPLES 9] { ?x <q> ?z } }"
    )
    rspql = into("rspql", cqels)
    assert rspql == (
        "REGISTER ISTREAM <urn:query:result> AS SELECT ?x "
        "FROM NAMED WINDOW <urn:window:1> ON <s> [ELEMENTS 5] "
        "FROM NAMED WINDOW <urn:window:2> ON <t> [ELEMENTS 9] "
        "WHERE { WINDOW <urn:window:1> { ?x <p> ?y . } WINDOW <urn:window:2> { ?x <q> ?z . } }"
    )
    assert convert(parse(rspql), Dialect.CQELS).where == parse(cqels).where


def test_one_window_of_cqels_read_twice_is_one_window_of_rspql() -> None:
    text = "ASK { STREAM <s> [TRIPLES 5] { ?x <p> ?y } STREAM <s> [TRIPLES 5] { ?y <p> ?z } }"
    assert into("rspql", text).count("FROM NAMED WINDOW") == 1


def test_a_stepped_window_of_sparqlstream_is_that_of_csparql() -> None:
    text = """SELECT RSTREAM DISTINCT ?x FROM NAMED STREAM <s> [NOW - 10 M SLIDE 1 M]
        WHERE { ?x <p> ?y }"""
    assert into("csparql", text, "static") == (
        "SELECT DISTINCT ?x FROM STREAM <s> [RANGE 10m STEP 1m] WHERE { ?x <p> ?y . }"
    )
    back = "SELECT DISTINCT ?x FROM STREAM <s> [RANGE 10m STEP 1m] WHERE { ?x <p> ?y }"
    assert into("sparqlstream", back, "static") == (
        "SELECT RSTREAM DISTINCT ?x FROM NAMED STREAM <s> [NOW - 10 MINUTES SLIDE 1 MINUTES]"
        " WHERE { ?x <p> ?y . }"
    )


def test_sparqlstream_says_the_half_open_windows_of_rspql() -> None:
    text = """REGISTER ISTREAM <o> AS SELECT DISTINCT ?x
        FROM NAMED WINDOW <w> ON <s> [RANGE PT10S STEP PT2S] WHERE { WINDOW <w> { ?x <p> ?y } }"""
    assert into("sparqlstream", text) == (
        "SELECT ISTREAM DISTINCT ?x FROM NAMED STREAM <s> [NOW - 10001 MS TO NOW - 1 MS SLIDE 2 S]"
        " WHERE { GRAPH <s> { ?x <p> ?y . } }"
    )


def test_graph_of_a_stream_in_csparql_is_stream_in_cqels() -> None:
    text = """REGISTER QUERY q AS SELECT DISTINCT ?x FROM STREAM <s> [RANGE 10m STEP 5m]
        WHERE { ?x <p> ?y GRAPH <s> { ?x <q> ?z } GRAPH <g> { ?x <r> ?u } }"""
    assert into("cqels", text, "report") == (
        "REGISTER QUERY q AS SELECT DISTINCT ?x FROM STREAM <s> [RANGE 10m SLIDE 5m]"
        " WHERE { ?x <p> ?y . STREAM <s> { ?x <q> ?z . } GRAPH <g> { ?x <r> ?u . } }"
    )


def test_a_window_that_moves_with_time_is_the_same_in_cqels_and_streaming_sparql() -> None:
    text = "SELECT DISTINCT ?x { STREAM <s> [RANGE 15s] { ?x <p> ?y } }"
    streaming = into("streaming-sparql", text, "report")
    assert streaming == (
        "SELECT DISTINCT ?x FROM NAMED STREAM <s> WINDOW RANGE 15 S SLIDE 1 MS"
        " WHERE { GRAPH <s> { ?x <p> ?y . } }"
    )
    assert convert(parse(streaming), Dialect.CQELS, ANY) == parse(text)


def test_a_stream_read_both_ways_in_streaming_sparql_is_one_in_csparql() -> None:
    text = """ASK FROM STREAM <s> WINDOW ELEMS 5 FROM NAMED STREAM <s> WINDOW ELEMS 5
        WHERE { ?x <p> ?y GRAPH <s> { ?x <q> ?z } }"""
    csparql = into("csparql", text, "report", "static")
    assert csparql == (
        "ASK FROM STREAM <s> [RANGE TRIPLES 5] WHERE { ?x <p> ?y . GRAPH <s> { ?x <q> ?z . } }"
    )
    assert convert(parse(csparql), Dialect.STREAMING, ANY) == parse(text)


def test_a_query_about_one_stream_is_about_one_window_in_rspql() -> None:
    text = """REGISTER STREAM out AS CONSTRUCT FROM STREAM <s> [RANGE 10s STEP 5s]
        WHERE { ?x <p> ?y }"""
    assert into("rspql", text, "static", "boundary") == (
        "REGISTER RSTREAM <urn:query:out> AS CONSTRUCT { ?x <p> ?y . }"
        " FROM NAMED WINDOW <urn:window:1> ON <s> [RANGE PT10S STEP PT5S]"
        " WHERE { WINDOW <urn:window:1> { ?x <p> ?y . } }"
    )


def test_windows_that_differ_at_their_boundaries_are_allowed_on_demand() -> None:
    text = """REGISTER RSTREAM <o> AS SELECT ?x FROM NAMED WINDOW <w> ON <s> [RANGE PT10S STEP PT2S]
        WHERE { WINDOW <w> { ?x <p> ?y } }"""
    with pytest.raises(UnsupportedError) as told:
        into("csparql", text)
    assert told.value.hint == "if that does not matter, allow the difference: boundary"
    csparql = into("csparql", text, "boundary")
    assert csparql == (
        "REGISTER QUERY <o> AS SELECT ?x FROM NAMED STREAM <s> [RANGE 10s STEP 2s]"
        " WHERE { GRAPH <s> { ?x <p> ?y . } }"
    )
