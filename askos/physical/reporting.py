"""Reports: from elements with intervals to rows at instants."""

from __future__ import annotations

from typing import Any

import numpy as np

from askos.algebra import Kind, OnChange, Periodic
from askos.columns.batch import Batch
from askos.columns.dictionary import Dictionary
from askos.columns.factorize import factorize
from askos.columns.grid import instants
from askos.columns.hidden import HEADER, flags
from askos.columns.ids import Ids
from askos.physical.nodes import Reporting
from askos.physical.operator import Operator, Progress, combine
from askos.physical.timing import Timing
from askos.sweeparea import Fetch, ReleaseHeap, Saved


class ReportOperator(Operator):
    """RSTREAM, ISTREAM and DSTREAM, periodically or on change; semantics, section 6, after the
    relation-to-stream operators of CQL.

    A row is an element that is valid at its report instant alone.  A header, one for every
    report that is told without rows too, is a row that says nothing else; one bucket gives it.

    Differences are between a report instant and the one before: an element counts at the first
    instant that sees it, and off at the first that does not; what cancels out at an instant,
    pieces of one validity for instance, is not told.

    State: elements that start after the last instant told, and those that end after it.
    """

    rests = False

    def __init__(self, plan: Reporting, timing: Timing) -> None:
        self._columns = self._kept = plan.columns
        self._report = plan.report
        self._timing = timing
        self._told = -1
        self._starts = ReleaseHeap[Batch](lambda batch: batch.ts)
        self._ends = ReleaseHeap[Batch](lambda batch: batch.te)

    def process(self, port: int, batch: Batch) -> Batch:
        self._starts.insert(batch.project(self._kept))
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        due = due_instants(self._report, self._timing, self._told, watermark)
        last = watermark - 1 if due is None else int(due[-1]) if len(due) else -1
        if last <= self._told:
            return Batch.empty(), watermark
        started = Batch.concat(self._starts.extract(last + 1))
        self._ends.insert(started)
        valid = Batch.concat(list(self._ends)) if self._sees_all else Batch.empty()
        before, self._told = self._told, last
        whole = self._report.kind is Kind.RSTREAM
        if whole and due is not None:
            assert isinstance(self._report, Periodic)
            self._ends.extract(self._report.next(last + 1) + 1)  # what the next one does not see
            return self._with_headers(self._snapshots(valid, due), due), watermark
        ended = Batch.concat(self._ends.extract(last + 1))
        changed = Changes.of(started.project(self._columns), ended.project(self._columns), due)
        if whole:
            instants = changed.instants
            return self._with_headers(self._snapshots(valid, instants), instants), watermark
        when = changed.instants
        seen = when - 1 if due is None else np.append(before, due)[np.searchsorted(due, when)]
        return self._with_headers(self._differences(valid, changed, seen), due), watermark

    @property
    def _sees_all(self) -> bool:
        """Whether all that is valid is looked at, not only what changes."""
        return self._report.kind is Kind.RSTREAM

    def _with_headers(self, rows: Batch, instants: Ids | None) -> Batch:
        return Batch.concat([rows, headers(self._report, self._timing, instants)])

    def _snapshots(self, valid: Batch, instants: Ids) -> Batch:
        return at_instants(valid, instants)

    def _differences(self, valid: Batch, changed: Changes, before: Ids) -> Batch:
        """What is told of changes; for each instant of a change, `before` is the one that it is
        compared with."""
        return changed.rows(1 if self._report.kind is Kind.ISTREAM else -1)

    def snapshot(self) -> Saved[Batch]:
        parts = {"starts": self._starts.snapshot(), "ends": self._ends.snapshot()}
        return combine(parts, told=self._told)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._starts.restore(manifest["starts"], fetch)
        self._ends.restore(manifest["ends"], fetch)
        self._told = manifest["told"]


def due_instants(report: Periodic | OnChange, timing: Timing, told: int, before: int) -> Ids | None:
    """The report instants after the last one `told` that are decided; None on change, when the
    elements say."""
    if isinstance(report, OnChange):
        return None
    if timing.first is None:
        return np.empty(0, np.int64)
    return instants(max(timing.first, told + 1), min(before, timing.until), report)


def headers(report: Periodic | OnChange, timing: Timing, instants: Ids | None) -> Batch:
    """The headers of reports; on change only RSTREAM has some: the others are told where they
    have rows."""
    if instants is None or report.nonempty or timing.place:
        return Batch.empty()
    return Batch({HEADER: flags(len(instants))}, instants, instants + 1, Dictionary())


class Changes:
    """By how many copies of each row the snapshot differs from the one before, at instants."""

    def __init__(self, rows: Batch, difference: Ids) -> None:
        self._rows = rows
        self._difference = difference

    @classmethod
    def of(cls, started: Batch, ended: Batch, due: Ids | None) -> Changes:
        """The net of starts and ends; seen at the next instant that is `due`, or at once."""
        at = np.concatenate([started.ts, ended.te])
        if due is not None:
            at = due[np.searchsorted(due, at)]
        rows = Batch.concat([started, ended])
        signs = np.repeat([1, -1], [len(started), len(ended)])
        codes, example = factorize([*rows.columns.values(), at], len(rows))
        net = np.zeros(len(example), np.int64)
        np.add.at(net, codes, signs)
        changed = np.flatnonzero(net)
        when = at[example[changed]]
        return cls(rows.take(example[changed]).with_interval(when, when + 1), net[changed])

    @property
    def instants(self) -> Ids:
        """Where anything changed."""
        return np.unique(self._rows.ts)

    def rows(self, sign: int) -> Batch:
        """What is new, or with -1 what is gone."""
        return self._rows.take(
            np.repeat(np.arange(len(self._rows)), np.maximum(sign * self._difference, 0))
        )


def at_instants(valid: Batch, instants: Ids) -> Batch:
    """Every element once for each instant at which it is valid; most steps have one."""
    if len(instants) == 1:
        found = valid.where((valid.ts <= instants[0]) & (instants[0] < valid.te))
        when = np.repeat(instants, len(found))
        return found.with_interval(when, when + 1)
    first, stop = np.searchsorted(instants, valid.ts), np.searchsorted(instants, valid.te)
    each = stop - first
    rows = np.repeat(np.arange(len(valid)), each)
    place = np.arange(len(rows)) - np.repeat(np.cumsum(each) - each, each) + np.repeat(first, each)
    when = instants[place]
    return valid.take(rows).with_interval(when, when + 1).sorted()
