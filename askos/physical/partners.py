"""What left, semi-, anti- and mark joins and MINUS have in common: left elements cut into parts
with and without a partner."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from askos.algebra import TRUE, Expression
from askos.columns.batch import Batch
from askos.columns.expressions import compile_condition
from askos.columns.ids import Ids
from askos.columns.mark import NO_PARTS, Parts, mark
from askos.interval import FOREVER
from askos.physical.cut import Cut
from askos.physical.join import LEFT, RIGHT
from askos.physical.merge import Pairing, Pairs
from askos.physical.met import Keyed, Met, may_lose, met_by_key, met_by_row
from askos.physical.openarea import OpenArea
from askos.physical.operator import Opened, Operator, Progress, combine
from askos.physical.written import Piece, as_batch, in_order, reached
from askos.sweeparea import Fetch, ReleaseHeap, Saved, SweepArea
from askos.sweeparea.runs import Probe


class PartnerOperator(Operator, ABC):
    """Every left element in the parts of its interval with and without a partner that satisfies
    the condition; `pieces` says what becomes of them.

    Streaming SPARQL, section 6, Algs. 4 and 5.  Every left element has a marker t̂E, up to when
    it has been emitted; between t̂E and the start of the next partner is a gap.  So partners must
    come in the order of their starts.  Departures:

    - The paper's heap H orders the output.  Ours orders the input: two release heaps give out
      elements when the cut C has passed their start.  Results then come in order by themselves,
      as early as H could have released them, and only the elements are state.
    - A left element still open at the cut is emitted up to C: its t̂E becomes C.
    - The printed algorithm moves tE where it means t̂E, compares with the wrong end, and moves
      markers back; see docs/semantics.md.

    The right side may rest on a table, which is probed.  If it is nothing else, nobody can come,
    and left elements are decided at once.  If the left side rests on a table, every bucket has
    its share of it, and tells it up to each cut.

    If the right side has open ends (see `openends`), partners may be taken back after C.  Then left
    elements are told up to each cut, with partners too, and look up those that are there by then:
    a step costs what is live on the left, and what changes on the right.

    State: elements that start at or after C, and those that end after it.  The marks t̂E follow
    from them: everything is emitted until C, or until the last partner that started before C
    ends.  So they are worked out again on restore, and never stored.
    """

    def __init__(
        self, pairing: Pairing, condition: Expression, cut: Cut, *, static: bool = False
    ) -> None:
        self._pairing = pairing
        self._static = static
        self._base: Opened | None = None
        self._holds = None if condition == TRUE else compile_condition(condition)
        self._asked = condition.variables
        self._cut = cut
        self._until = 0
        self._heaps = [ReleaseHeap[Batch](lambda batch: batch.ts) for _ in (LEFT, RIGHT)]
        self._left = SweepArea[Batch](pairing.keys, gathered=True)  # all marks move
        self._right = SweepArea[Batch](pairing.keys)
        self._open_right = False

    gaps_only: ClassVar = False
    """Whether of the parts only those without a partner matter."""

    @abstractmethod
    def pieces(self, left: Batch, parts: Parts, pairs: Sequence[Pairs]) -> Iterator[Piece]:
        """What is emitted for parts of `left` that are decided now, and the new pairs."""

    def rest_on(self, port: int, base: Opened) -> None:
        if port == RIGHT:
            self._base = base
        else:
            self._left.rest_on(base().rows)

    def open_on(self, port: int) -> None:
        if port != RIGHT:
            super().open_on(port)
        self._right = OpenArea(self._pairing.keys)
        self._open_right = True

    def process(self, port: int, batch: Batch) -> Batch:
        if self._static:
            pairs = list(self._partners_of(batch))
            return as_batch(self._decided(batch, batch.ts.copy(), pairs, FOREVER))
        self._heaps[port].insert(batch)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        if self._static:
            return Batch.empty(), watermark
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        left, right = (Batch.concat(heap.extract(cut)) for heap in self._heaps)
        begun = Probe.of(right, self._pairing.keys(right))
        if self._open_right:
            found = self._looked_up(left, begun, cut)
        else:
            old = self._old_with_new(begun, cut)
            found = in_order([*old, *self._new_with_all(left, begun, cut)])
        self._until = cut
        self._left.purge(cut)
        self._right.purge(cut)
        return found, cut

    def _looked_up(self, left: Batch, right: Probe[Batch], cut: int) -> Batch:
        """Left elements between the last cut and this one, and the partners that they have."""
        self._right.keep(right)
        self._left.insert(left)
        rows = Batch.concat([run.rows for run in self._left])
        rows = rows.with_interval(np.maximum(rows.ts, self._until), np.minimum(rows.te, cut))
        pairs = list(self._partners_of(rows))
        return in_order(self._decided(rows, rows.ts.copy(), pairs, cut))

    def _old_with_new(self, probe: Probe[Batch], cut: int) -> Iterator[Piece]:
        """Left elements that are here already, and partners that start now."""
        right = probe.rows
        found: dict[int, list[Pairs]] = {run.id: [] for run in self._left}
        for match in self._left.matches(probe):
            pairs = self._satisfying(match.rows, match.stored, right, match.probe)
            found[match.run].append(pairs)
        keyed = Keyed(right, self._pairing.keys(right)) if self._by_key else None
        for run in self._left:
            pairs_of, known = found[run.id], keyed
            if run is self._left.base and not self._until:  # tables meet once
                pairs_of, known = [*pairs_of, *self._partners_of(run.rows)], None
            yield from self._decided(run.rows, run.marks, pairs_of, cut, known)

    @property
    def _by_key(self) -> bool:
        """Whether whoever has the key is a partner."""
        return self._holds is None and not self._pairing.maybe

    def _new_with_all(self, left: Batch, right: Probe[Batch], cut: int) -> Iterator[Piece]:
        """Left elements that start now, and partners old and new."""
        self._right.keep(right)
        marks, probe = left.ts.copy(), Probe.of(left, self._pairing.keys(left))
        yield from self._decided(left, marks, list(self._partners(probe)), cut)
        self._left.keep(probe, marks)

    def _partners(self, left: Probe[Batch]) -> Iterator[Pairs]:
        """Left elements and the partners that are here."""
        based = () if self._base is None else self._base().query(left.rows)
        for match in chain(self._right.matches(left), based):
            yield self._satisfying(left.rows, match.probe, match.rows, match.stored)

    def _partners_of(self, left: Batch) -> Iterator[Pairs]:
        return self._partners(Probe.of(left, self._pairing.keys(left)))

    def _satisfying(self, left: Batch, mine: Ids, right: Batch, theirs: Ids) -> Pairs:
        """Those of the pairs (left row, right row) that are partners."""
        found = self._pairing.compatible(Pairs(left, mine, right, theirs, self._pairing))
        if self._holds is None or not len(found):
            return found
        narrow = replace(found, left=self._narrow(left), right=self._narrow(right))
        return found.where(self._holds(narrow.joined))

    def _narrow(self, batch: Batch) -> Batch:
        """Without what the condition does not look at."""
        return batch.project([v for v in batch.columns if v in self._asked])

    def _decided(
        self, left: Batch, marks: Ids, pairs: list[Pairs], cut: int, keyed: Keyed | None = None
    ) -> Iterator[Piece]:
        """The pieces of left rows from their markers t̂E on; moves the markers.

        Decided is everything up to the cut, since nobody can come before it, and up to the end
        of the last partner: there is no gap behind the cut.
        """
        decided = np.minimum(left.te, cut)
        until, whole = reached(marks, decided, pairs)
        stop = decided if self.gaps_only else until
        undecided = marks < stop
        certain = self.gaps_only and not may_lose(pairs)
        if certain:
            undecided &= ~whole  # whoever has one partner all the time has no gap
        new = undecided.nonzero()[0]
        parts = NO_PARTS
        if len(new):
            looked_at = [p.where(undecided[p.rows]) for p in pairs] if certain else pairs
            group, covered = self._met(left, looked_at, keyed)
            parts = mark(group[new], marks[new], stop[new], covered)
            parts = parts._replace(row=new[parts.row])
        if len(new) or pairs:
            yield from self.pieces(left, parts, pairs)
        marks[:] = until

    def _met(self, left: Batch, pairs: Sequence[Pairs], keyed: Keyed | None) -> Met:
        """When left rows have partners; `keyed`: all of one batch."""
        if keyed is not None:
            return keyed.met(len(left), pairs)
        if self._by_key:
            return met_by_key(self._pairing.keys(left), len(left), pairs)
        return met_by_row(len(left), pairs)

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
        for run in self._left if self._until and not self._open_right else ():
            run.marks[:] = np.minimum(self._until, run.rows.te)
            for pair in self._partners_of(run.rows):
                np.maximum.at(run.marks, pair.rows, pair.te)
