"""Compiling a plan into a streaming query, and running it."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from pathlib import Path
from typing import Any, TypeAlias, Unpack

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from askos.algebra import Operator
from askos.errors import SetupError, StreamError
from askos.physical import Stage, build
from askos.physical.limit import Limit
from askos.prepared import Options, Prepared, prepare
from askos.sources import Catalogue, Stream
from askos.spark.answers import Answers
from askos.spark.cache import new_folder
from askos.spark.checkpoint import begin, resume
from askos.spark.control import Control
from askos.spark.errors import read, writing
from askos.spark.job import Job
from askos.spark.messages import SCHEMA
from askos.spark.pack import Pack, PackControl, pack_control, packs, wanted
from askos.spark.processor import StageProcessor
from askos.spark.sessions import check, settings
from askos.spark.sinks import Sink
from askos.spark.sources import located, relevant, triples
from askos.terms import URIRef, n3
from askos.translate import ast

Query: TypeAlias = str | ast.Query | Operator | Prepared
Streams: TypeAlias = Mapping[URIRef, DataFrame]
Lateness: TypeAlias = int | Mapping[URIRef, int]
Watch: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Told Spark's progress report of each micro-batch."""


def compile(  # noqa: A001 - the public name
    spark: SparkSession,
    query: Query,
    streams: Streams,
    *,
    checkpoint: str | Path,
    sources: Catalogue | None = None,
    lateness: Lateness | None = None,
    buckets: int | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """The streaming DataFrame of a query's answers; see `Answers` for its columns.

    `query` is what `askos.prepare` takes, and so are `sources` and `options`: report, every,
    nonempty, boundary, origin, dialect, base.  `streams` are
    streaming DataFrames (s, p, o, ts) by stream; `lateness` says how many milliseconds their
    rows may come out of order, by default what the catalogue says.  What else it says of their
    times, `not_after` and `ahead_ms`, counts anew at each start too.  The DataFrame must be written
    with this `checkpoint`, which also holds what runs and the control stream, and it must be
    started inside `settings(spark)`.  State is spread over `buckets`, by default as many as
    there are shuffle partitions; a checkpoint that has run keeps to its own.
    """
    check(spark)
    folder = _folder(checkpoint)
    given = prepare(query, sources=sources, **options)
    stored = resume(folder, given, buckets)
    physical = (
        stored.physical if stored else build(given.plan, given.report, given.columns, given.clock)
    )
    answers = Answers.of(physical)
    _check_streams(given, streams)
    if stored is None:
        partitions = int(spark.conf.get("spark.sql.shuffle.partitions") or 1)
        stored = begin(folder, given, physical, buckets or partitions, partitions)
        for stream in given.sources.streams:
            if stream.idle and stream.iri in physical.sources:
                Control(folder).idle(stream.iri)
    waits = _Lateness(sources or given.sources, {} if lateness is None else lateness)
    job = stored.job(folder, new_folder())
    with settings(spark):
        return _Compiler(spark, job, streams, Control(folder), waits).frame(answers)


def _folder(checkpoint: str | Path) -> Path:
    if "://" in str(checkpoint):
        raise SetupError(
            f"checkpoint {checkpoint} must be a path in a file system",
            hint="on a cluster, one that the driver and all executors have mounted alike",
        )
    if set(located(checkpoint)) & set("*?[]{}\\"):
        raise SetupError(
            f"checkpoint {checkpoint} has characters that Spark takes for wildcards",
            hint="give it a name without any of * ? [ ] { } \\",
        )
    return Path(checkpoint)


def _check_streams(query: Prepared, streams: Streams) -> None:
    for source in query.streams:
        if source not in streams:
            raise StreamError(
                f"there is no DataFrame for the stream {n3(source)}",
                hint="give one in `streams`, with columns s, p, o and ts",
            )


@dataclass(frozen=True, slots=True)
class _Lateness:
    """Of each stream: as the caller says, else as the catalogue says, which alone says how late
    its rows may be stamped."""

    sources: Catalogue
    said: Lateness

    def __call__(self, source: URIRef) -> int:
        if isinstance(self.said, int):
            return self.said
        known = self.sources.get(source)
        declared = known.lateness_ms if isinstance(known, Stream) else 0
        return self.said.get(source, declared)

    def limit(self, source: URIRef) -> Limit:
        """How late a stream's rows may be stamped."""
        return Limit.of(self.sources.get(source))


@dataclass(frozen=True, slots=True)
class _Compiler:
    spark: SparkSession
    job: Job
    streams: Streams
    control: Control
    lateness: _Lateness

    def frame(self, answers: Answers) -> DataFrame:
        last = self.job.plan.stages[-1].number
        told = self._told()
        done: dict[int, DataFrame] = {}
        for stage in self.job.plan.stages:
            rows = reduce(DataFrame.union, self._inputs(stage, told, done))
            done[stage.number] = rows.groupBy("bucket").transformWithStateInPandas(
                StageProcessor(pickle.dumps(self.job), stage.number),
                answers.schema if stage.number == last else SCHEMA,
                "Append",
                "None",
            )
        return done[last]

    def _told(self) -> DataFrame:
        """The control stream, a row for each file: one for all stages, so that they hear what
        it tells in the same micro-batch."""
        reader = self.spark.readStream.option("pathGlobFilter", "*.json")
        return reader.text(located(self.control.folder), wholetext=True)

    def _inputs(
        self, stage: Stage, told: DataFrame, done: Mapping[int, DataFrame]
    ) -> Iterator[DataFrame]:
        """Whatever sends rows to a stage: streams, the control stream, the stages before it."""
        clock = self.job.plan.clock is not None
        for pack in packs(self.job, stage, self.lateness, self.lateness.limit):
            feeds, limit = wanted(self.job, pack), pack.limit
            ordered = any(feed.order is not None for feed in pack.feeds)
            rows = triples(self.streams[pack.source], ordered=ordered, limit=limit)
            yield _mapped(relevant(rows, feeds, clock=clock, limit=limit), pack)
        yield _mapped(told, pack_control(self.job, stage))
        yield from (done[number] for number, _ in stage.upstream)


def _mapped(rows: DataFrame, pack: Pack | PackControl) -> DataFrame:
    return rows.mapInArrow(partial(writing, pack), SCHEMA)


# ---- running ---------------------------------------------------------------------------------


def start(
    spark: SparkSession,
    query: Query,
    streams: Streams,
    sink: Sink,
    checkpoint: str | Path,
    *,
    trigger: Mapping[str, Any] | None = None,
    name: str | None = None,
    **options: Any,
) -> StreamingQuery:
    """Start a query as one of Spark's streaming queries, which goes on until it is stopped.

    `trigger` is Spark's, by default as fast as it can; `options` are those of `compile`.
    """
    answers = compile(spark, query, streams, checkpoint=checkpoint, **options)
    writer = sink.writer(answers).option("checkpointLocation", located(checkpoint))
    if name:
        writer = writer.queryName(name)
    if trigger:
        writer = writer.trigger(**trigger)
    with settings(spark):
        started: StreamingQuery = writer.start()
    return started


def run(
    spark: SparkSession,
    query: Query,
    streams: Streams,
    sink: Sink,
    checkpoint: str | Path,
    *,
    watch: Watch | None = None,
    **options: Any,
) -> None:
    """Run a query over all there is, then end its input: everything flushes.

    What was interrupted goes on where it stopped.  A checkpoint that has ended takes no more
    data, so the data must be complete when this is called.
    """
    started = start(spark, query, streams, sink, checkpoint, **options)
    control = Control(Path(checkpoint))
    try:
        with _watched(started, watch):
            drain(started)
            if not control.ended:
                control.end()
                drain(started)
    finally:
        started.stop()


def drain(query: StreamingQuery) -> None:
    """Wait until a query has read all there is; raise its error as ours where it is one."""
    try:
        query.processAllAvailable()
    except StreamingQueryException as error:
        ours = read(str(error))
        if ours is None:
            raise
        raise ours from error


def news(query: StreamingQuery, watch: Watch) -> Callable[[], None]:
    """A function that tells of the micro-batches which have finished since it was last called."""
    told = -1

    def look() -> None:
        nonlocal told
        for progress in query.recentProgress:
            if progress["batchId"] > told and progress["numInputRows"]:
                told = progress["batchId"]
                watch(progress)

    return look


@contextmanager
def _watched(query: StreamingQuery, watch: Watch | None) -> Iterator[None]:
    """Tell of micro-batches as they finish, from a thread beside the one that waits."""
    if watch is None:
        yield
        return
    done, look = threading.Event(), news(query, watch)

    def tell() -> None:
        last = False
        while not last:
            last = done.wait(0.1)
            look()

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
