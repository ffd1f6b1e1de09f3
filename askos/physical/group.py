"""Grouping and aggregation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from askos.algebra import Aggregate, Avg, Count, Expression, Group, Sum
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.expressions import compile_value
from askos.columns.factorize import factorize
from askos.columns.ids import INTEGER, Ids, pack
from askos.columns.segments import changes
from askos.columns.sums import Sums, averages, summands, totals
from askos.physical.cut import Cut
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Fetch, ReleaseHeap, Saved
from askos.terms import Variable


class GroupOperator(Operator):
    """γ: per group, pieces on which its bag of solutions is constant; snapshot-equivalent to
    `algebra.Group`, for COUNT, SUM and AVG.

    Streaming SPARQL names aggregation as future work; this is Krämer's, as one sweep: elements
    add when they start and subtract when they end.  Between two events of a group lies a piece;
    the last one is emitted up to the cut, and goes on from there.

    State: elements that start at or after the cut, and those that end at or after it.  What the
    groups hold at the cut follows from the latter, and is kept in memory between two steps.
    """

    def __init__(self, plan: Group, coder: Coder, cut: Cut) -> None:
        self._keys = {
            key.variable: compile_value(key.value, coder)
            for key in plan.keys
            if isinstance(key.value, Expression)
        }
        self._aggregates = {
            made.variable: _compile(made.value, coder)
            for made in plan.aggregates
            if isinstance(made.value, Aggregate)
        }
        self._cut = cut
        self._until = 0
        self._starts = ReleaseHeap[Batch](lambda batch: batch.ts)
        self._ends = ReleaseHeap[Batch](lambda batch: batch.te)
        self._held: _Events | None = None

    def process(self, port: int, batch: Batch) -> Batch:
        self._starts.insert(batch)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        held = self._held or self._from_state()
        started = Batch.concat(self._starts.extract(cut))
        self._ends.insert(started)
        ended = Batch.concat(self._ends.extract(cut))
        events = [held, self._events(started, started.ts, 1), self._events(ended, ended.te, -1)]
        self._until = cut
        found = _Events.concat(events)
        if not len(found.times):
            return Batch.empty(), cut
        swept = found.running()
        self._held = swept.at(cut, always=not self._keys)
        return swept.pieces(cut, self._aggregates, always=not self._keys), cut

    def _from_state(self) -> _Events:
        """What the groups held at the last cut: whatever had started and not ended.  Without
        keys there is one group at every instant, empty or not."""
        live = Batch.concat(list(self._ends))
        held = self._events(live, np.full(len(live), self._until), 1)
        if self._keys:
            return held
        nobody = Batch({}, np.array([self._until]), np.array([self._until + 1]), Dictionary())
        return _Events.concat([held, self._events(nobody, nobody.ts, 0)])

    def _events(self, batch: Batch, times: Ids, sign: int) -> _Events:
        """What each element adds, or subtracts, at its time."""
        keys, dictionary = {}, Dictionary()
        for variable, value in self._keys.items():
            keys[variable], texts = value(batch)
            dictionary |= texts
        sums = {v: aggregate.summands(batch) for v, aggregate in self._aggregates.items()}
        signed = {v: _each(column, lambda values: values * sign) for v, column in sums.items()}
        return _Events(keys, dictionary, times, np.full(len(batch), sign, np.int64), signed)

    def snapshot(self) -> Saved[Batch]:
        parts = {"starts": self._starts.snapshot(), "ends": self._ends.snapshot()}
        return combine(parts, until=self._until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._starts.restore(manifest["starts"], fetch)
        self._ends.restore(manifest["ends"], fetch)
        self._until = manifest["until"]
        self._held = None


# ---- aggregates ------------------------------------------------------------------------------

Column: TypeAlias = Ids | Sums
"""What adds up: counts, or sums of numbers."""


@dataclass(frozen=True, slots=True)
class _Aggregate:
    """What an element adds, and what a sum of that is worth."""

    summands: Callable[[Batch], Column]
    result: Callable[[Any], tuple[Ids, Dictionary]]


def is_native(plan: Group) -> bool:
    """Whether all aggregates add up: COUNT, SUM and AVG, of all values."""
    return all(
        isinstance(made.value, Count | Sum | Avg) and not made.value.distinct
        for made in plan.aggregates
    )


def _compile(aggregate: Aggregate, coder: Coder) -> _Aggregate:
    if aggregate.expression is None:
        return _Aggregate(lambda batch: np.ones(len(batch), np.int64), _count)
    value = compile_value(aggregate.expression, coder)
    if isinstance(aggregate, Count):
        return _Aggregate(lambda batch: (value(batch)[0] != 0).astype(np.int64), _count)
    finish = totals if isinstance(aggregate, Sum) else averages
    return _Aggregate(lambda batch: summands(*value(batch)), lambda sums: finish(sums, coder))


def _count(numbers: Ids) -> tuple[Ids, Dictionary]:
    return pack(INTEGER, 0, numbers), Dictionary()


def _each(column: Column, change: Callable[[Any], Any]) -> Column:
    return column.each(change) if isinstance(column, Sums) else change(column)


def _concat(columns: Sequence[Column]) -> Column:
    if isinstance(columns[0], Sums):
        return Sums.concat([column for column in columns if isinstance(column, Sums)])
    return np.concatenate([column for column in columns if not isinstance(column, Sums)])


# ---- the sweep -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Events:
    """What groups gain or lose, when; or, once summed up, what they hold from then on."""

    keys: dict[Variable, Ids]
    dictionary: Dictionary
    times: Ids
    size: Ids
    sums: dict[Variable, Column]

    @classmethod
    def concat(cls, parts: Sequence[_Events]) -> _Events:
        """All of them; their keys are compared from here on."""
        dictionary = Dictionary()
        for part in parts:
            dictionary.meet(part.dictionary)
            dictionary |= part.dictionary
        return cls(
            {v: np.concatenate([part.keys[v] for part in parts]) for v in parts[0].keys},
            dictionary,
            np.concatenate([part.times for part in parts]),
            np.concatenate([part.size for part in parts]),
            {v: _concat([part.sums[v] for part in parts]) for v in parts[0].sums},
        )

    def _each(self, change: Callable[[Any], Any]) -> _Events:
        """The same change to what adds up."""
        sums = {v: _each(column, change) for v, column in self.sums.items()}
        return replace(self, size=change(self.size), sums=sums)

    def _take(self, rows: Ids) -> _Events:
        keys = {v: ids[rows] for v, ids in self.keys.items()}
        return replace(self._each(lambda c: c[rows]), keys=keys, times=self.times[rows])

    def running(self) -> _Events:
        """In the order of group and time, one row each, with what the group holds from then on."""
        codes, _ = factorize(list(self.keys.values()), len(self.times))
        order = np.lexsort((self.times, codes))
        codes, ordered = codes[order], self._take(order)
        new = changes(codes) | changes(ordered.times)
        rows = np.flatnonzero(new)
        added = ordered._each(lambda column: np.add.reduceat(column, rows))
        first = np.flatnonzero(changes(codes[rows]))
        summed = added._each(lambda column: _running_sum(column, first))
        keys = {v: ids[rows] for v, ids in ordered.keys.items()}
        return replace(summed, keys=keys, times=ordered.times[rows])

    def _last(self) -> Ids:
        """Which rows are the last of their group."""
        changed = [changes(ids)[1:] for ids in self.keys.values()]
        return np.append(np.any(changed, axis=0) if changed else self.times[1:] < 0, True)

    def at(self, cut: int, always: bool) -> _Events:
        """What the groups hold at the cut; empty ones are gone, unless there is one always."""
        kept = self._take(np.flatnonzero(self._last() & ((self.size > 0) | always)))
        dictionary = self.dictionary.restrict(self.keys.values())
        return replace(kept, dictionary=dictionary, times=np.full(len(kept.times), cut))

    def pieces(self, cut: int, aggregates: dict[Variable, _Aggregate], always: bool) -> Batch:
        """From each row to the next of its group, or to the cut."""
        until = np.where(self._last(), cut, np.append(self.times[1:], cut))
        rows = np.flatnonzero(((self.size > 0) | always) & (self.times < until))
        chosen = self._take(rows)
        columns, dictionary = dict(chosen.keys), self.dictionary
        for variable, aggregate in aggregates.items():
            columns[variable], texts = aggregate.result(chosen.sums[variable])
            dictionary |= texts
        return Batch(columns, chosen.times, until[rows], dictionary).sorted()


def _running_sum(column: Any, first: Ids) -> Any:
    """Cumulative sums within segments that begin at the rows `first`."""
    total = np.cumsum(column)
    before = np.concatenate([np.zeros(1, total.dtype), total])[first]
    return total - np.repeat(before, np.diff(np.append(first, len(column))))
