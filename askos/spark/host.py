"""Compiling a plan into a streaming query, and running it."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, Unpack, cast

from py4j.protocol import Py4JError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from askos.errors import SetupError, StreamError, require_whole
from askos.physical.limits import state_limit_of
from askos.planning import physical
from askos.prepared import Options, Prepared, prepare
from askos.queries import Queries, Text, Texts, listed, prepare_all, refuse_unread, several
from askos.sources import Catalogue, by_iri
from askos.spark.answers import Answers
from askos.spark.cache import new_folder, remove_folder
from askos.spark.checkpoint import begin, drop_unfinished, resume
from askos.spark.claims import claim
from askos.spark.control import Control
from askos.spark.entering import counted
from askos.spark.faults import told
from askos.spark.folders import by_path
from askos.spark.inputs import Inputs
from askos.spark.job import Job
from askos.spark.lateness import Said, Waits, keep_lateness, said_of
from askos.spark.levels import levels
from askos.spark.logs import has_heard_end
from askos.spark.measuring import note_while_running, noting, reports
from askos.spark.messages import SCHEMA
from askos.spark.output import as_rows, direct, logged
from askos.spark.pack import Pack, packs
from askos.spark.parcels import Parcels
from askos.spark.parts import Folder
from askos.spark.processor import LevelProcessor
from askos.spark.refreshing import refresh_while_running
from askos.spark.register import register_new
from askos.spark.sessions import check, cores, on_this_machine, settings
from askos.spark.several import begin_all, resume_all
from askos.spark.sinks import Parquet, Sink
from askos.spark.sources import located
from askos.terms import URIRef, n3

Query: TypeAlias = Text | Texts
"""What `askos.prepare` takes; or several of it, in a list or by name."""
Streams: TypeAlias = Mapping[URIRef, DataFrame] | Mapping[str, DataFrame]
Lateness: TypeAlias = int | Mapping[URIRef, int] | Mapping[str, int]
Watch: TypeAlias = Callable[[Mapping[str, Any]], None]
"""Told Spark's progress report of each micro-batch."""


