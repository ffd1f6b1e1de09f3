"""Reports whose rows have an order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from askos.algebra import Kind
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.hidden import PLACE, numbers
from askos.columns.ids import Ids
from askos.physical.nodes import Reporting
from askos.physical.operator import Operator, Progress, combine
from askos.physical.reporting import due_instants, headers
from askos.physical.snapshot import Evaluator, World
from askos.physical.timing import Timing
from askos.sweeparea import Fetch, ReleaseHeap, Saved


class OrderedReportOperator(Operator):
    """A report of a query with ORDER BY: each row with its place among those of its report.

    By the law, as `SnapshotOperator`: at each instant the ordered sequence of the snapshot; for
    ISTREAM and DSTREAM less what was, or is, in the other one.

    State: elements that start after the last instant told, and those that end after it.
    """

    rests = False

    def __init__(self, plan: Reporting, coder: Coder, timing: Timing) -> None:
        assert plan.ordered is not None
        self._report, self._timing = plan.report, timing
        self._columns = plan.columns
        self._evaluator = Evaluator(plan.ordered, len(plan.below), coder)
        self._told = -1
        self._starts = [ReleaseHeap[Batch](lambda batch: batch.ts) for _ in plan.below]
        self._ends = [ReleaseHeap[Batch](lambda batch: batch.te) for _ in plan.below]
        self._before: Batch | None = None

    def process(self, port: int, batch: Batch) -> Batch:
        self._starts[port].insert(batch)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        due = due_instants(self._report, self._timing, self._told, watermark)
        last = watermark - 1 if due is None else int(due.max(initial=-1))
        if last <= self._told:
            return Batch.empty(), watermark
        inputs = [self._valid(port, last) for port in range(len(self._starts))]
        world = self._evaluator.world(inputs)
        if self._before is None:
            self._before = self._sequence(world, self._told) if self._told >= 0 else Batch.empty()
        told = [
            self._tell(world, time, on_change=due is None)
            for time in (self._changes(inputs, last) if due is None else due).tolist()
        ]
        self._told = last
        for ends in self._ends:
            ends.extract(last + 1)
        return Batch.concat([part for parts in told for part in parts]), watermark

    def _valid(self, port: int, last: int) -> Batch:
        started = Batch.concat(self._starts[port].extract(last + 1))
        self._ends[port].insert(started)
        return Batch.concat(list(self._ends[port]))

    def _changes(self, inputs: Sequence[Batch], last: int) -> Ids:
        times = np.unique(np.concatenate([column for e in inputs for column in (e.ts, e.te)]))
        first = [0] if self._told < 0 else []  # a group without keys is there from the start
        return np.unique(np.append(first, times[(times > self._told) & (times <= last)])).astype(
            np.int64
        )

    def _sequence(self, world: World, time: int) -> Batch:
        rows = self._evaluator.at(world, time).project(self._columns)
        return rows.with_columns({**rows.columns, PLACE: numbers(np.arange(len(rows)))})

    def _tell(self, world: World, time: int, *, on_change: bool) -> list[Batch]:
        """The rows of one report, and its header."""
        before, now = self._before, self._sequence(world, time)
        assert before is not None
        self._before = now
        fewer, more = self._less(before, now), self._less(now, before)
        if on_change and not len(fewer) and not len(more):
            return []
        rows = {Kind.RSTREAM: now, Kind.ISTREAM: more, Kind.DSTREAM: fewer}[self._report.kind]
        at = np.full(len(rows), time)
        told = None if on_change and self._report.kind is not Kind.RSTREAM else np.array([time])
        return [rows.with_interval(at, at + 1), headers(self._report, self._timing, told)]

    def _less(self, rows: Batch, others: Batch) -> Batch:
        """The bag difference, in the order of `rows`."""
        remaining = Counter(self._keys(others))
        kept = []
        for place, key in enumerate(self._keys(rows)):
            if remaining[key] > 0:
                remaining[key] -= 1
            else:
                kept.append(place)
        return rows.take(np.array(kept, np.int64))

    def _keys(self, batch: Batch) -> list[tuple[int, ...]]:
        if not self._columns:
            return [()] * len(batch)
        return list(zip(*(batch.column(v).tolist() for v in self._columns), strict=True))

    def snapshot(self) -> Saved[Batch]:
        parts = {f"starts {n}": heap.snapshot() for n, heap in enumerate(self._starts)}
        parts |= {f"ends {n}": heap.snapshot() for n, heap in enumerate(self._ends)}
        return combine(parts, told=self._told)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        for number, (starts, ends) in enumerate(zip(self._starts, self._ends, strict=True)):
            starts.restore(manifest[f"starts {number}"], fetch)
            ends.restore(manifest[f"ends {number}"], fetch)
        self._told = manifest["told"]
        self._before = None
