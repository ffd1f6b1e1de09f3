"""askos run --host spark: the query on an embedded Spark."""

from __future__ import annotations

import json
import tempfile
import warnings
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from askos.cli.streams import LINES, Place, Streams
from askos.cli.telling import Live, lost, warn
from askos.errors import QueryError, StreamError
from askos.interval import FOREVER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from askos.io.results import Row
    from askos.prepared import Prepared

_INPUT: Final = "input.json"  # beside what a checkpoint holds, the command's own part
_ANSWERS: Final = "answers"


def answers(query: Prepared, streams: Streams, arguments: Namespace) -> Iterator[Row]:
    """All answers that the checkpoint has at the end, those of earlier runs included."""
    types = {iri: [_type(place) for place in places] for iri, places in streams.items()}
    live = Live(quiet=arguments.quiet)
    with _folder(arguments.checkpoint) as folder, _told_warnings(live):
        ended = _check(folder, query, streams, arguments)
        live.say("starting Spark …")
        with _session(folder) as spark:
            from askos.spark import elements

            frames = {
                iri: _union(spark, zip(streams[iri], types[iri], strict=True))
                for iri in query.streams
            }
            _run(spark, query, frames, folder, arguments, live)
            if ended:
                warn(f"{arguments.checkpoint} had come to its end before: these are its answers")
            _tell_lost(spark, folder, query)
            for element in elements(spark, folder / _ANSWERS, query):
                yield element.item, element.interval


@contextmanager
def _folder(checkpoint: Path | None) -> Iterator[Path]:
    """Where state, answers and Spark's log are; removed at the end if nobody asked for it."""
    if checkpoint is not None:
        checkpoint.mkdir(parents=True, exist_ok=True)
        yield checkpoint
        return
    with tempfile.TemporaryDirectory(prefix="askos-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@contextmanager
def _told_warnings(live: Live) -> Iterator[None]:
    """What the host warns of, as this command warns."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        live.clear()
        warn(str(message))

    with warnings.catch_warnings():
        warnings.showwarning = show
        yield


# ---- before Spark starts ---------------------------------------------------------------------


def _check(folder: Path, query: Prepared, streams: Streams, arguments: Namespace) -> bool:
    """Refuse what cannot run, or cannot go on; whether the checkpoint has come to its end."""
    from askos.physical import build
    from askos.physical.stages import check_report
    from askos.spark.checkpoint import resume
    from askos.spark.control import Control
    from askos.static.graphs import load_graphs

    build(query.plan, check_report(query.report), query.columns)
    given = {str(iri): [str(p.path.absolute()) for p in streams[iri]] for iri in query.streams}
    mine = {"stamp": arguments.stamp, "streams": given}
    file = folder / _INPUT
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the host says it when it goes on
        stored = resume(folder, query, None)
    if stored is None:
        load_graphs(query)
        file.write_text(json.dumps(mine, indent=1) + "\n", encoding="utf-8")
        return False
    if not file.exists() or json.loads(file.read_text("utf-8")) != mine:
        hint = f"{file} says which, if it is there; or start with an empty checkpoint"
        raise QueryError(f"checkpoint {folder} was made with other files, or stamps", hint=hint)
    return Control(folder).ended


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
def _session(folder: Path) -> Iterator[SparkSession]:
    """The session of this process, if there is one; else one that is stopped afterwards."""
    from pyspark.sql import SparkSession

    from askos.spark import session

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    made = session(log=folder / "spark.log")
    try:
        yield made
    finally:
        made.stop()


def _union(spark: SparkSession, places: Any) -> DataFrame:
    from askos.spark.sources import triples

    frames = (triples(frame) for place, ts in places for frame in _frames(spark, place, ts))
    return reduce(lambda left, right: left.union(right), frames)


def _frames(spark: SparkSession, place: Place, ts: str) -> Iterator[DataFrame]:
    """A reader for each kind of file; of a folder both, since files may come before a restart."""
    from askos.spark import nquads, parquet

    folder = place.path.is_dir()
    stamp: Any = place.stamp
    if folder or place.lines:
        kinds = ",".join(kind.removeprefix(".") for kind in LINES[place.stamp])
        yield nquads(spark, place.path, stamp=stamp, files=f"*.{{{kinds}}}" if folder else None)
    if folder or place.parquet:
        chosen = "*.parquet" if folder else None
        yield parquet(spark, place.path, stamp=stamp, files=chosen, ts=ts)


def _run(
    spark: SparkSession,
    query: Prepared,
    frames: Any,
    folder: Path,
    arguments: Namespace,
    live: Live,
) -> None:
    from askos.spark import Parquet, run

    sink = Parquet(folder / _ANSWERS)
    # Who says nothing of lateness may have rows in any order: all of them wait for the end.
    lateness = FOREVER if arguments.lateness is None else arguments.lateness
    watch = _Watch(live, folder, query)
    live.say("reading …")
    try:
        run(spark, query, frames, sink, folder, watch=watch, lateness=lateness)
    finally:
        live.clear()


class _Watch:
    """Says of each micro-batch what has been read and answered so far."""

    def __init__(self, live: Live, folder: Path, query: Prepared) -> None:
        from askos.physical import build

        self._live, self._folder = live, folder / _ANSWERS / "output=result"
        # Every stage reads every stream, and Spark counts that.
        self._stages = len(build(query.plan, query.report, query.columns).stages)
        self._rows = self._batches = 0
        self._answers: dict[Path, int] = {}

    def __call__(self, progress: Mapping[str, Any]) -> None:
        data = (s for s in progress["sources"] if not s["description"].endswith("/control]"))
        self._rows += sum(source["numInputRows"] for source in data) // self._stages
        self._batches += 1
        for file in set(self._folder.glob("*.parquet")) - self._answers.keys():
            self._count(file)
        counts = f"rows: {self._rows:,}  micro-batches: {self._batches}"
        self._live.say(f"{counts}  answers: {sum(self._answers.values()):,}")

    def _count(self, file: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with suppress(pa.ArrowException, OSError):  # half written: the next time
            self._answers[file] = pq.read_metadata(file).num_rows


def _tell_lost(spark: SparkSession, folder: Path, query: Prepared) -> None:
    from askos.spark.answers import LATE_ROWS, REFUSED_ROWS
    from askos.spark.reading import rows

    said = {LATE_ROWS: "late: give a larger --lateness, or none", REFUSED_ROWS: "refused"}
    for output, what in said.items():
        found = rows(spark, folder / _ANSWERS, query.columns, f"output = '{output}'")
        lost(what, sorted(row["note"] for row in found))
