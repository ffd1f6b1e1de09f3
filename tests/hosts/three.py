"""One plan and one delivery through the reference, the local driver and Spark."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, TypeAlias, get_args

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.types import Row

from askos import spark as host
from askos.algebra import (
    Answer,
    Element,
    Intervals,
    OnChange,
    Operator,
    Periodic,
    Stamped,
    first_difference,
)
from askos.algebra.reference import intervals, reports
from askos.local import Engine
from askos.physical import PhysicalPlan
from askos.planning import physical
from askos.prepared import Prepared
from askos.sources import Catalogue
from askos.spark.answers import REPORTS, RESULTS
from askos.spark.reading import answer, element
from askos.spark.sources import Reader
from askos.spark.split import as_alone, whose
from askos.terms import URIRef, n3
from tests.hosts.strategies import LATENESS, Delivery


def as_it_is(plan: Operator, sources: Catalogue | None = None) -> Prepared:
    """A plan to be run without rules, so that what is tested is what is written."""
    return Prepared(plan, plan, Intervals(), sources=sources or Catalogue())


READERS: tuple[Reader, ...] = get_args(Reader)
"""Who may open files."""

Told: TypeAlias = list[Any]
"""Elements where intervals are reported, else answers."""


def run_reference(plan: Operator | Prepared, delivery: Delivery, progress: int = 0) -> Told:
    """What a plan means; of what is prepared, its canonical plan.  `progress` is what all streams
    had promised before the end."""
    query = as_it_is(plan) if isinstance(plan, Operator) else plan
    if isinstance(query.report, Periodic | OnChange):
        return reports(query.canonical, delivery.data, query.report, progress=progress)
    return intervals(query.canonical, delivery.data)


def difference(left: Told, right: Told) -> str | None:
    """Where two answers differ: intervals by the law, reports one by one."""
    told = [answer for answer in (*left, *right) if isinstance(answer, Answer)]
    if not told:
        return first_difference(left, right)
    for one, other in zip_longest(left, right):
        if one != other:
            return f"left: {one}, right: {other}"
    return None


def run_local(plan: Operator | Prepared, delivery: Delivery, buckets: int = 1) -> Told:
    """A plan is run as it is; what is prepared is run as it was prepared."""
    engine = Engine(sources=delivery.sources, buckets=buckets)
    as_given = as_it_is(plan, delivery.sources) if isinstance(plan, Operator) else plan
    query = engine.register(as_given)
    for source, rows in delivery.batches:
        if source in query.prepared.streams:
            engine.push(source, rows)
    engine.close()
    assert not query.late
    assert not engine.refused
    return query.take()


class SparkRun:
    """A plan on Spark, fed one micro-batch at a time."""

    def __init__(
        self,
        spark: SparkSession,
        query: Operator | Prepared,
        folder: Path,
        *,
        buckets: int = 2,
        sources: Catalogue | None = None,
        state_limit: int | None = None,
    ) -> None:
        self.spark, self.folder, self.buckets = spark, folder, buckets
        self.state_limit = state_limit
        self.prepared = as_it_is(query, sources) if isinstance(query, Operator) else query
        self.plan = built(self.prepared)
        self.checkpoint, self.out = folder / "checkpoint", folder / "out"
        self._files = 0
        for number in range(len(self.sources)):
            self._data(number).mkdir(parents=True, exist_ok=True)
        self.query = self.start()

    @property
    def asked(self) -> Any:
        return self.prepared

    @property
    def sources(self) -> tuple[URIRef, ...]:
        return self.prepared.streams

    def _data(self, number: int) -> Path:
        return self.folder / f"data{number}"

    def start(self) -> Any:
        streams = {
            source: host.parquet(self.spark, self._data(number), sequence=True)
            for number, source in enumerate(self.sources)
        }
        return host.start(
            self.spark,
            self.asked,
            streams,
            host.Parquet(self.out),
            self.checkpoint,
            lateness=None if self.prepared.sources.streams else LATENESS,
            buckets=self.buckets,
            state_limit=self.state_limit,
        )

    def restart(self) -> None:
        self.query.stop()
        self.query = self.start()

    def push(self, source: URIRef, rows: Triples, *, wait: bool = True) -> None:
        if source not in self.sources:
            return
        self._files += 1
        name = f"{self._files:06}.parquet"
        folder = self._data(self.sources.index(source))
        pq.write_table(table(rows), folder / f".{name}")
        os.replace(folder / f".{name}", folder / name)
        if wait:
            host.drain(self.query)

    def end(self) -> Told:
        return told(self.finish(), self.plan)

    def finish(self) -> list[dict[str, Any]]:
        """All rows of answers, after the end of input."""
        host.Control(self.checkpoint).end()
        host.drain(self.query)
        self.query.stop()
        return [row.asDict() for row in [*self.rows(RESULTS), *self.rows(REPORTS)]]

    def rows(self, output: str) -> list[Row]:
        if not any(self.out.glob("**/output=*")):
            return []
        found = self.spark.read.parquet(str(self.out))
        return found.where(found.output == output).collect()


class SparkRuns(SparkRun):
    """Several queries as one of Spark's, fed alike."""

    def __init__(
        self, spark: SparkSession, queries: Sequence[Prepared], folder: Path, *, buckets: int = 2
    ) -> None:
        self.queries = queries
        super().__init__(spark, queries[0], folder, buckets=buckets)

    @property
    def asked(self) -> Any:
        return list(self.queries)

    @property
    def sources(self) -> tuple[URIRef, ...]:
        return tuple(dict.fromkeys(source for query in self.queries for source in query.streams))

    def split(self) -> dict[str, Told]:
        """What each is told, by its name, after the end of input."""
        found: dict[str, list[dict[str, Any]]] = {}
        for row in self.finish():
            found.setdefault(whose(row), []).append(row)
        return {
            name: told((as_alone(row, q.columns) for row in found.get(name, ())), built(q))
            for q in self.queries
            for name in [q.name or ""]
        }


