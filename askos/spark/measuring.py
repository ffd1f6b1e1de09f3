"""What tasks and the driver note of a micro-batch while it runs; `askos.spark.profiles` reads it.

A task notes when it began and ended, and how many seconds it spent on each of its parts: a pair of
looks at the clock for each part and operator, and none for a row.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from time import perf_counter, time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from py4j.protocol import Py4JError
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from askos.spark.progress import reported
from askos.spark.records import FOLDER, Record, append, last
from askos.spark.uneven import Uneven

if TYPE_CHECKING:
    from askos.physical.skew import Keys
    from askos.physical.tally import Tally

_BATCH: Final = "streaming.sql.batchId"
_WAIT: Final = 1.0  # seconds between two looks of the driver
LOG: Final = logging.getLogger("askos.spark")

T = TypeVar("T")
R = TypeVar("R")


def current_batch() -> int | None:
    """The micro-batch that this task belongs to; None where there is no Spark."""
    context = TaskContext.get()
    number = context.getLocalProperty(_BATCH) if context is not None else None
    return None if number is None else int(number)


def partition() -> int:
    """Which of the tasks of its kind this one is."""
    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


def tasks() -> int | None:
    """The number of the tasks that this one runs beside: no others of its driver have it, also not
    in another micro-batch.  None where there is no Spark."""
    context = TaskContext.get()
    return None if context is None else context.stageId() + 1


class Stopwatch:
    """When a task began, and the seconds of its parts, one after the other."""

    def __init__(self) -> None:
        self._began, self._last = time(), perf_counter()
        self.parts: dict[str, float] = {}

    def lap(self, part: str) -> None:
        """What was done since the last call was this part."""
        now = perf_counter()
        self.parts[part] = self.parts.get(part, 0.0) + now - self._last
        self._last = now

    def skip(self) -> None:
        """What was done since the last call was no part of it."""
        self._last = perf_counter()

    def record(self, batch: int) -> Record:
        """What is noted of it."""
        parts = {part: round(seconds, 6) for part, seconds in self.parts.items()}
        return {"batch": batch, "began": self._began, "ended": time(), "parts": parts}


# ---- tasks -----------------------------------------------------------------------------------


def packing(
    folder: str, function: Callable[[Iterable[T]], Iterator[R]], batches: Iterable[T]
) -> Iterator[R]:
    """`function` of batches; how long it waited for them, and worked, is noted in `folder`."""
    watch = Stopwatch()

    def given() -> Iterator[T]:
        watch.lap("packing")
        for batch in batches:
            watch.lap("source")
            yield batch
            watch.lap("packing")
        watch.lap("source")

    for packed in function(given()):
        watch.lap("packing")
        yield packed
        watch.lap("sending")
    watch.lap("packing")
    number = current_batch()
    if number is not None:
        append(Path(folder) / f"pack-{partition()}.jsonl", watch.record(number))


def note_stage(
    folder: str,
    stage: int,
    place: int,
    watch: Stopwatch,
    counts: Sequence[tuple[Tally, int]],
    keys: Keys,
) -> None:
    """What a bucket of a stage did in this micro-batch, and what all before it did."""
    done = {
        str(number): [
            tally.rows_in,
            tally.rows_out,
            kept,
            round(tally.seconds, 6),
            tally.switches,
        ]
        for number, (tally, kept) in enumerate((tally.take(), kept) for tally, kept in counts)
        if tally.seconds or kept
    }
    number = current_batch()
    if number is None:
        return
    file = Path(folder) / f"stage-{stage}-{place}.jsonl"
    before = _before(last(file), number)
    noted = {"operators": done, "before": before, **asdict(keys)}
    append(file, {**watch.record(number), **noted})


def _before(noted: Record | None, batch: int) -> dict[str, list[float]]:
    """Elements in and out, seconds and switches of each operator, in all micro-batches before this
    one: if that was noted once already, it is being run again."""
    if noted is None:
        return {}
    before: dict[str, list[float]] = noted["before"]
    if noted["batch"] >= batch:
        return before
    sums = dict(before)
    for number, (rows_in, rows_out, _, seconds, *more) in noted["operators"].items():
        old = [*sums.get(number, [0, 0, 0.0]), 0]  # older versions noted no switches
        new = (rows_in, rows_out, seconds, sum(more))
        sums[number] = [round(a + b, 6) for a, b in zip(old, new, strict=False)]
    return sums


# ---- the driver ------------------------------------------------------------------------------


def reports(query: StreamingQuery, seen: int) -> list[Any]:
    """What Spark reports of the micro-batches after that one, the oldest first.

    It keeps the last hundred reports; only those that are new are fetched from the JVM.
    """
    kept, found = query._jsq.recentProgress(), list[Any]()
    for place in reversed(range(len(kept))):
        if kept[place].batchId() <= seen:
            break
        found.append(json.loads(kept[place].json()))
    return found[::-1]


def note_reports(query: StreamingQuery, checkpoint: Path) -> None:
    """Note what is new in Spark's reports."""
    file = checkpoint / FOLDER / "spark.jsonl"
    with suppress(Py4JError, ConnectionError):
        for report in reports(query, (last(file) or {"batch": -1})["batch"]):
            if report["numInputRows"]:
                append(file, reported(report))


@contextmanager
def noting(query: StreamingQuery, checkpoint: str | Path) -> Iterator[None]:
    """At the end, note what Spark has reported by then: its reports end with the query."""
    try:
        yield
    finally:
        note_reports(query, Path(checkpoint))


def is_active(query: StreamingQuery) -> bool:
    """Whether it runs, and so does Spark."""
    try:
        return query.isActive
    except (Py4JError, ConnectionError):
        return False


def is_running(spark: SparkSession, checkpoint: Path) -> bool:
    """Whether a query of this Spark writes to a checkpoint."""
    with suppress(OSError, ValueError, KeyError):
        name = json.loads((checkpoint / "metadata").read_text("utf-8"))["id"]
        return any(query.id == name for query in spark.streams.active)
    return False


def note_while_running(query: StreamingQuery, checkpoint: Path, then: Callable[[], None]) -> None:
    """Note what Spark reports, and log what is uneven, in a thread that ends with the query: who
    has stopped it may remove the folder.  The last that it does is `then`."""

    def work() -> None:
        uneven = Uneven(checkpoint / FOLDER)
        threading.Event().wait(_WAIT)
        try:
            while is_active(query):
                note_reports(query, checkpoint)
                for told in uneven.news():
                    LOG.warning(told)
                threading.Event().wait(_WAIT)
        finally:
            then()

    threading.Thread(target=work, daemon=True, name="askos-profile").start()
