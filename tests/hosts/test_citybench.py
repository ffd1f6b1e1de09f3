"""CityBench on Spark: some of its queries at once, each report as pyoxigraph has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce

import pytest
from pyspark.sql import SparkSession

from askos.algebra import Constant, Extend, Kind, Operator, Payload, Periodic, Union
from askos.prepared import Prepared
from askos.sources import Catalogue
from askos.terms import Literal, Solution, Variable
from tests.oracles.citybench import QUERIES, STEP, Asked, same
from tests.oracles.hosts import Host, harness, on_spark

QUERY = Variable("query")
ROWS = 5


# A few at once on Spark, which needs seconds for every stage of a micro-batch; in the code that
# Spark runs, without Spark, all of a dialect.
PARTS = {"Q1 to Q4": QUERIES[:4], "Q5 to Q8": QUERIES[4:8], "Q9 to Q11": QUERIES[8:]}
DIALECTS = ("csparql", "cqels", "rspql")
IN_CI = ("cqels", "Q5 to Q8")


def asked(dialect: str, names: Sequence[str]) -> list[Asked]:
    """Q11 of C-SPARQL is an ASK, and has no place among solutions."""
    found = [Asked(name, dialect, ROWS) for name in names]
    return [one for one in found if one.prepared().canonical.payload is not Payload.BOOLEAN]


def together(queries: list[Asked]) -> Prepared:
    """As one query, whose solutions say which of them they answer."""
    known = Catalogue()
    for stream in dict.fromkeys(s for one in queries for s in one.streams):
        known = known.stream(stream)
    for name, triples in {n: t for one in queries for n, t in one.graphs.items()}.items():
        known = known.graph(name, triples)
    canonical = reduce(Union, [_marked(one, one.prepared().canonical) for one in queries])
    plan = reduce(Union, [_marked(one, one.prepared().plan) for one in queries])
    return Prepared(canonical, plan, Periodic(Kind.RSTREAM, (STEP,)), sources=known)


def _marked(one: Asked, plan: Operator) -> Operator:
    return Extend(QUERY, Constant(Literal(one.name)), plan)


def check(queries: list[Asked], host: Host) -> None:
    batches = {name: rows for one in queries for name, rows in one.deliveries(1)}
    told = host(together(queries), list(batches.items()), 2, None)
    assert len(told) > ROWS
    for answer in told:
        found: dict[str, Counter[object]] = {one.name: Counter() for one in queries}
        for row in answer.rows:
            assert isinstance(row, Solution)
            name = str(row[QUERY])
            found[name][same(Solution({v: t for v, t in row.items() if v != QUERY}))] += 1
        assert found == {one.name: one.answer(answer.at) for one in queries}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("dialect", "part"),
    [
        pytest.param(dialect, part, marks=[pytest.mark.soak] * ((dialect, part) != IN_CI))
        for dialect in DIALECTS
        for part in PARTS
    ],
)
def test_spark_reports_what_holds_in_the_windows(
    spark: SparkSession, dialect: str, part: str
) -> None:
    check(asked(dialect, PARTS[part]), on_spark(spark))


@pytest.mark.soak
@pytest.mark.parametrize("dialect", DIALECTS)
def test_its_code_does_so_without_spark(dialect: str) -> None:
    check(asked(dialect, QUERIES), harness)
