"""All queries that the papers print on Spark: a few runs, each of many queries at once."""

from __future__ import annotations

from functools import reduce

import pytest
from pyspark.sql import SparkSession

from askos.algebra import Constant, Element, Extend, Operator, Payload, Union, first_difference
from askos.algebra.reference import intervals
from askos.prepared import Prepared
from askos.static.graphs import load_graphs
from askos.terms import Literal, Solution, Variable
from tests.hosts.three import Told, as_it_is, difference
from tests.oracles.hosts import on_spark, reference
from tests.papers.printed import CORRECTED, PRINTED, Printed, data_of
from tests.papers.worlds import World

QUERY = Variable("query")
ALL = (*PRINTED, *CORRECTED)


def triples(query: Printed) -> bool:
    return prepared(query).canonical.payload is Payload.TRIPLE


def prepared(query: Printed) -> Prepared:
    return query.prepared(data_of(query))


# By the folders of the queries.  Listing 1.2 reads as a graph what 1.3 reads as a stream.
RUNS = {
    "Streaming SPARQL and C-SPARQL 2009": (
        "streaming-sparql/listing-1-1",
        "streaming-sparql/listing-1-3",
        "csparql-2009",
    ),
    "C-SPARQL 2010": ("csparql-2010",),
    "CQELS": ("cqels",),
    "streams of triples": ("",),
    "Listing 1.2 and Groppe": ("streaming-sparql/listing-1-2", "groppe"),
    "LUBM": ("lubm",),  # whose ?X would be ?x to Spark
}


def queries_of(name: str) -> list[Printed]:
    """The queries of a run; looked up by its test, since their data may be of a missing suite."""
    wanted = name == "streams of triples"
    return [q for q in ALL if q.file.startswith(RUNS[name]) and triples(q) is wanted]


def test_the_runs_have_them_all() -> None:
    assert sorted(map(str, ALL)) == sorted(str(q) for name in RUNS for q in queries_of(name))


def marked(query: Printed, plan: Operator) -> Operator:
    """Its solutions say which query they answer; triples cannot."""
    return plan if triples(query) else Extend(QUERY, Constant(Literal(query.file)), plan)


def together(queries: list[Printed]) -> tuple[Prepared, World]:
    """All of them as one query that reports intervals, over all their worlds."""
    data = reduce(World.__or__, {q.world: data_of(q) for q in queries}.values(), World())
    canonical = reduce(Union, [marked(q, prepared(q).canonical) for q in queries])
    plan = reduce(Union, [marked(q, prepared(q).plan) for q in queries])
    one = as_it_is(canonical, data.sources)
    return Prepared(one.canonical, plan, one.report, sources=one.sources), data


def expected(queries: list[Printed]) -> list[Element]:
    """What each means by itself, marked."""
    return [e for q in queries for e in _marked(q, _intervals(q))]


def _intervals(query: Printed) -> list[Element]:
    asked, data = prepared(query), data_of(query)
    graphs = {name: list(graph) for name, graph in load_graphs(asked).items()}
    return intervals(asked.canonical, {**data.streams, **graphs})


def _marked(query: Printed, elements: list[Element]) -> list[Element]:
    name = Literal(query.file)
    return [
        Element(Solution({**e.item, QUERY: name}), e.interval)
        if isinstance(e.item, Solution)
        else e
        for e in elements
    ]


SLOW = {"C-SPARQL 2010"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] * (name in SLOW)) for name in RUNS]
)
def test_spark_says_what_the_reference_says(spark: SparkSession, name: str) -> None:
    asked, data = together(queries_of(name))
    want = expected(queries_of(name))
    assert want
    found = on_spark(spark)(asked, data.deliveries(name, 1), 2, None)
    assert first_difference(want, found) is None


REPORTED = ("csparql-2010/cars-turning-from-palm-into-oak", "cqels/q5")


@pytest.mark.thorough
@pytest.mark.parametrize("file", REPORTED)
def test_spark_reports_what_the_reference_reports(spark: SparkSession, file: str) -> None:
    query = next(q for q in ALL if q.file == file)
    given = data_of(query).deliveries(file, 2)
    want: Told = reference(prepared(query), given)
    assert difference(want, on_spark(spark)(prepared(query), given, 2, 1)) is None
