"""RDF 1.1 Semantics, 9.2.1: one test per rule, and the rules together."""

from __future__ import annotations

import random

import pytest
from rdflib.namespace import RDFS

from askos.static import StaticGraph, rdfs
from askos.terms import RDF, BNode, Literal
from tests.build import triple
from tests.static.build import graph

TYPE, SUB, SUBP = RDF.type, RDFS.subClassOf, RDFS.subPropertyOf
Rows = list[tuple[object, object, object]]


@pytest.mark.parametrize(
    ("given", "derived"),
    [
        ([("p", RDFS.domain, "C"), ("x", "p", "y")], [("x", TYPE, "C")]),
        ([("p", RDFS.range, "C"), ("x", "p", "y")], [("y", TYPE, "C")]),
        ([("p", SUBP, "q"), ("q", SUBP, "r")], [("p", SUBP, "r")]),
        ([("p", SUBP, "q"), ("x", "p", 1)], [("x", "q", 1)]),
        ([("C", SUB, "D"), ("x", TYPE, "C")], [("x", TYPE, "D")]),
        ([("C", SUB, "D"), ("D", SUB, "E")], [("C", SUB, "E")]),
    ],
    ids=["rdfs2", "rdfs3", "rdfs5", "rdfs7", "rdfs9", "rdfs11"],
)
def test_a_rule_derives_this_and_nothing_else(given: Rows, derived: Rows) -> None:
    assert set(rdfs(graph(*given))) == {triple(*row) for row in given + derived}


def test_rules_feed_each_other_in_any_order() -> None:
    rows: Rows = [
        ("x", "p", "y"),
        ("p", SUBP, "q"),
        ("q", RDFS.domain, "C"),
        ("C", SUB, "D"),
        ("D", SUB, "E"),
    ]
    random.Random(7).shuffle(rows)
    closed = rdfs(graph(*rows))
    assert {triple("x", TYPE, name) for name in "CDE"} <= set(closed)
    assert triple("x", "q", "y") in closed


def test_a_property_below_the_schemas_own_extends_the_schema() -> None:
    closed = rdfs(graph(("kindOf", SUBP, SUB), ("C", "kindOf", "D"), ("x", TYPE, "C")))
    assert triple("x", TYPE, "D") in closed


def test_circles_end() -> None:
    closed = rdfs(graph(("C", SUB, "D"), ("D", SUB, "C"), ("x", TYPE, "C")))
    assert triple("x", TYPE, "D") in closed
    assert triple("C", SUB, "C") in closed


def test_nothing_is_derived_that_is_no_triple() -> None:
    closed = rdfs(
        graph(("p", RDFS.range, "C"), ("x", "p", Literal("text")), ("p", SUBP, BNode("q")))
    )
    assert len(closed) == 3


def test_a_closed_graph_stays_as_it_is() -> None:
    closed = rdfs(graph(("C", SUB, "D"), ("x", TYPE, "C"), ("p", RDFS.domain, "C"), ("y", "p", 1)))
    assert set(rdfs(closed)) == set(closed)


def test_a_deep_hierarchy_is_linear_in_what_it_derives() -> None:
    depth = 300
    chain = [triple(f"C{i}", SUB, f"C{i + 1}") for i in range(depth)]
    closed = rdfs(StaticGraph([*chain, triple("x", TYPE, "C0")]))
    assert len(closed) == depth * (depth + 1) // 2 + depth + 1
