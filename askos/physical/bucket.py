"""A stage in one bucket: its progress, its late elements, its operators and its state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.interval import FOREVER
from askos.physical.exchange import split
from askos.physical.fragment import Fragment
from askos.physical.operator import Progress
from askos.physical.plan import PhysicalPlan, Stage
from askos.sweeparea import Fetch, Saved

IDLE: Final = -1
"""The mark of a source that is left out until it speaks again."""

END: Final = "end of input"
"""The channel on which the end of all input is told: kept apart from what streams promise."""

Tables: TypeAlias = Callable[[int], Batch]
"""The rows of a plan's tables, by number: what reads no stream, evaluated once."""


def _no_tables(number: int) -> Batch:
    raise TypeError(f"there is no table {number}")


def stage_channel(number: int) -> str:
    """The channel on which a stage tells its progress."""
    return f"stage {number}"


def stream_channels(plan: PhysicalPlan) -> tuple[str, ...]:
    """On which the streams tell their progress: to every stage all of them, also those that feed
    other stages only, for where its own are idle, they tell the time."""
    return tuple(str(source) for source in plan.sources)


def stage_channels(stage: Stage) -> tuple[str, ...]:
    """On which the stages before a stage tell theirs."""
    return tuple(stage_channel(number) for number, _ in stage.upstream)


@dataclass(frozen=True, slots=True)
class Mark:
    """A channel's promise: what it still sends arrived at `time` or later.  IDLE: nothing
    waits for it, whatever else it says at the same moment; FOREVER: it has ended."""

    channel: str
    time: int


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """What a step gives: elements, their progress, and the elements that came too late."""

    batch: Batch
    progress: Progress
    late: Sequence[Batch]


class Marks:
    """The promises of all channels; the watermark is the least of them, and never falls.

    After the end of input streams are not waited for, but the stages before this one are.
    """

    def __init__(self, streams: Iterable[str], stages: Iterable[str] = ()) -> None:
        self._stages = tuple(stages)
        self._times = dict.fromkeys([*streams, *self._stages], 0)
        self._idle: set[str] = set()
        self._ended = False
        self.watermark = 0

    def note(self, mark: Mark) -> None:
        """Hear a promise; one that says less than an earlier one is no news."""
        if mark.channel == END:
            self._ended = True
            return
        if mark.time == IDLE:
            self._idle.add(mark.channel)
            return
        self._idle.discard(mark.channel)
        self._times[mark.channel] = max(self._times[mark.channel], mark.time)

    def advance(self) -> int:
        """The watermark, after all news."""
        names = self._stages if self._ended else self._times.keys() - self._idle
        least = min((self._times[name] for name in names), default=FOREVER if self._ended else 0)
        self.watermark = max(self.watermark, least)
        return self.watermark

    def snapshot(self) -> Any:
        """As plain data."""
        return {
            "times": dict(self._times),
            "idle": sorted(self._idle),
            "ended": self._ended,
            "watermark": self.watermark,
        }

    def restore(self, manifest: Any) -> None:
        """Continue from a snapshot."""
        self._times = dict(manifest["times"])
        self._idle = set(manifest["idle"])
        self._ended = manifest["ended"]
        self.watermark = manifest["watermark"]


class Bucket:
    """Hosts differ in how rows and marks reach a bucket; this is what they have in common.

    A new bucket takes its share of the tables in its first step.
    """

    def __init__(
        self,
        plan: PhysicalPlan,
        stage: Stage,
        coder: Coder,
        tables: Tables = _no_tables,
        place: int = 0,
        buckets: int = 1,
    ) -> None:
        self._fragment = Fragment(stage, coder, plan.cut)
        self._marks = Marks(stream_channels(plan), stage_channels(stage))
        self._progress = 0
        self._begun = False
        self._stage, self._tables = stage, tables
        self._place, self._buckets = place, buckets

    @property
    def ended(self) -> bool:
        """Whether all input has ended."""
        return self._marks.watermark == FOREVER

    def step(self, rows: Mapping[int, Sequence[Batch]], marks: Iterable[Mark]) -> Output:
        """Take the new rows per port and the new promises; give what follows from them.

        An element is late if it would start before what has been promised: it is set aside.
        """
        taken, late = {}, []
        for port, batches in rows.items():
            batch = Batch.concat(list(batches))
            bound = self._fragment.entering(port, self._marks.watermark)
            on_time = batch.ts >= bound
            taken[port] = batch.where(on_time)
            if not on_time.all():
                late.append(batch.take(np.flatnonzero(~on_time)))
        if not self._begun:
            for port, batch in self._shares():
                taken[port] = Batch.concat([batch, *([taken[port]] if port in taken else [])])
            self._begun = True
        # In one order wherever they come from: what all buckets hear they must conclude alike.
        for mark in sorted(marks, key=lambda mark: mark.time, reverse=True):
            self._marks.note(mark)
        batch, progress = self._fragment.step(taken, self._marks.advance())
        self._progress = max(self._progress, progress)
        return Output(batch, self._progress, late)

    def _shares(self) -> Iterator[tuple[int, Batch]]:
        """What of the tables belongs here."""
        for feed in self._stage.tables:
            table = self._tables(feed.table)
            if feed.everywhere:
                yield feed.port, table
            else:
                parts = split(table, self._stage.key, self._buckets)
                yield from ((feed.port, part) for place, part in parts if place == self._place)

    def snapshot(self) -> Saved[Batch]:
        """Everything needed to go on elsewhere."""
        saved = self._fragment.snapshot()
        manifest = {
            "marks": self._marks.snapshot(),
            "progress": self._progress,
            "begun": self._begun,
            "operators": saved.manifest,
        }
        return Saved(manifest, saved.runs)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        """Go on from a snapshot."""
        self._marks.restore(manifest["marks"])
        self._progress = manifest["progress"]
        self._begun = manifest["begun"]
        self._fragment.restore(manifest["operators"], fetch)
