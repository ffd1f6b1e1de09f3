"""Left join."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from askos.algebra import TRUE, LeftJoin
from askos.columns.batch import Batch
from askos.columns.expressions import compile_condition
from askos.columns.ids import Ids
from askos.physical.cut import Cut
from askos.physical.join import LEFT, RIGHT
from askos.physical.merge import Pairing
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Fetch, ReleaseHeap, Saved, SweepArea


class LeftJoinOperator(Operator):
    """⟕: joined pieces that satisfy the condition, and each left element alone on exactly the
    parts of its interval without a partner; snapshot-equivalent to `algebra.LeftJoin`.

    Streaming SPARQL, section 6, Algs. 4 and 5.  Every left element has a marker t̂E, up to when
    it has been emitted, alone or joined; between t̂E and the start of the next partner is a gap,
    in which it is emitted alone.  So partners must come in the order of their starts.  Departures:

    - The paper's heap H orders the output.  Ours orders the input: two release heaps give out
      elements when the cut C has passed their start.  Results then come in order by themselves,
      as early as H could have released them, and only the elements are state.
    - A left element still open at the cut is emitted up to C: its t̂E becomes C.
    - The printed algorithm moves tE where it means t̂E, compares with the wrong end, and moves
      markers back; see docs/semantics.md.

    State: elements that start at or after C, and those that end after it.  The marks t̂E follow
    from them: everything is emitted until C, or until the last partner that started before C
    ends.  So they are worked out again on restore, and never stored.
    """

    def __init__(self, plan: LeftJoin, cut: Cut) -> None:
        self._pairing = Pairing.of(plan.left, plan.right)
        self._holds = None if plan.condition == TRUE else compile_condition(plan.condition)
        self._cut = cut
        self._until = 0
        self._heaps = [ReleaseHeap[Batch](lambda batch: batch.ts) for _ in (LEFT, RIGHT)]
        self._left = SweepArea[Batch](self._pairing.keys)
        self._right = SweepArea[Batch](self._pairing.keys)

    def process(self, port: int, batch: Batch) -> Batch:
        self._heaps[port].insert(batch)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        left, right = (Batch.concat(heap.extract(cut)) for heap in self._heaps)
        pieces = [*self._old_with_new(right), *self._new_with_all(left, right)]
        pieces += self._alone_until(cut)
        self._until = cut
        self._left.purge(cut)
        self._right.purge(cut)
        return Batch.concat(pieces).sorted(), cut

    def _old_with_new(self, right: Batch) -> Iterator[Batch]:
        """Left elements that are here already, and partners that start now."""
        found: dict[int, list[_Pairs]] = {run.id: [] for run in self._left}
        for match in self._left.query(right):
            joined = self._satisfying(match.run.rows, match.stored, right, match.probe)
            found[match.run.id].append(_Pairs(*joined))
        for run in self._left:
            yield from _cover(run.rows, run.marks, found[run.id])

    def _new_with_all(self, left: Batch, right: Batch) -> Iterator[Batch]:
        """Left elements that start now, and partners old and new."""
        self._right.insert(right)
        marks = left.ts.copy()
        pairs = [
            _Pairs(*self._satisfying(left, match.probe, match.run.rows, match.stored))
            for match in self._right.query(left)
        ]
        yield from _cover(left, marks, pairs)
        self._left.insert(left, marks)

    def _satisfying(self, left: Batch, mine: Ids, right: Batch, theirs: Ids) -> tuple[Batch, Ids]:
        """The joined pieces that satisfy the condition, and the left row of each."""
        joined, pairs = self._pairing.join(left, mine, right, theirs)
        mine = mine[pairs]
        if self._holds is None or not len(joined):
            return joined, mine
        kept = np.flatnonzero(self._holds(joined))
        return joined.take(kept), mine[kept]

    def _alone_until(self, cut: int) -> Iterator[Batch]:
        """Left elements without a partner now, up to the cut: nobody can come before it."""
        for run in self._left:
            ends = np.minimum(run.rows.te, cut)
            rows = np.flatnonzero(run.marks < ends)
            yield run.rows.take(rows).with_interval(run.marks[rows], ends[rows])
            np.maximum(run.marks, ends, out=run.marks)

    def snapshot(self) -> Saved[Batch]:
        left, right = self._heaps
        parts = {
            "left heap": left.snapshot(),
            "right heap": right.snapshot(),
            "left": self._left.snapshot(),
            "right": self._right.snapshot(),
        }
        return combine(parts, until=self._until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        for heap, side in zip(self._heaps, ("left heap", "right heap"), strict=True):
            heap.restore(manifest[side], fetch)
        self._left.restore(manifest["left"], fetch)
        self._right.restore(manifest["right"], fetch)
        self._until = manifest["until"]
        for run in self._left:
            run.marks[:] = np.minimum(self._until, run.rows.te)
            for match in self._right.query(run.rows):
                found = self._satisfying(run.rows, match.probe, match.run.rows, match.stored)
                np.maximum.at(run.marks, found[1], found[0].te)


@dataclass(frozen=True, slots=True, eq=False)
class _Pairs:
    """Joined pieces, and the left row of each."""

    joined: Batch
    rows: Ids


def _cover(left: Batch, marks: Ids, pairs: Iterable[_Pairs]) -> Iterator[Batch]:
    """The joined pieces, and the gaps before them; moves the markers t̂E of the left rows.

    Sorted by left row and start, a gap is where a piece starts after everything before it has
    ended: one running maximum, which starts anew with each left row at its marker.
    """
    found = [pair for pair in pairs if len(pair.joined)]
    if not found:
        return
    yield from (pair.joined for pair in found)
    rows = np.concatenate([pair.rows for pair in found])
    starts = np.concatenate([pair.joined.ts for pair in found])
    ends = np.concatenate([pair.joined.te for pair in found])
    order = np.lexsort((starts, rows))
    rows, starts, ends = rows[order], starts[order], ends[order]
    first = np.append(True, rows[1:] != rows[:-1])
    covered = _running_maximum(np.maximum(ends, marks[rows]), first)
    before = np.where(first, marks[rows], np.append(0, covered[:-1]))
    gaps = np.flatnonzero(before < starts)
    yield left.take(rows[gaps]).with_interval(before[gaps], starts[gaps])
    last = np.append(first[1:], True)
    marks[rows[last]] = covered[last]


def _running_maximum(values: Ids, first: Ids) -> Ids:
    """The maximum so far, within segments that begin where `first` is true."""
    # As ranks, so that adding a segment's number times their count cannot overflow.
    distinct, ranks = np.unique(values, return_inverse=True)
    offset = np.cumsum(first) * len(distinct)
    return np.asarray(distinct[np.maximum.accumulate(ranks + offset) - offset])
