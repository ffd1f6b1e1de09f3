"""timestamp() in C-SPARQL texts: every form of it, under its reports, on every host."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos import explain, prepare
from askos.errors import QueryError
from askos.prepared import Prepared
from askos.terms import Variable
from tests.build import EX, S1, S2, stream, triple
from tests.hosts.harness import Harness
from tests.hosts.strategies import Delivery, deliveries
from tests.hosts.three import Told, difference, run_local, run_reference
from tests.sampling import every

HEAD = f"PREFIX : <{EX}>\nREGISTER QUERY q COMPUTED EVERY 5ms AS\n"
EXT = "http://larkc.eu/csparql/sparql/jena/ext#"
ONE = "FROM STREAM :stream1 [RANGE 10ms STEP 5ms]"
TWO = f"{ONE} FROM STREAM :stream2 [RANGE 15ms STEP 5ms]"

DATA = Delivery(
    (
        (S1, tuple(stream(("a", "p", 1, 1), ("b", "p", 1, 3), ("a", "q", 1, 4)))),
        (S2, tuple(stream(("a", "p", 1, 2), ("b", "q", 1, 4)))),
        (S1, tuple(stream(("a", "p", 1, 6), ("b", "q", 1, 7), ("c", "p", 2, 9)))),
        (S2, tuple(stream(("a", "p", 1, 9), ("b", "q", 1, 11), ("c", "p", 3, 13)))),
        (S1, tuple(stream(("a", "q", 2, 12), ("c", "q", 2, 16), ("a", "p", 2, 21)))),
    ),
    (triple("a", "p", 1), triple("a", "site", "north"), triple("b", "site", "north")),
)

T = Variable("t")

TEXTS = {
    "one after the other": f"""
        SELECT DISTINCT ?x {ONE}
        {{ ?x :p ?v . ?y :q ?w . ?x :site ?s . ?y :site ?s
           FILTER(timestamp(?v) < timestamp(?w) && ?v = ?w) }}""",
    "of a variable": f"SELECT ?x (timestamp(?x) AS ?t) {TWO} {{ ?x :p ?y }}",
    "of a variable in one stream": f"""
        SELECT ?x (timestamp(?x, :stream2) AS ?t) {TWO} {{ ?x :p ?y }}""",
    "of a variable in the stream of GRAPH": f"""
        SELECT ?x ?g (timestamp(?x, ?g) AS ?t) {TWO} {{ GRAPH ?g {{ ?x :p ?y }} }}""",
    "of a triple": f"""
        SELECT ?x ?y (timestamp(?x, :p, ?y) AS ?t) {TWO} {{ ?x :p ?y }}""",
    "of a triple, as C-SPARQL's engine writes it": f"""
        PREFIX f: <{EXT}>
        SELECT ?x ?z (f:timestamp(?x, :p, ?y) AS ?t) {TWO}
        {{ ?x :p ?y . ?z :p ?y FILTER(?x != ?z)
           FILTER(f:timestamp(?z, :p, ?y) > f:timestamp(?x, :p, ?y)) }}""",
    "of a triple in GRAPH": f"""
        SELECT ?x ?y ?t {TWO}
        {{ GRAPH :stream1 {{ ?x :p ?y BIND(timestamp(?x, :p, ?y) AS ?t) }} }}""",
    "of a triple in FILTER of OPTIONAL": f"""
        SELECT ?x ?y ?z {TWO}
        {{ ?x :p ?y OPTIONAL {{ ?x :q ?z FILTER(timestamp(?x, :q, ?z) > timestamp(?x, :p, ?y)) }} }}
        """,
    "of a triple from both sides of OPTIONAL": f"""
        SELECT ?x ?v ?z {TWO}
        {{ ?x :p ?y BIND(?x AS ?v) OPTIONAL {{ ?u :q ?z FILTER(timestamp(?v, :q, ?z) > 5) }} }}""",
    "of a constant triple": f"SELECT ?x (timestamp(:a, :p, 1) AS ?t) {TWO} {{ ?x :q ?y }}",
    "join and optional": f"""
        SELECT ?x (timestamp(?x) AS ?t) (timestamp(?z) AS ?u) {TWO}
        {{ ?x :p ?y OPTIONAL {{ ?x :q ?z }} }}""",
    "count window": """
        SELECT ?x (timestamp(?x) AS ?t) FROM STREAM :stream1 [RANGE TRIPLES 3] { ?x :p ?y }""",
    "order": f"""
        SELECT ?x ?y {TWO} {{ ?x :p ?y }} ORDER BY DESC(timestamp(?x)) ?y LIMIT 2""",
    "aggregate": f"""
        SELECT ?x (MAX(timestamp(?y)) AS ?t) (COUNT(*) AS ?n) {TWO} {{ ?x :p ?y }} GROUP BY ?x""",
    "aggregate of a triple's": f"""
        SELECT ?x (MIN(timestamp(?x, :p, ?y)) AS ?t) {TWO} {{ ?x :p ?y }} GROUP BY ?x
        HAVING (MAX(timestamp(?x, :p, ?y)) > 2)""",
    "AGGREGATE": f"""
        SELECT ?x ?y ?t {TWO} {{ ?x :p ?y }}
        AGGREGATE {{ (?t, MAX(timestamp(?y)), {{?x}}) FILTER(?t > 2) }}""",
    "EXISTS": f"""
        SELECT ?x ?y {TWO}
        {{ ?x :p ?y FILTER EXISTS {{ ?x :q ?z FILTER(timestamp(?z) >= timestamp(?y)) }} }}""",
    "NOT EXISTS": f"""
        SELECT ?x ?y {TWO}
        {{ ?x :p ?y FILTER NOT EXISTS {{ ?x :q ?z FILTER(timestamp(?x) > timestamp(?y)) }} }}""",
    "above EXISTS": f"""
        SELECT ?x (timestamp(?x) AS ?t) {TWO} {{ ?x :p ?y FILTER NOT EXISTS {{ ?x :q ?y }} }}""",
    "keyed": f"""
        SELECT ?x (timestamp(?x) AS ?t) {TWO}
        {{ ?x :p ?y FILTER(RAND() < 0.8 && timestamp(?x, :p, ?y) > 1) }}""",
    "construct": f"CONSTRUCT {{ ?x :seen [] }} {TWO} {{ ?x :p ?y FILTER(timestamp(?x) > 4) }}",
    "ask": f"ASK {TWO} {{ ?x :p ?y FILTER(timestamp(?y) > 8) }}",
}


def query(name: str, delivery: Delivery = DATA) -> Prepared:
    return prepare(HEAD + TEXTS[name], sources=delivery.sources)


@pytest.mark.parametrize("name", every(2, TEXTS))
def test_hosts_say_what_the_reference_says(name: str) -> None:
    asked = query(name)
    want = run_reference(asked, DATA)
    assert any(answer.rows for answer in want), "a query that says nothing tests nothing"
    for buckets in (1, 2, 5):
        assert difference(want, run_local(asked, DATA, buckets)) is None
    assert difference(want, restarted(asked, DATA, Random(name))) is None


def restarted(asked: Prepared, delivery: Delivery, choices: Random) -> Told:
    """The answers of Spark's code, with failures; no promise but those of the data, for another
    would be another end of the reports."""
    run = Harness(asked, choices)
    for source, rows in delivery.batches:
        run.push({source: rows})
    run.end()
    return run.answers


@given(st.sampled_from(sorted(TEXTS)), deliveries(8), st.sampled_from([1, 2, 5]))
def test_hosts_say_it_however_the_data_comes(name: str, delivery: Delivery, buckets: int) -> None:
    asked = query(name, delivery)
    want = run_reference(asked, delivery)
    assert difference(want, run_local(asked, delivery, buckets)) is None


@pytest.mark.parametrize("call", ["f:timestamp", "g:timestamp", f"<{EXT}timestamp>"])
def test_the_function_of_the_engine_is_timestamp_by_any_prefix(call: str) -> None:
    prefixes = f"PREFIX f: <{EXT}>\nPREFIX g: <{EXT}>\n"
    text = f"{HEAD}SELECT ?x ({{}}(?x, :p, ?y) AS ?t) {ONE} {{{{ ?x :p ?y }}}}"
    plain = prepare(prefixes + text.format("timestamp"), sources=DATA.sources)
    assert prepare(prefixes + text.format(call), sources=DATA.sources).plan == plain.plan


def test_only_csparql_has_it() -> None:
    text = f"SELECT * {{ ?s ?p ?o FILTER(<{EXT}timestamp>(?s, ?p, ?o) > 5) }}"
    with pytest.raises(QueryError, match=r"timestamp\(\) is C-SPARQL, but this query is SPARQL"):
        prepare(text)


def test_a_window_that_moves_its_elements_does_not_move_their_times() -> None:
    """By hand: at 10 the copies of :a :p 1 came at 2 and 9 in :stream2, at 1 and 6 in :stream1;
    at 20 only the one of 9 is there, and the graph's, which came at no time."""
    told = run_local(query("of a triple"), DATA, 2)
    times = {
        answer.at: row[T].toPython()
        for answer in told
        for row in answer.rows
        if row[Variable("x")] == EX.a and row[Variable("y")].toPython() == 1 and T in row
    }
    assert times == {5: 2, 10: 9, 15: 9, 20: 9}


def test_times_beyond_what_an_id_can_hold_are_told_exactly() -> None:
    far = 1 << 55
    data = Delivery(((S1, tuple(stream(("a", "p", 1, far), ("a", "p", 1, far + 3)))),))
    text = "SELECT ?x (timestamp(?x) AS ?t) FROM STREAM :stream1 [RANGE TRIPLES 1] { ?x :p ?y }"
    asked = prepare(f"PREFIX : <{EX}>\n{text}", sources=data.sources)
    told = run_local(asked, data)
    assert difference(run_reference(asked, data), told) is None
    assert [row[T].toPython() for answer in told for row in answer.rows] == [
        far,
        far + 3,
    ]


def test_explain_shows_that_a_distinct_keeps_the_latest() -> None:
    shown = explain(query("of a variable"), level="physical")
    assert "LATEST _:#time1 _:#time2" in shown
    assert "(latest(_:#time1, _:#time2) AS ?t)" in shown
