"""askos run --host spark: the query on an embedded Spark."""

from __future__ import annotations

import json
import logging
import tempfile
import warnings
from argparse import Namespace
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askos.cli.streams import LINES, Place, Streams
from askos.cli.tabled import forget, tabled, tabulate
from askos.cli.telling import Live, lost, told_warnings, warn
from askos.cli.watching import ANSWERS, Watch
from askos.errors import QueryError, StreamError
from askos.interval import FOREVER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from askos.algebra import Answer
    from askos.prepared import Prepared
    from askos.queries import Queries
    from askos.terms import URIRef

_INPUT: Final = "input.json"  # beside what a checkpoint holds, the command's own part


def answers(queries: Queries, streams: Streams, arguments: Namespace) -> Generator[tuple[str, Any]]:
    """All answers of the checkpoint, those of earlier runs included, with the names of their
    queries: elements at the end, reports as they are committed."""
    from askos.algebra import Intervals

    types = {iri: [_type(place) for place in places] for iri, places in streams.items()}
    live = Live(quiet=arguments.quiet)
    with _folder(arguments.checkpoint) as folder, told_warnings(live):
        _check(folder, queries, streams, arguments)
        refused = [n for iri in queries.given for p in streams[iri] for n in tabulate(folder, p)]
        live.say("starting Spark …")
        with session(folder) as spark:
            from askos.spark import elements

            runs = _running(queries)
            watch = Watch(live, folder, _waits(streams, arguments))
            frames = {
                iri: _union(spark, folder, zip(streams[iri], types[iri], strict=True))
                for iri in queries.given
            }
            intervals = [q for q in queries.queries if isinstance(q.report, Intervals)]
            if len(intervals) == len(queries.queries):
                _run(spark, _given(queries), frames, folder, arguments, watch)
            else:
                yield from _reports(spark, queries, frames, folder, arguments, watch)
            for query in runs:
                _tell_lost(spark, folder, query, _name(queries, query))
            lost("refused", refused)
            for query in intervals:
                name = _name(queries, query)
                for element in elements(spark, folder / ANSWERS, query, name=name):
                    yield query.name or "", element


def _given(queries: Queries) -> Any:
    """What the host takes: one query by itself, or several."""
    return list(queries.queries) if len(queries.queries) > 1 else queries.queries[0]


def _running(queries: Queries) -> Sequence[Prepared]:
    """What runs for them: one for those that differ in constants only."""
    from askos.spark.several import kinds_of, running

    return running(queries, kinds_of(queries)).queries


def _name(queries: Queries, query: Prepared) -> str | None:
    """By which the sink knows a query, if it is one of several."""
    return query.name if len(queries.queries) > 1 else None


