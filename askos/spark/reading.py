"""Answers read back from a Parquet sink, as rdflib's terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Unpack

from pyspark.sql import DataFrame, SparkSession

from askos.algebra import Answer, Element, Intervals, Payload
from askos.algebra.expressions.order import item_key
from askos.algebra.streams import Item
from askos.errors import require
from askos.interval import Interval
from askos.kinds import KIND
from askos.planning import physical
from askos.prepared import Options, Prepared, prepare
from askos.queries import Text
from askos.spark.answers import REPORTS, RESULTS, Answers
from askos.spark.faults import told
from askos.spark.sessions import check
from askos.spark.sources import located
from askos.spark.split import SPLIT_SCHEMA, as_alone
from askos.terms import Literal, Solution, Triple, Variable, n3, parse_term
from askos.translate.kinds import WHOSE


def elements(
    spark: SparkSession,
    folder: str | Path,
    query: Text,
    *,
    name: str | None = None,
    **options: Unpack[Options],
) -> Iterator[Element]:
    """The answers of `query`, which reports intervals, that the sink `Parquet(folder)` holds, in
    no order; `options` are those that the query was run with.  Where it was one of several, `name`
    is what it was called."""
    prepared = prepare(query, **options)
    require(
        isinstance(prepared.report, Intervals),
        f"the query tells {type(prepared.report).__name__} reports, and no intervals",
        "read them with askos.spark.reports",
    )
    payload = prepared.canonical.payload
    for row in rows(spark, folder, prepared, f"output = '{RESULTS}'", name=name):
        yield element(row, prepared.columns, payload)


def reports(
    spark: SparkSession,
    folder: str | Path,
    query: Text,
    *,
    name: str | None = None,
    **options: Unpack[Options],
) -> Iterator[Answer]:
    """The reports of `query` that the sink `Parquet(folder)` holds, in the order of time;
    `options` are those that the query was run with.  Where it was one of several, `name` is what it
    was called."""
    prepared = prepare(query, **options)
    require(
        not isinstance(prepared.report, Intervals),
        "the query tells intervals, and no reports",
        "read them with askos.spark.elements",
    )
    found = rows(spark, folder, prepared, f"output in ('{RESULTS}', '{REPORTS}')", "at", name)
    for at, report in groupby(found, key=itemgetter("at")):
        yield answer(at, report, prepared.columns, prepared.canonical.payload)


def answer(
    at: int, report: Iterable[Mapping[str, Any]], columns: Sequence[Variable], payload: Payload
) -> Answer:
    """The rows of one report, its header among them, as that report."""
    found: list[tuple[Any, Item]] = []
    for row in report:
        if row["output"] == RESULTS:
            said = item(row, columns, payload)
            found.append((row["place"] if "place" in row else item_key(said, columns), said))
    return Answer(at, tuple(said for _, said in sorted(found, key=itemgetter(0))))


def rows(
    spark: SparkSession,
    folder: str | Path,
    query: Prepared,
    condition: str,
    order: str | None = None,
    name: str | None = None,
) -> Iterator[dict[str, Any]]:
    """The rows that the sink `Parquet(folder)` holds, where a condition in SQL is true; those of
    one query, as they would be without the others.

    Spark reads its own log of the files that count: what a killed micro-batch left is not there.
    """
    check(spark)
    if not Path(located(folder)).exists():
        return iter(())
    # The schema is given, because a sink that has had no rows yet does not tell it.
    schema = SPLIT_SCHEMA
    if name is None:
        schema = Answers.of(physical(query)).schema
    frame: DataFrame = spark.read.schema(schema).parquet(located(folder)).where(condition)
    if name is not None:
        own = frame["columns"].getItem(str(WHOSE)) == n3(Literal(name))
        kind = frame["query"].startswith(KIND)
        frame = frame.where((frame["query"] == name) | (kind & own))
    found = _fetched(frame.orderBy(order) if order else frame)
    return found if name is None else (as_alone(row, query.columns) for row in found)


def _fetched(frame: DataFrame) -> Iterator[dict[str, Any]]:
    with told():
        for row in frame.toLocalIterator():
            yield row.asDict()


def element(row: Mapping[str, Any], columns: Sequence[Variable], payload: Payload) -> Element:
    """A row of answers: N-Triples texts by column, ts and te."""
    return Element(item(row, columns, payload), Interval(row["ts"], row["te"]))


def item(row: Mapping[str, Any], columns: Sequence[Variable], payload: Payload) -> Item:
    """What a row says, whenever it does."""
    texts = {v: row[str(v)] for v in columns if row[str(v)] is not None}
    terms: dict[Variable, Any] = {v: parse_term(text) for v, text in texts.items()}
    match payload:
        case Payload.TRIPLE:
            return Triple(*terms.values())
        case Payload.BOOLEAN:
            return [str(term) for term in terms.values()] == ["true"]
    return Solution(terms)