@told()
def compile(  # noqa: A001 - the public name
    spark: SparkSession,
    query: Query,
    streams: Streams,
    *,
    checkpoint: str | Path,
    sources: Catalogue | None = None,
    lateness: Lateness | None = None,
    buckets: int | None = None,
    state_limit: int | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """The streaming DataFrame of a query's answers; see `Answers` for its columns.

    `query` is what `askos.prepare` takes, and so are `sources` and `options`: report, every,
    nonempty, boundary, origin, dialect, base.  Several queries, in a list or by name, become one
    streaming DataFrame of the answers of all, with the columns of `SPLIT_SCHEMA`; those that read
    a stream which another registers get its reports in the same micro-batch.  `streams` are
    streaming DataFrames (s, p, o, ts) by stream; one that no query reads and `sources` does not
    declare is refused.  `lateness` says how many milliseconds their
    rows may come out of order, by default what the catalogue says.  What else it says of their
    times, `not_after` and `ahead_ms`, counts anew at each start too.  The DataFrame must be written
    with this `checkpoint`, which also holds what runs and the control stream, and it must be
    started inside `settings(spark)`.  State is spread over `buckets`, by default as many as
    Spark has cores; a checkpoint that has run keeps to its own.  A bucket that keeps more than
    `state_limit` elements stops the query, which counts anew at each start.
    """
    said: dict[str, Any] = {"sources": sources, "lateness": lateness, **options}
    said |= {"checkpoint": checkpoint, "buckets": buckets, "state_limit": state_limit}
    with new_folder() as cache:
        return _compiled(spark, query, streams, cache, **said).rows


class _Made(NamedTuple):
    """What is compiled: the answers as rows, or, where the stages write them to a folder, the
    names of the files, packed; how late rows may come; and how many shuffle partitions it is
    for."""

    rows: DataFrame
    said: Said
    partitions: int


def _compiled(
    spark: SparkSession,
    query: Query,
    streams: Streams,
    cache: str,
    *,
    checkpoint: str | Path,
    sources: Catalogue | None = None,
    lateness: Lateness | None = None,
    buckets: int | None = None,
    state_limit: int | None = None,
    fitted: bool = False,
    out: Folder | None = None,
    **options: Any,
) -> _Made:
    """Stages write to `out`, if given.  Tasks find in `cache` what others of the same machine have
    left there.  What is `fitted` has no more tasks than buckets, but for several queries: each of
    their stages may have its buckets elsewhere."""
    check(spark)
    folder, most = _folder(checkpoint), state_limit_of(state_limit)
    if buckets is not None:
        require_whole(buckets, 1, "buckets")
    named, partitions = by_iri(streams), cores(spark)
    if fitted and buckets and not several(query):
        partitions = min(partitions, buckets)
    spread = _Spread(folder, named, sources or Catalogue(), buckets, partitions, cache)
    if several(query):
        every = prepare_all(listed(query), sources=sources, **options)
        jobs, known = spread.all_jobs(every), every.queries[0].sources
    else:
        given = prepare(cast("Text", query), sources=sources, **options)
        jobs, known = (spread.job(given),), given.sources
    said = lateness if isinstance(lateness, int) else by_iri(lateness or {})
    waits = Waits(sources or known, said)
    parcels = Parcels(cache) if on_this_machine(spark) else None
    jobs = tuple(replace(job, state_limit=most, out=out, parcels=parcels) for job in jobs)
    entering = [*packs(jobs, waits, waits.limit)]
    with settings(spark):
        packed = _Compiler(spark, jobs, named, Control(folder), entering).frame()
        rows = packed if out else as_rows(packed, jobs[0].answers)
        return _Made(rows, said_of(entering), jobs[0].fingerprint.partitions)


@dataclass(frozen=True, slots=True)
class _Spread:
    """What runs: as a checkpoint has it, or anew."""

    folder: Path
    streams: Mapping[URIRef, DataFrame]
    sources: Catalogue
    buckets: int | None
    partitions: int
    cache: str

    def job(self, given: Prepared) -> Job:
        """Of one query."""
        stored = resume(self.folder, given, self.buckets)
        plan = stored.physical if stored else physical(given)
        Answers.of(plan)  # refuses names that columns of Spark cannot have
        _check_streams(given.streams, self.streams)
        refuse_unread(self.streams, given.streams, [self.sources, given.sources])
        if stored is None:
            buckets = self.buckets or self.partitions
            stored = begin(self.folder, given, plan, buckets, self.partitions)
            self._idle(given.sources, plan.sources)
        return stored.job(self.folder, self.cache)

    def all_jobs(self, given: Queries) -> tuple[Job, ...]:
        """Of several, which share buckets and streams."""
        stored = resume_all(self.folder, given, self.buckets)
        _check_streams(given.given, self.streams)
        for stream in self.streams.keys() & given.publishers.keys():
            raise StreamError(
                f"{n3(stream)} is the stream that the query {given.publishers[stream].name!r}"
                " registers",
                hint="leave it out of `streams`: its readers get what that query reports",
            )
        known = [self.sources, *(query.sources for query in given.queries)]
        refuse_unread(self.streams, given.given, known)
        if stored is None:
            buckets = self.buckets or self.partitions
            stored = begin_all(self.folder, given, buckets, self.partitions)
            for part in stored.parts:
                read = [s for s in part.physical.sources if s not in given.publishers]
                self._idle(part.query.sources, read)
        elif set(given.names) - set(stored.names):
            register_new(Control(self.folder), given.queries)
        return stored.jobs(self.folder, self.cache)

    def _idle(self, sources: Catalogue, read: Collection[URIRef]) -> None:
        for stream in sources.streams:
            if stream.idle and stream.iri in read:
                Control(self.folder).idle(stream.iri)


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


def _check_streams(read: Iterable[URIRef], streams: Mapping[URIRef, DataFrame]) -> None:
    for source in read:
        if source not in streams:
            raise StreamError(
                f"there is no DataFrame for the stream {n3(source)}",
                hint="give one in `streams`, with columns s, p, o and ts",
            )
        if not getattr(streams[source], "isStreaming", False):
            raise StreamError(
                f"what is given for the stream {n3(source)} is no streaming DataFrame",
                hint="read it with spark.readStream, or askos.spark.nquads or parquet",
            )


@dataclass(frozen=True, slots=True)
class _Compiler:
    spark: SparkSession
    jobs: Sequence[Job]
    streams: Mapping[URIRef, DataFrame]
    control: Control
    packs: Sequence[Pack]

    def frame(self) -> DataFrame:
        """What the last level of stages gives, packed; see `askos.spark.levels`."""
        first, *others = levels(self.jobs)
        buckets, given = tuple(first.places), (self.spark, self.jobs, self.streams, self.control)
        inputs = Inputs(*given, self.packs, buckets)
        rows = inputs.frame()
        for level in (replace(first, folders=inputs.folders), *others):
            rows = rows.groupBy("bucket").transformWithState(
                LevelProcessor(level.packed()), SCHEMA, "Append", "None"
            )
        return counted(rows) if any(map(by_path, self.streams.values())) else rows


# ---- running ---------------------------------------------------------------------------------


@told()
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

    `trigger` is Spark's, by default as fast as it can; `options` are those of `compile`.  A single
    query with fewer `buckets` than Spark has cores has no more tasks than these: where rows are
    few, a micro-batch with one takes less time.
    """
    every, given = _prepared(query, options)
    out = direct(spark, sink.folder) if isinstance(sink, Parquet) else None
    with new_folder() as cache:
        said = {"checkpoint": checkpoint, "out": out, "fitted": True, **options}
        answers, late, partitions = _compiled(spark, given, streams, cache, **said)
        if Control(checkpoint).ended and has_heard_end(Path(checkpoint)):
            warnings.warn(
                f"checkpoint {checkpoint} has come to its end: its answers are there, and it takes"
                " no more data",
                stacklevel=3,  # beyond `told`
            )
        if isinstance(sink, Parquet):
            logged_until = claim(spark, sink.folder, Path(checkpoint))
            keep_lateness(Path(checkpoint), late, logged_until)
        drop_unfinished(Path(checkpoint))
        writer = sink.writer(answers) if out is None else logged(answers, out, Path(checkpoint))
        writer = writer.option("checkpointLocation", located(checkpoint))
        if name:
            writer = writer.queryName(name)
        if trigger:
            writer = writer.trigger(**trigger)
        few_rows = out is not None and all(map(by_path, streams.values()))
        with settings(spark, few_rows=few_rows, partitions=partitions):
            started: StreamingQuery = writer.start()
    refresh_while_running(started, Control(Path(checkpoint)), every)
    note_while_running(started, Path(checkpoint), then=partial(remove_folder, cache))
    return started


def _prepared(query: Query, options: dict[str, Any]) -> tuple[Sequence[Prepared], Query]:
    """The queries that are to run, and as `compile` takes them; of `options` what is for them is
    taken out, but the catalogue stays."""
    said = {name: options.pop(name) for name in [*options] if name in Options.__annotations__}
    known = options.get("sources")
    if several(query):
        every = prepare_all(listed(query), sources=known, **said).queries
        return every, list(every)
    one = prepare(cast("Text", query), sources=known, **said)
    return (one,), one


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
    control = Control(checkpoint)
    with told(), stopping(started), noting(started, checkpoint), _watched(started, watch):
        drain(started)
        if not control.ended:
            control.end()
            drain(started)


@contextmanager
def stopping(query: StreamingQuery) -> Iterator[None]:
    """At the end, stop a query, if there still is a Spark that runs it."""
    try:
        yield
    finally:
        with suppress(Py4JError):
            query.stop()


def drain(query: StreamingQuery) -> None:
    """Wait until a query has read all there is; raise its error as ours where it is one."""
    with told():
        query.processAllAvailable()


def news(query: StreamingQuery, watch: Watch) -> Callable[[], None]:
    """A function that tells of the micro-batches which have finished since it was last called."""
    told = -1

    def look() -> None:
        nonlocal told
        for progress in reports(query, told):
            told = progress["batchId"]
            if progress["numInputRows"]:
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
