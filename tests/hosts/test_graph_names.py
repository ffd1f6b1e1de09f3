"""GRAPH ?g over streams, windows and static graphs together, in every dialect that has it."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from askos import prepare
from askos.algebra import Answer
from askos.prepared import Prepared
from askos.terms import Solution, Term, Variable
from tests.build import EX, G1, S1, S2, stream, triple
from tests.hosts.moments import in_few, judge, moments, on_harness, on_local, on_spark, with_truths
from tests.hosts.strategies import Delivery, deliveries
from tests.hosts.three import Told, difference

DATA = Delivery(
    (
        (S1, tuple(stream(("a", "p", 1, 1), ("b", "p", 2, 3), ("a", "q", 1, 4)))),
        (S2, tuple(stream(("a", "p", 1, 2), ("b", "q", 1, 4)))),
        (S1, tuple(stream(("a", "p", 3, 7), ("b", "q", 1, 7), ("c", "p", 2, 9)))),
        (S2, tuple(stream(("a", "p", 3, 9), ("b", "q", 1, 11), ("c", "p", 3, 13)))),
        (S1, tuple(stream(("a", "q", 2, 14), ("c", "q", 2, 16), ("a", "p", 2, 21)))),
    ),
    (triple("a", "p", 1), triple("c", "q", 2), triple("a", "r", "b"), triple("b", "r", "c")),
)

BOTH = "FROM NAMED STREAM :stream1 FROM NAMED STREAM :stream2 FROM NAMED :graph1"
WINDOWED = BOTH.replace(":stream2", ":stream2 WINDOW RANGE 6 SLIDE 3")
CSPARQL = "FROM STREAM :stream1 [RANGE 8ms STEP 4ms] FROM STREAM :stream2 [RANGE 4ms TUMBLING]"
RSPQL = """
    FROM NAMED WINDOW :w1 ON :stream1 [RANGE PT0.008S STEP PT0.004S]
    FROM NAMED WINDOW :w2 ON :stream2 [RANGE PT0.004S STEP PT0.004S] FROM NAMED :graph1"""

TEXTS = {
    "a window inside": f"SELECT * {BOTH} {{ GRAPH ?g {{ ?x :p ?y WINDOW RANGE 10 SLIDE 5 }} }}",
    "a window inside, another in FROM": f"""
        SELECT * {WINDOWED} {{ GRAPH ?g {{ ?x :p ?y WINDOW RANGE 10 SLIDE 5 }} }}""",
    "a count window inside": f"SELECT * {BOTH} {{ GRAPH ?g {{ ?x :p ?y WINDOW ELEMS 2 }} }}",
    "a predicate window inside": f"""
        SELECT * {BOTH}
        {{ GRAPH ?g {{ ?x :p ?y WINDOW START WHEN (?y = 1) END WHEN (?y = 2) WITHIN 9 }} }}""",
    "windows of two groups inside": f"""
        SELECT * {BOTH}
        {{ GRAPH ?g {{ ?x :p ?y OPTIONAL {{ ?x :q ?z WINDOW ELEMS 1 }} WINDOW RANGE 10 FIXED }} }}
        """,
    "a path inside": f"SELECT * {BOTH} {{ GRAPH ?g {{ ?x (:p|:r)+ ?y WINDOW RANGE 9 SLIDE 3 }} }}",
    "counted by name": f"""
        SELECT ?g (COUNT(*) AS ?n) {BOTH}
        {{ GRAPH ?g {{ ?x :p ?y WINDOW RANGE 10 SLIDE 5 }} }} GROUP BY ?g""",
    "the same graph twice": f"""
        SELECT * {BOTH}
        {{ GRAPH ?g {{ ?x :p ?y WINDOW RANGE 10 SLIDE 5 }} GRAPH ?g {{ ?x :q ?z WINDOW ELEMS 3 }} }}
        """,
    "beside the default graph": f"""
        SELECT * {BOTH} FROM :graph1
        {{ ?x :r ?w GRAPH ?g {{ ?x :p ?y WINDOW RANGE 10 SLIDE 5 }} }}""",
    "in what is optional": f"""
        SELECT * {BOTH}
        {{ GRAPH :graph1 {{ ?x :r ?w }}
           OPTIONAL {{ GRAPH ?g {{ ?x :p ?y WINDOW RANGE 5 SLIDE 5 }} FILTER(?g != :graph1) }} }}
        """,
    "in what must not be": f"""
        SELECT * {BOTH}
        {{ GRAPH :graph1 {{ ?x :r ?w }}
           FILTER NOT EXISTS {{ GRAPH ?g {{ ?x :q ?y WINDOW RANGE 5 SLIDE 5 }} }} }}""",
    "in what is taken away": f"""
        SELECT * {BOTH}
        {{ GRAPH ?g {{ ?x :p ?y WINDOW RANGE 10 SLIDE 5 }}
           MINUS {{ GRAPH ?g {{ ?x :q ?z WINDOW RANGE 5 SLIDE 5 }} }} }}""",
    "C-SPARQL": f"SELECT * {CSPARQL} FROM NAMED :graph1 {{ GRAPH ?g {{ ?x :p ?y }} }}",
    "C-SPARQL, the engine's graph": f"""
        SELECT ?g ?x ?w ?y {CSPARQL} {{ ?x :r ?w GRAPH ?g {{ ?x :p ?y }} }}""",
    "C-SPARQL, an aggregate": f"""
        SELECT ?g ?x ?n {CSPARQL} {{ GRAPH ?g {{ ?x :p ?y }} }}
        AGGREGATE {{ (?n, SUM(?y), {{?g}}) }}""",
    "CQELS": """
        SELECT * { STREAM ?g [RANGE 6ms] { ?x :p ?y } GRAPH ?h { ?x :r|:q ?w } }""",
    "RSP-QL": f"REGISTER RSTREAM <o> AS SELECT * {RSPQL} {{ GRAPH ?g {{ ?x :p ?y }} }}",
    "RSP-QL, beside a window": f"""
        REGISTER ISTREAM <o> AS SELECT * {RSPQL}
        {{ WINDOW ?w {{ ?x :p ?y }} GRAPH ?g {{ ?x :p ?z }} FILTER(?w != ?g) }}""",
    "the empty group": f"""
        SELECT * {RSPQL} {{ GRAPH ?g {{}} OPTIONAL {{ GRAPH ?g {{ ?x :p ?y }} }} }}""",
    "a name that is not there": f"""
        SELECT * {BOTH}
        {{ GRAPH ?g {{ ?x :p ?y WINDOW RANGE 9 SLIDE 9 }} MINUS {{ GRAPH :none {{ }} }}
           OPTIONAL {{ GRAPH :none {{ VALUES ?z {{ 1 }} }} }} }}""",
}  # fmt: skip
ON_SPARK = ("the same graph twice", "C-SPARQL, an aggregate")


def query(name: str, delivery: Delivery = DATA) -> Prepared:
    return prepare(f"PREFIX : <{EX}>\n{TEXTS[name]}", sources=delivery.sources)


@cache
def told(name: str) -> Told:
    return judge(query(name), moments(DATA))


def names(answers: Told) -> set[Term]:
    """The graphs and streams that ?g says."""
    bags = [told.rows if isinstance(told, Answer) else (told.item,) for told in answers]
    rows = [row for bag in bags for row in bag if isinstance(row, Solution)]
    return {row[Variable("g")] for row in rows if Variable("g") in row}


@pytest.mark.parametrize("name", TEXTS)
def test_hosts_say_what_the_reference_says(name: str) -> None:
    want, asked = told(name), query(name)
    streams = names(want) & {S1, S2, EX.w1, EX.w2}
    assert streams or name == "in what must not be"
    for buckets in (1, 2, 5):
        assert difference(want, on_local(asked, moments(DATA), buckets)) is None
    seen = on_harness(asked, moments(DATA), 2, name, faults=True)
    assert difference(want, seen) is None


def test_streams_and_static_graphs_are_told_by_name() -> None:
    assert names(told("a window inside")) == {S1, S2, G1}
    assert names(told("C-SPARQL")) == {S1, S2, G1}
    assert names(told("RSP-QL")) == {EX.w1, EX.w2, G1}
    assert names(told("the empty group")) == {EX.w1, EX.w2, G1}


@given(
    st.sampled_from(sorted(TEXTS)),
    deliveries(8),
    st.sampled_from([1, 2, 5]),
    st.randoms(use_true_random=False),
)
def test_hosts_say_it_however_the_data_comes(
    name: str, delivery: Delivery, buckets: int, choices: Random
) -> None:
    asked = query(name, delivery)
    given = with_truths(moments(delivery), asked.streams, choices)
    want = judge(asked, given)
    assert difference(want, on_local(asked, given, buckets)) is None
    assert difference(want, on_harness(asked, given, buckets, name, faults=True)) is None


@pytest.mark.thorough
@pytest.mark.parametrize("name", ON_SPARK)
def test_spark_says_what_the_reference_says(spark: SparkSession, name: str) -> None:
    few = in_few(moments(DATA), 2)
    want = judge(query(name), few)
    assert difference(want, on_spark(spark, query(name), few, 2)) is None