Triples: TypeAlias = Sequence[Stamped | tuple[str | None, str | None, str | None, int | None]]


def table(rows: Triples) -> pa.Table:
    texts = [
        (*map(n3, row.triple), row.at, row.sequence) if isinstance(row, Stamped) else (*row, None)
        for row in rows
    ]
    columns = list(zip(*texts, strict=True)) or [()] * 5
    types = [pa.string()] * 3 + [pa.int64()] * 2
    arrays = [pa.array(list(c), t) for c, t in zip(columns, types, strict=True)]
    return pa.table(arrays, ["s", "p", "o", "ts", "seq"])


def built(query: Prepared) -> PhysicalPlan:
    """What hosts run."""
    return physical(query)


def told(rows: Iterable[Mapping[str, Any]], plan: PhysicalPlan) -> Told:
    """Rows of answers as what they tell."""
    if isinstance(plan.report, Intervals):
        return elements(rows, plan)
    reports: dict[int, list[Mapping[str, Any]]] = {}
    for row in rows:
        reports.setdefault(row["at"], []).append(row)
    return [answer(at, reports[at], plan.columns, plan.payload) for at in sorted(reports)]


def elements(rows: Iterable[Mapping[str, Any]], plan: PhysicalPlan) -> list[Element]:
    """Rows of answers as elements."""
    return [element(row, plan.columns, plan.payload) for row in rows]


def run_spark(
    spark: SparkSession,
    query: Operator | Prepared,
    delivery: Delivery,
    folder: Path,
    buckets: int = 2,
) -> Told:
    run = SparkRun(spark, query, folder, buckets=buckets, sources=delivery.sources)
    for source, rows in delivery.batches:
        run.push(source, rows)
    answers = run.end()
    assert not run.rows("late")
    assert not run.rows("refused")
    return answers
