"""Wide queries on Spark: their plans, filters and patterns reach the workers whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from askos.algebra import Stamped
from askos.prepared import prepare
from askos.terms import Literal, Triple, URIRef
from tests.build import S1
from tests.hosts.strategies import Delivery
from tests.hosts.three import difference, run_local, run_reference, run_spark

WIDTH = 80
HEAD = f"PREFIX : <http://wind.example/> SELECT * FROM STREAM <{S1}> WINDOW RANGE 100 SLIDE 10 "
QUERIES = {
    "a star": " ; ".join(f":p{i} ?x{i}" for i in range(WIDTH)).join(("{ ?s ", " }")),
    "branches": " UNION ".join(f"{{ ?s :p{i} ?x }}" for i in range(WIDTH)).join(("{ ", " }")),
    "conditions": " || ".join(f"?x = {i}" for i in range(WIDTH)).join(
        ("{ ?s :p1 ?x FILTER (", ") }")
    ),
}
ROWS = tuple(
    Stamped(Triple(URIRef("s"), URIRef(f"http://wind.example/p{i}"), Literal(i)), 10 + i)
    for i in range(WIDTH)
)


@pytest.mark.thorough
@pytest.mark.parametrize("name", QUERIES)
def test_a_wide_query_says_the_same_on_all_hosts(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    delivery = Delivery(((S1, ROWS[:50]), (S1, ROWS[50:])))
    query = prepare(HEAD + QUERIES[name], sources=delivery.sources)
    want = run_reference(query, delivery)
    assert want
    assert difference(want, run_local(query, delivery)) is None
    assert difference(want, run_spark(spark, query, delivery, tmp_path)) is None
