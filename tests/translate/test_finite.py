"""Plans over graphs that arrive, and which triples they want."""

from __future__ import annotations

import pytest

from askos.algebra import GraphAccess, SlidingWindow, SteppedWindow
from askos.explaining import explain
from askos.interval import FOREVER, Interval
from askos.sources import DEFAULT_GRAPH
from askos.terms import RDF, Literal, Term
from askos.translate import arriving, create_plan, early, parse, wanted
from askos.translate.finite import END, at_end
from tests.build import EX, PREFIXES


def plan_of(where: str, form: str = "SELECT *") -> str:
    plan = create_plan(parse(f"PREFIX : <{EX}> {form} {{ {where} }}"))
    return explain(early(plan, [DEFAULT_GRAPH]), PREFIXES)


def test_an_optional_is_split_into_who_has_a_partner_and_who_has_none() -> None:
    assert plan_of("?x :p ?y OPTIONAL { ?x :q ?z FILTER (?z > 1) }").splitlines() == [
        "Project ?x ?y ?z",
        "  Union",
        "    Filter ?z > 1",
        "      Join",
        "        Pattern ?x :p ?y",
        "          Distinct",
        "            SlidingWindow ALL",
        "              StreamAccess <urn:askos:default>",
        "        Pattern ?x :q ?z",
        "          Distinct",
        "            SlidingWindow ALL",
        "              StreamAccess <urn:askos:default>",
        "    AntiJoin ?z > 1",
        "      Pattern ?x :p ?y",
        "        Distinct",
        f"          {WAITS}",
        "            StreamAccess <urn:askos:default>",
        "      Pattern ?x :q ?z",
        "        Distinct",
        f"          {WAITS}",
        "            StreamAccess <urn:askos:default>",
    ]


WAITS = explain(at_end(arriving(GraphAccess(EX.g)).inputs[0].inputs[0])).splitlines()[0]


@pytest.mark.parametrize(
    "where",
    [
        "?x :p ?y MINUS { ?x :q ?y }",
        "?x :p ?y FILTER EXISTS { ?x :q ?y }",
        "?x :p ?y BIND (EXISTS { ?x :q ?y } AS ?z)",
        "?x :p+ ?y",
        "?x :p ?y BIND (RAND() AS ?z)",
        "{ SELECT ?x { ?x :p ?y } LIMIT 1 }",
        "?x :p ?y OPTIONAL { ?x :q ?z FILTER EXISTS { ?z :p ?x } }",
        "?x :p ?y OPTIONAL {?x :q ?z} OPTIONAL {?x :r ?a} OPTIONAL {?x :s ?b} OPTIONAL {?x :t ?c}",
    ],
)
def test_what_may_be_taken_back_reads_the_graph_at_its_end(where: str) -> None:
    shown = plan_of(where)
    assert "SlidingWindow ALL" not in shown
    assert WAITS in shown


@pytest.mark.parametrize("place", [1, 7, 10**15])
def test_one_window_holds_from_a_place_on_and_one_from_the_end(place: int) -> None:
    access = arriving(GraphAccess(EX.g)).inputs[0]
    assert isinstance(access, SlidingWindow)
    late = at_end(access.input)
    assert isinstance(late, SteppedWindow)
    assert access.validity(place) == Interval(place, FOREVER)
    assert late.validity(place) == Interval(END, FOREVER)


@pytest.mark.parametrize(
    ("where", "terms"),
    [
        ("?x :p ?y . ?x a :T", [{EX.p}, {RDF.type, EX.T}]),
        ("?x ?p 'a'@en OPTIONAL { :s :q ?x }", [{Literal("a", lang="en")}, {EX.q, EX.s}]),
        ("?x :p ?y MINUS { ?x :q ?y } FILTER NOT EXISTS { ?x :r ?z }", [{EX.p}, {EX.q}, {EX.r}]),
        ("?x (:p/:q)+ ?y", [{EX.p}, {EX.q}]),
        ("?x :p* ?y", None),
        ("?x !:p ?y", None),
        ("?x :p ?y . ?s ?p ?o", None),
        ("VALUES ?x { 1 }", []),
    ],
)
def test_what_is_wanted_is_what_patterns_can_match(
    where: str, terms: list[set[Term]] | None
) -> None:
    plan = early(create_plan(parse(f"PREFIX : <{EX}> SELECT * {{ {where} }}")), [DEFAULT_GRAPH])
    found = wanted(plan)
    want = None if terms is None else {frozenset(each) for each in terms}
    assert (None if found is None else set(found)) == want


def test_to_describe_a_resource_every_triple_counts() -> None:
    plan = early(create_plan(parse("DESCRIBE ?x { ?x <p> ?y }")), [DEFAULT_GRAPH])
    assert wanted(plan) is None


def test_other_graphs_stay_as_they_are() -> None:
    plan = create_plan(parse(f"SELECT * {{ ?x <p> ?y GRAPH <{EX.g}> {{ ?y <q> ?z }} }}"))
    shown = explain(early(plan, [DEFAULT_GRAPH]))
    assert f"GraphAccess <{EX.g}>" in shown
    assert wanted(early(plan, [DEFAULT_GRAPH])) == wanted(early(plan, [DEFAULT_GRAPH, EX.h]))
