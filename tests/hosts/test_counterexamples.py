"""Queries on which a host that is nearly right is wrong, from their texts, through every host."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest

from askos import Catalogue, explain, prepare
from askos.algebra import Element, first_difference, reference
from askos.algebra.depth import DEPTH
from askos.errors import AskosError, QueryError, StreamError, UnsupportedError
from askos.local import Engine, run
from askos.physical import tree
from askos.prepared import Prepared
from askos.terms import Solution, Variable
from tests.build import EX, G1, S1, stream, triple
from tests.hosts.harness import run_harness
from tests.hosts.strategies import Delivery
from tests.hosts.three import run_local

HEAD = f"PREFIX : <{EX}>\n"
FROM = "FROM STREAM :stream1 WINDOW RANGE 10 MS SLIDE 2 MS FROM :graph1"

DATA = Delivery(
    (
        (S1, tuple(stream(("a", "p", 1, 1), ("b", "p", 1, 2), ("a", "q", 5, 2)))),
        (S1, tuple(stream(("b", "q", 7, 3), ("a", "p", 3, 4), ("c", "p", "x", 6)))),
        (S1, tuple(stream(("a", "r", "b", 5), ("b", "r", "c", 9), ("c", "q", 1, 8)))),
        (S1, tuple(stream(("d", "p", 2, 14), ("d", "q", 2, 15), ("a", "p", 1, 30)))),
    ),
    (triple("a", "site", "north"), triple("b", "site", "south"), triple("e", "site", "north")),
)

QUERIES = {
    "a hidden key is bound again": f"""
        SELECT DISTINCT ?x {FROM} {{ {{ SELECT ?y {{ ?x :p ?y . ?x :q ?z }} }} BIND(?y AS ?x) }}""",
    "EXISTS with MINUS inside": f"""
        SELECT ?x ?y {FROM}
        {{ ?x :p ?y FILTER EXISTS {{ ?w :q ?z MINUS {{ ?x :q ?z }} }} }}""",
    "EXISTS with OFFSET inside": f"""
        SELECT ?x ?y {FROM}
        {{ ?x :p ?y FILTER EXISTS {{ {{ SELECT ?x {{ ?x ?any ?z }} OFFSET 1 }} }} }}""",
    "EXISTS in EXISTS": f"""
        SELECT ?x {FROM}
        {{ ?x :p ?y FILTER NOT EXISTS {{ ?w :q ?z FILTER NOT EXISTS {{ ?x :q ?z }} }} }}""",
    "EXISTS in an expression": f"""
        SELECT ?x (IF(EXISTS {{ ?x :q ?z }}, "q", "none") AS ?has) {FROM} {{ ?x :p ?y }}""",
    "EXISTS in OPTIONAL's filter": f"""
        SELECT ?x ?z {FROM}
        {{ ?x :p ?y OPTIONAL {{ ?x :q ?z FILTER(?z > ?y && NOT EXISTS {{ ?x :r ?w }}) }} }}""",
    "MIN with an unbound value": f"""
        SELECT ?x (MIN(?z) AS ?least) (MIN(?y) AS ?low) {FROM}
        {{ ?x :p ?y OPTIONAL {{ ?x :q ?z }} }} GROUP BY ?x""",
    "MIN of what may be an error": f"""
        SELECT (MIN(?y + 1) AS ?least) (COUNT(*) AS ?n) {FROM} {{ ?x :p ?y }}""",
    "DISTINCT with ORDER BY and LIMIT": f"""
        SELECT DISTINCT ?x {FROM} {{ ?x ?any ?v }} ORDER BY ?v LIMIT 1""",
    "a group that nobody is in": f"""
        SELECT (COUNT(*) AS ?n) (SUM(?z) AS ?s) {FROM} {{ ?x :none ?z }}""",
    "static on the preserved side": f"""
        SELECT ?x {FROM} {{ ?x :site ?s FILTER NOT EXISTS {{ ?x :p ?y }} }}""",
    "a static graph in every pattern": f"""
        SELECT ?x ?any ?o {FROM} {{ ?x ?any ?o }}""",
    "keyed functions and copies": f"""
        SELECT ?x (BNODE() AS ?b) (UUID() AS ?u) (RAND() AS ?r) (STRUUID() AS ?s) {FROM}
        {{ {{ ?x :p ?y }} UNION {{ ?x :p ?y }} }}""",
    "blank nodes of a template": f"""
        CONSTRUCT {{ ?x :has [ :value ?y ] }} {FROM} {{ ?x :p ?y }}""",
    "a description": f"DESCRIBE ?x {FROM} {{ ?x :q ?y FILTER(?y > 4) }}",
    "a question": f"ASK {FROM} {{ ?x :p 3 }}",
    "a path of zero length": f"SELECT ?x ?y {FROM} {{ ?x :r* ?y }}",
}

Run: TypeAlias = Callable[[Prepared], list[Element]]
HOSTS: dict[str, Run] = {
    "local, one bucket": lambda query: run_local(query, DATA, 1),
    "local, five buckets": lambda query: run_local(query, DATA, 5),
    "harness": lambda query: run_harness(query, DATA, 2, Random(7)),
}


def query(name: str) -> Prepared:
    return prepare(HEAD + QUERIES[name], sources=DATA.sources)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("name", QUERIES)
def test_a_host_says_what_the_reference_says(name: str, host: str) -> None:
    asked = query(name)
    want = reference.intervals(asked.canonical, DATA.data)
    assert want, "a query that says nothing tests nothing"
    assert first_difference(want, HOSTS[host](asked)) is None


def test_a_minimum_is_unbound_while_one_of_its_values_is() -> None:
    """By hand: from 4 on ?x = :a is there twice, with ?y = 1 and 3, until the first leaves; ?z
    comes at 2.  So at 1 the least ?z is unbound, and from 2 on 5."""
    told = HOSTS["local, one bucket"](query("MIN with an unbound value"))
    least = {
        e.interval.start: str(e.item.get(Variable("least")))
        for e in told
        if isinstance(e.item, Solution) and e.item[Variable("x")] == EX.a and e.interval.start < 3
    }
    assert least == {1: "None", 2: "5"}


def test_keyed_functions_differ_from_copy_to_copy_and_agree_between_hosts() -> None:
    asked = query("keyed functions and copies")
    told = [run(asked) for run in HOSTS.values()]
    values = {e.item[Variable("u")] for e in told[0] if isinstance(e.item, Solution)}
    rows = reference.intervals(asked.canonical, DATA.data)
    assert len(values) == len({e.item for e in rows})
    assert first_difference(told[0], told[2]) is None


def test_what_runs_is_what_explain_shows() -> None:
    asked = query("EXISTS with MINUS inside")
    running = Engine(sources=DATA.sources).register(asked)
    shown = explain(asked, level="physical")
    assert "SemiJoin" in shown
    assert "EXISTS\n" not in shown
    assert shown == explain(tree(running.plan), prefixes=asked.prefixes)


# ---- bad input -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sources", "error", "message"),
    [
        (
            "SELECT * FROM STREAM :other WINDOW RANGE 1 SLIDE { ?x :p ?y }",
            DATA.sources,
            QueryError,
            "other",
        ),
        ("SELECT * FROM :unknown { ?x :p ?y }", DATA.sources, QueryError, "unknown"),
        ("SELECT * FROM STREAM :stream1 { ?x :p ?y }", DATA.sources, QueryError, "no window"),
        (
            f"SELECT * {FROM} {{ ?x :p ?y }}",
            Catalogue().stream(S1).graph(G1, Path("no/such/file.ttl")),
            StreamError,
            "file.ttl",
        ),
        (f"SELECT * {FROM} {{ ?x :p ?y }}", Catalogue().stream(S1).graph(G1), StreamError, "data"),
    ],
)
def test_bad_input_is_refused_before_anything_starts(
    text: str, sources: Catalogue, error: type[AskosError], message: str
) -> None:
    with pytest.raises(error, match=message):
        Engine(sources=sources).register(HEAD + text)


def test_a_stream_without_rows_is_told_by_name() -> None:
    with pytest.raises(StreamError, match="stream2"):
        run(HEAD + "SELECT * FROM STREAM :stream2 WINDOW RANGE 1 SLIDE { ?x :p ?y }", {S1: []})


def test_a_plan_that_is_too_deep_is_refused_before_anything_starts() -> None:
    text = f"SELECT * {FROM} {{ ?x :p ?y {'OPTIONAL { ?x :q ?z } ' * DEPTH} }}"
    with pytest.raises(UnsupportedError, match="operators deep"):
        Engine(sources=DATA.sources).register(HEAD + text)


def test_a_partner_that_is_taken_back_leaves_the_others_of_its_key() -> None:
    # Two left rows have the key, and partners are kept in runs of other sizes.
    query = prepare(
        f"{HEAD} SELECT ?y ?z FROM STREAM :stream1 WINDOW RANGE 900 MS SLIDE 1 MS"
        " { ?x :p ?y OPTIONAL { ?x :q ?z . WINDOW ELEMS 3 } }"
    )
    batches = (
        stream(("a", "p", 1, 10), ("a", "p", 2, 10)),
        stream(("a", "q", 1, 30)),
        stream(("a", "q", 2, 50)),
        stream(("b", "q", 0, 70), ("c", "q", 0, 71)),
        stream(("d", "r", 0, 90)),
    )
    delivery = Delivery(tuple((S1, tuple(rows)) for rows in batches))
    want = reference.intervals(query.canonical, delivery.data)
    assert first_difference(want, run_local(query, delivery)) is None
