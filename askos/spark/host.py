"""Compiling a plan into a streaming query, and running it."""

from __future__ import annotations

import pickle
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, TypeAlias

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from askos.algebra import Operator, Report
from askos.columns import Coder
from askos.errors import QueryError, SetupError, StreamError, UnsupportedError
from askos.interval import FOREVER
from askos.physical import Feed, Stage, build
from askos.physical.stages import check_report
from askos.spark.answers import Answers
from askos.spark.cache import new_folder
from askos.spark.control import Control
from askos.spark.job import Job, fingerprint
from askos.spark.messages import SCHEMA
from askos.spark.pack import Pack, PackControl, PackMarks
from askos.spark.processor import StageProcessor
from askos.spark.sessions import prepare
from askos.spark.sinks import Sink
from askos.spark.sources import located, relevant, triples
from askos.spark.tables import write_tables
from askos.static.graph import StaticGraph
from askos.terms import URIRef, n3

Sources: TypeAlias = Mapping[URIRef, DataFrame]
Lateness: TypeAlias = int | Mapping[URIRef, int]
Watch: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Told Spark's progress report of each micro-batch."""


def compile(  # noqa: A001 - the public name
    spark: SparkSession,
    plan: Operator,
    sources: Sources,
    *,
    checkpoint: str | Path,
    report: Report | None = None,
    lateness: Lateness = 0,
    buckets: int | None = None,
    graphs: Mapping[URIRef, StaticGraph] | None = None,
) -> DataFrame:
    """The streaming DataFrame of a plan's answers; see `Answers` for its columns.

    `sources` are streaming DataFrames (s, p, o, ts) by stream; `lateness` says how many
    milliseconds their rows may come out of order.  The DataFrame must be written with this
    `checkpoint`, which also holds the hash key, the fingerprint and the control stream.  State
    is spread over `buckets`, by default as many as there are shuffle partitions.
    """
    prepare(spark)
    if "://" in str(checkpoint):
        raise SetupError(
            f"checkpoint {checkpoint} must be a path in a file system",
            hint="on a cluster, one that the driver and all executors have mounted alike",
        )
    physical = build(plan, check_report(report))
    missing = [source for source in physical.sources if source not in sources]
    if missing:
        raise StreamError(
            f"there is no DataFrame for the stream {n3(missing[0])}",
            hint="give one in `sources`, with columns s, p, o and ts",
        )
    answers = Answers(physical.columns)
    partitions = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
    folder = Path(checkpoint)
    same = fingerprint(folder, plan, report, buckets or partitions, partitions)
    tables = folder / "tables"
    write_tables(tables, physical.tables, graphs or {}, Coder(same.key))
    job = Job(physical, same, new_folder(), located(tables))
    return _Compiler(spark, job, sources, Control(folder), lateness).frame(answers)


def _of(lateness: Lateness, source: URIRef) -> int:
    return lateness if isinstance(lateness, int) else lateness.get(source, 0)