@contextmanager
def _folder(checkpoint: Path | None) -> Iterator[Path]:
    """Where state, answers and Spark's log are; removed at the end if nobody asked for it."""
    if checkpoint is not None:
        checkpoint.mkdir(parents=True, exist_ok=True)
        yield checkpoint
        return
    with tempfile.TemporaryDirectory(prefix="askos-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


# ---- before Spark starts ---------------------------------------------------------------------


def _check(folder: Path, queries: Queries, streams: Streams, arguments: Namespace) -> None:
    """Refuse what cannot run, or cannot go on."""
    from askos.planning import physical
    from askos.spark.checkpoint import has_run, resume
    from askos.spark.files import write_whole
    from askos.spark.several import resume_all
    from askos.static.graphs import load_graphs

    for query in [] if has_run(folder) else _running(queries):
        physical(query)
    given = {str(iri): [str(p.path.absolute()) for p in streams[iri]] for iri in queries.given}
    mine: dict[str, Any] = {"stamp": arguments.stamp, "streams": given}
    if maps := {str(iri): repr(p.map) for iri in queries.given for p in streams[iri] if p.map}:
        mine["maps"] = maps
    file = folder / _INPUT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the host says it when it goes on
        alone = len(queries.queries) == 1
        stored = (
            resume(folder, queries.queries[0], None) if alone else resume_all(folder, queries, None)
        )
    if stored is None:
        for query in queries.queries:
            load_graphs(query)
        forget(folder)
        write_whole(file, json.dumps(mine, indent=1) + "\n")
    elif _stored_input(file) != mine:
        hint = f"{file} says which, if it is there; or start with an empty checkpoint"
        raise QueryError(f"checkpoint {folder} was made with other files, or stamps", hint=hint)


def _stored_input(file: Path) -> Any:
    """What the command was first given; None if that cannot be read."""
    with suppress(OSError, ValueError, RecursionError):
        return json.loads(file.read_text("utf-8"))
    return None


def _type(place: Place) -> str:
    """Spark's type of the column ts: one for all Parquet files of a folder."""
    kinds = sorted({_spark_type(file, kind) for file, kind in place.times().items()})
    if len(kinds) > 1:
        message = f"{place.path}: ts is {kinds[0]} in one file, {kinds[1]} in another"
        raise StreamError(message, hint="Spark reads a folder of Parquet with one type of ts")
    return kinds[0] if kinds else "bigint"


def _spark_type(file: Path, kind: Any) -> str:
    import pyarrow as pa

    if kind is None or not pa.types.is_timestamp(kind):
        return "bigint"
    if kind.unit == "ns":
        hint = "write it with microseconds, or use --host local"
        raise StreamError(f"{file}: ts has nanoseconds, which Spark does not read", hint=hint)
    return "timestamp" if kind.tz else "timestamp_ntz"


# ---- on Spark --------------------------------------------------------------------------------


@contextmanager
def session(folder: Path) -> Iterator[SparkSession]:
    """The session of this process, if there is one; else a new one, which is stopped afterwards."""
    from pyspark.sql import SparkSession

    from askos.spark import session as new

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    # On Ctrl-C it would log, with a traceback, that its call of the JVM broke off.
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger().addFilter(_is_no_call_of_java)
    made = new(log=folder / "spark.log")
    try:
        yield made
    finally:
        made.stop()


def _is_no_call_of_java(record: logging.LogRecord) -> bool:
    """Whether a record is not of py4j's, some of which have no logger of their own."""
    return record.module != "java_gateway"


def _union(spark: SparkSession, folder: Path, places: Any) -> DataFrame:
    from askos.spark.sources import together

    return together([frame for place, ts in places for frame in _frames(spark, folder, place, ts)])


def _frames(spark: SparkSession, checkpoint: Path, place: Place, ts: str) -> Iterator[DataFrame]:
    """A reader for each kind of file; of a folder both, since files may come before a restart."""
    from askos.spark import nquads, parquet

    folder = place.path.is_dir()
    stamp: Any = place.stamp
    most: dict[str, Any] = {} if place.most is None else {"files_per_trigger": place.most}
    if folder or place.lines:
        kinds = ",".join(kind.removeprefix(".") for kind in LINES[place.stamp])
        chosen = f"*.{{{kinds}}}" if folder else None
        yield nquads(spark, place.path, stamp=stamp, files=chosen, **most)
    if folder or place.parquet:
        chosen = "*.parquet" if folder else None
        own: dict[str, Any] = {"ts": ts, "sequence": place.numbered}
        yield parquet(spark, place.path, stamp=stamp, files=chosen, **own, **most)
    if place.csv:
        yield parquet(spark, tabled(checkpoint, place), files="*.parquet", **most)


def _options(arguments: Namespace) -> dict[str, Any]:
    """Who says nothing of lateness may have rows in any order: all of them wait for the end."""
    lateness = FOREVER if arguments.lateness is None else int(arguments.lateness)
    return {"lateness": lateness, "state_limit": arguments.state_limit}


def _run(
    spark: SparkSession,
    query: Any,
    frames: Any,
    folder: Path,
    arguments: Namespace,
    watch: Watch,
) -> None:
    from askos.spark import Parquet, run

    sink, options = Parquet(folder / ANSWERS), _options(arguments)
    watch.live.say("reading …")
    try:
        run(spark, query, frames, sink, folder, watch=watch, **options)
    finally:
        watch.live.clear()


def _reports(
    spark: SparkSession,
    queries: Queries,
    frames: Any,
    folder: Path,
    arguments: Namespace,
    watch: Watch,
) -> Iterator[tuple[str, Answer]]:
    """Whoever prints a report finds the terminal clean."""
    from askos.spark import follow

    sink, options = folder / ANSWERS, _options(arguments)
    watch.live.say("reading …")
    try:
        given = _given(queries)
        told = follow(spark, given, frames, sink, folder, watch=watch, **options)
        for report in told:
            watch.live.clear()
            name, answer = report if isinstance(given, list) else (queries.names[0], report)
            if name in queries.names:  # others may have joined them
                yield name, answer
    finally:
        watch.live.clear()


def _waits(streams: Streams, arguments: Namespace) -> Mapping[URIRef, list[str]] | None:
    """Where Spark finds each stream, as it says it; None where all wait for the end of input."""
    from askos.spark.sources import located

    if arguments.lateness is None:
        return None
    return {iri: [located(place.path) for place in places] for iri, places in streams.items()}


def _tell_lost(spark: SparkSession, folder: Path, query: Prepared, name: str | None) -> None:
    from askos.spark.answers import LATE_ROWS, REFUSED_ROWS, RELOADS, REMARKS
    from askos.spark.reading import rows

    said = {LATE_ROWS: "late: give a larger --lateness, or none", REFUSED_ROWS: "refused"}
    for output, what in said.items():
        found = rows(spark, folder / ANSWERS, query, f"output = '{output}'", name=name)
        lost(what, sorted(row["note"] for row in found))
    odd = f"output IN ('{REMARKS}', '{RELOADS}')"
    for row in rows(spark, folder / ANSWERS, query, odd, "note", name):
        warn(row["note"])
