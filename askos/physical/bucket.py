"""A stage in one bucket: its progress, its late elements, its operators and its state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.hidden import HEADER
from askos.interval import FOREVER
from askos.physical.exchange import share
from askos.physical.fragment import Fragment
from askos.physical.jump import Jump, Jumps, Latest
from askos.physical.limits import STATE_LIMIT, too_much
from askos.physical.marks import Mark, Marks, stage_channels, stream_channels
from askos.physical.operator import Progress
from askos.physical.plan import PhysicalPlan, Stage
from askos.physical.pool import Common
from askos.physical.tables import Tables, no_tables
from askos.physical.tally import Tally
from askos.physical.timing import Timing
from askos.physical.versions import Reload, Reloaded, Reloads
from askos.sweeparea import Fetch, Saved
from askos.terms import URIRef


@dataclass(frozen=True, slots=True)
class Reported:
    """Which report instants a step has decided, `smallest` to `largest` if there are any; and that
    all others are at or after `next`."""

    next: int
    smallest: int | None = None
    largest: int | None = None

    def mark(self, stream: URIRef) -> Mark:
        """For whoever reads the reports as a stream: it has an arrival at every report instant,
        with rows or without (semantics, section 6, REGISTER STREAM)."""
        return Mark(str(stream), self.next, self.smallest, self.largest)


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """What a step gives: elements, their progress, and the elements that came too late; of the
    last stage of a query with periodic reports also which of these are decided; and from when on
    static data counts that was reloaded."""

    batch: Batch
    progress: Progress
    late: Sequence[Batch]
    reported: Reported | None = None
    reloaded: Sequence[Reloaded] = ()


def triples_of(reports: Batch) -> Batch:
    """The triples of reports, as arrivals at their instants."""
    return reports.where(reports.column(HEADER) == 0).project(TRIPLE)


def _by_stream(times: Mapping[str, int]) -> dict[URIRef, int]:
    return {URIRef(stream): time for stream, time in times.items()}


class Bucket:
    """Hosts differ in how rows and marks reach a bucket; this is what they have in common.

    A new bucket takes its share of the tables in its first step.  `streams` are the channels of
    the plan's streams: who makes many buckets of a wide plan looks for them once.  A bucket that
    keeps more than `limit` elements after a step stops the query.  Operators in `common` with other
    queries run once.
    """

    def __init__(
        self,
        plan: PhysicalPlan,
        stage: Stage,
        coder: Coder,
        tables: Tables = no_tables,
        place: int = 0,
        buckets: int = 1,
        streams: Sequence[str] | None = None,
        limit: int = STATE_LIMIT,
        common: Common | None = None,
    ) -> None:
        self._plan = plan
        timing = Timing(plan.cut, plan.grid, place, limit=limit)
        self._timing = common.pool(timing).timing if common else timing
        self._fragment = Fragment(stage, coder, self._timing, tables, buckets, common)
        streams = stream_channels(plan) if streams is None else streams
        self._marks = Marks(streams, stage_channels(stage), self._end)
        self._jumps = Jumps()
        self._reloads = Reloads()
        self._smallest: dict[str, int] | None = None
        self._progress = 0
        self._told = -1
        self._begun = False
        self._stage, self._tables = stage, tables
        self._place, self._buckets, self._limit = place, buckets, limit

    @property
    def ended(self) -> bool:
        """Whether all input has ended."""
        return self._marks.ended

    def step(
        self,
        rows: Mapping[int, Sequence[Batch]],
        marks: Iterable[Mark],
        reloads: Sequence[Reload] = (),
    ) -> Output:
        """Take the new rows per port, the new promises and what was reloaded; give what follows
        from them.

        An element is late if it would start before what has been promised: it is set aside.
        """
        self._reload(reloads)
        taken, late = {}, []
        for port, batches in rows.items():
            batch = Batch.concat(list(batches))
            bound = self._fragment.entering(port, self._marks.watermark)
            too_late = batch.where(batch.ts < bound)
            taken[port] = batch
            if len(too_late):
                late.append(too_late)
                taken[port] = batch.where(batch.ts >= bound)
        if not self._begun:
            for port, batch in self._shares():
                taken[port] = Batch.concat([batch, *([taken[port]] if port in taken else [])])
            self._begun = True
        # In one order wherever they come from: what all buckets hear they must conclude alike.
        for mark in sorted(marks, key=lambda mark: mark.time, reverse=True):
            self._marks.note(mark)
        before, watermark = self._marks.until, self._marks.advance()
        self._set_clock(before)
        batch, progress = self._fragment.step(taken, watermark)
        if self._fragment.most > self._limit:
            self._check_state()
        self._progress = max(self._progress, progress)
        return Output(batch, self._progress, late, self._reported(), self._reloads.told)

    def look_up(self, tables: Tables) -> None:
        """Go on with other tables: what arrives from now on looks these up."""
        self._tables = tables
        self._fragment.look_up(tables)

    def _check_state(self) -> None:
        """Count what is kept, and refuse too much of it."""
        fragment = self._fragment
        fragment.snapshot()
        if sum(fragment.kept) > self._limit:
            bucket = f"{self._place + 1} of {self._buckets} of stage {self._stage.number + 1}"
            raise too_much(fragment.tallies, fragment.kept, bucket, self._limit)

    @property
    def counts(self) -> list[tuple[Tally, int]]:
        """What each operator has done, and how many elements it had at the last snapshot."""
        kept = self._fragment.kept or [0] * len(self._fragment.tallies)
        return list(zip(self._fragment.tallies, kept, strict=True))

    def _reload(self, heard: Sequence[Reload]) -> None:
        """From the furthest cut on that any stage may have reached: all of them hear all streams,
        so all conclude the same."""
        following = self._reloads.note(heard, self._plan.cut(self._marks.promised))
        if following:
            self._fragment.reload([(start, version.tables) for start, version in following])

    def jumps(self, latest: Iterable[Latest]) -> list[Jump]:
        """Which streams jump with their latest rows: told by one bucket of the last stage, which
        hears of the rows of all stages."""
        return self._jumps.note(latest)

    def _set_clock(self, before: int) -> None:
        """From when on a periodic query reports; refuse more reports than anyone can mean."""
        grid, clock = self._plan.grid, self._plan.clock
        if grid is None or clock is None:
            return
        if self._marks.smallest != self._smallest:
            self._smallest = dict(self._marks.smallest)
            self._timing.first = clock.first(grid, _by_stream(self._smallest))
        first, until = self._timing.first, self._marks.until
        self._timing.until = until
        if self._marks.largest:
            grid.check_number(max(self._marks.largest.values()), until)
        if first is not None:
            grid.check_gap(max(first, before), until)

    def _reported(self) -> Reported | None:
        """All buckets conclude the same: it follows from progress and clock alone.  After the end
        of input nothing is promised, as streams promise nothing by it."""
        grid, first = self._plan.grid, self._timing.first
        if grid is None or self._stage is not self._plan.stages[-1]:
            return None
        stop = min(self._progress, self._timing.until)
        promised, last = 0 if self._marks.ended else grid.next(stop), grid.before(stop)
        if first is None or last is None or last < max(first, self._told + 1):
            return Reported(promised)
        smallest, self._told = grid.next(max(first, self._told + 1)), last
        return Reported(promised, smallest, last)

    def _end(self, largest: Mapping[str, int], promised: int) -> int:
        """The watermark at the end of input: after the last report, where there is a last one."""
        grid, clock = self._plan.grid, self._plan.clock
        if grid is None or clock is None:
            return FOREVER
        last = clock.last(grid, _by_stream(largest), promised)
        return promised if last is None else last + 1

    def _shares(self) -> Iterator[tuple[int, Batch]]:
        """What of the tables belongs here."""
        for feed in self._stage.tables:
            rows = self._tables(feed.table).rows
            if not feed.everywhere:
                rows = share(rows, self._stage.key, self._place, self._buckets)
            yield feed.port, rows

    def snapshot(self) -> Saved[Batch]:
        """Everything needed to go on elsewhere."""
        saved = self._fragment.snapshot()
        manifest = {
            "marks": self._marks.snapshot(),
            "progress": self._progress,
            "told": self._told,
            "begun": self._begun,
            "latest": self._jumps.snapshot(),
            "reloads": self._reloads.number,
            "operators": saved.manifest,
        }
        return Saved(manifest, saved.runs)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        """Go on from a snapshot."""
        self._marks.restore(manifest["marks"])
        self._progress = manifest["progress"]
        self._told = manifest["told"]
        self._begun = manifest["begun"]
        self._jumps.restore(manifest["latest"])
        self._reloads.number = manifest["reloads"]
        self._fragment.restore(manifest["operators"], fetch)