@dataclass(frozen=True, slots=True)
class _Compiler:
    spark: SparkSession
    job: Job
    sources: Sources
    control: Control
    lateness: Lateness

    def frame(self, answers: Answers) -> DataFrame:
        last = self.job.plan.stages[-1].number
        done: dict[int, DataFrame] = {}
        for stage in self.job.plan.stages:
            rows = reduce(DataFrame.union, self._inputs(stage, done))
            done[stage.number] = rows.groupBy("bucket").transformWithStateInPandas(
                StageProcessor(pickle.dumps(self.job), stage.number),
                answers.schema if stage.number == last else SCHEMA,
                "Append",
                "None",
            )
        return done[last]

    def _inputs(self, stage: Stage, done: Mapping[int, DataFrame]) -> Iterator[DataFrame]:
        """Whatever sends rows to a stage: streams, the control stream, the stages before it."""
        plan = self.job.plan
        for source in plan.sources:
            feeds = tuple(feed for feed in stage.feeds if feed.source == source)
            yield self._packed(stage, source, feeds) if feeds else self._marks(source)
        told = self.spark.readStream.option("pathGlobFilter", "*.json")
        control = PackControl(tuple(map(str, plan.sources)), self.job.buckets)
        yield told.text(located(self.control.folder)).mapInArrow(control, SCHEMA)
        yield from (done[number] for number, _ in stage.upstream)

    def _packed(self, stage: Stage, source: URIRef, feeds: tuple[Feed, ...]) -> DataFrame:
        readers = [s.number for s in self.job.plan.stages for f in s.feeds if f.source == source]
        pack = Pack(
            source,
            feeds,
            stage.key,
            self.job.buckets,
            _of(self.lateness, source),
            self.job.coder,
            tells_refused=stage.number == readers[0],
        )
        return relevant(triples(self.sources[source]), feeds).mapInArrow(pack, SCHEMA)

    def _marks(self, source: URIRef) -> DataFrame:
        pack = PackMarks(source, self.job.buckets, _of(self.lateness, source))
        times = triples(self.sources[source]).select("ts").where(f"ts < {FOREVER}")
        return times.mapInArrow(pack, SCHEMA)


# ---- running ---------------------------------------------------------------------------------


def start(
    spark: SparkSession,
    plan: Operator,
    sources: Sources,
    sink: Sink,
    checkpoint: str | Path,
    *,
    trigger: Mapping[str, Any] | None = None,
    name: str | None = None,
    **options: Any,
) -> StreamingQuery:
    """Start a plan as a streaming query that goes on until it is stopped.

    `trigger` is Spark's, by default as fast as it can; `options` are those of `compile`.
    """
    answers = compile(spark, plan, sources, checkpoint=checkpoint, **options)
    writer = sink.writer(answers).option("checkpointLocation", located(checkpoint))
    if name:
        writer = writer.queryName(name)
    if trigger:
        writer = writer.trigger(**trigger)
    query: StreamingQuery = writer.start()
    return query


def run(
    spark: SparkSession,
    plan: Operator,
    sources: Sources,
    sink: Sink,
    checkpoint: str | Path,
    *,
    watch: Watch | None = None,
    **options: Any,
) -> None:
    """Run a plan over all there is, then end its input: everything flushes.

    What was interrupted goes on where it stopped.  A checkpoint that has ended takes no more
    data, so the data must be complete when this is called.
    """
    query = start(spark, plan, sources, sink, checkpoint, **options)
    control = Control(Path(checkpoint))
    try:
        with _watched(query, watch):
            drain(query)
            if not control.ended:
                control.end()
                drain(query)
    finally:
        query.stop()


def drain(query: StreamingQuery) -> None:
    """Wait until a query has read all there is; raise its error as ours where it is one."""
    try:
        query.processAllAvailable()
    except StreamingQueryException as error:
        raise _ours(error) from error


@contextmanager
def _watched(query: StreamingQuery, watch: Watch | None) -> Iterator[None]:
    """Tell of micro-batches as they finish, from a thread beside the one that waits."""
    if watch is None:
        yield
        return
    done = threading.Event()

    def look() -> None:
        told = -1
        last = False
        while not last:
            last = done.wait(0.1)
            for progress in query.recentProgress:
                if progress["batchId"] > told and progress["numInputRows"]:
                    told = progress["batchId"]
                    watch(progress)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


_KINDS = {k.__name__: k for k in (QueryError, UnsupportedError, StreamError, SetupError)}
_ERROR = re.compile(r"askos\.errors\.(\w+): (.*?)(?:\nhint: ([^\n]*))?(?:\n|$)")


def _ours(error: StreamingQueryException) -> Exception:
    """The error a worker raised, as it raised it."""
    found = _ERROR.search(str(error))
    if not found or found[1] not in _KINDS:
        return error
    return _KINDS[found[1]](found[2], hint=found[3] or "")
