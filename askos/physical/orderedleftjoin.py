"""Left join, one element at a time: Algorithms 4 and 5."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from operator import attrgetter
from typing import Any

from askos.algebra import TRUE
from askos.columns.batch import Batch
from askos.columns.expressions import compile_condition
from askos.physical.cut import Cut
from askos.physical.entries import Mu
from askos.physical.join import LEFT, RIGHT
from askos.physical.merge import Pairing
from askos.physical.nodes import OrderedLeftJoin
from askos.physical.onebyone import OneByOneOperator
from askos.physical.operator import Progress
from askos.sweeparea import Entry, Fetch, OrderedHeap


class OrderedLeftJoinOperator(OneByOneOperator):
    """⟕: joined pieces that satisfy the condition, and each left element alone on exactly the
    parts of its interval without a partner; snapshot-equivalent to `algebra.LeftJoin`, and the
    twin of `LeftJoinOperator` for small batches.

    Streaming SPARQL, section 6, Algs. 4 and 5, line by line: every method quotes its lines.  An
    element's `mark` is the paper's t̂E, up to when it has been told.  What is printed wrongly is
    mended, as docs/semantics.md, section 5, says.  Departures:

    - The paper has streams in the order of starts; ours keep the watermark and no more.  Left
      elements may come in any order.  For right ones order matters, since the gap before a partner
      is told when it comes: so they wait until the cut C has passed their start.
    - A left element still open at the cut is told up to C: its t̂E becomes C.
    - Areas are purged at the cut and not by every element.

    State: the elements of both inputs that end after C, right ones that start at or after C, and
    the results that do.  Markers follow from the elements, and are worked out again on restore.
    """

    def __init__(self, plan: OrderedLeftJoin, cut: Cut) -> None:
        super().__init__(Pairing.of(plan.left, plan.right), "waiting")
        self._holds = None if plan.condition == TRUE else compile_condition(plan.condition)
        self._cut = cut
        self._sa1, self._sa2 = self._areas
        self._waiting = self._heaps["waiting"]
        self._open = OrderedHeap[Mu](attrgetter("mark"))  # the elements of SA1, by t̂E

    def process(self, port: int, batch: Batch) -> Batch:
        """Alg. 4: `foreach e ↩ S_j do if j == 1 then doLeft(this) else doRight(this)`."""
        for e in self._form.entries(batch):
            if port == LEFT:
                self._do_left(e)
            else:
                self._waiting.insert(e)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        for e in self._waiting.extract(cut):
            self._do_right(e)
        self._do_cut(cut)
        return self._release(cut)

    def _do_left(self, e: Entry[Mu]) -> None:
        """doLeft: a left element, and the partners that are here."""
        e.mark = e.ts  # e.t̂E = e.tS; printed: e.tE
        self._sa1.insert(e)
        for _, merged in self._qualifying(e, LEFT):
            self._meet(e, merged)
        self._open.insert(e)

    def _do_right(self, e: Entry[Mu]) -> None:
        """doRight: a right element, and the left ones that are here."""
        for left, merged in self._qualifying(e, RIGHT):
            self._meet(left, merged)
        self._sa2.insert(e)

    def _qualifying(self, e: Entry[Mu], port: int) -> Iterator[tuple[Entry[Mu], Entry[Mu]]]:
        """`qualifies ← SA.query(e); if e ≈ ê ∧ p(merge(μ, μ̂)) then emerge := ..`: each partner,
        by start, and what the two are together.

        The else-branch is not needed: it cuts pieces where nothing begins or ends.
        """
        found = []
        for other in self._areas[1 - port].query(e):
            merged = self._merge(e, other) if port == LEFT else self._merge(other, e)
            if merged is not None:
                found.append((other, merged))
        if self._holds is None or not found:
            yield from found
            return
        holding = self._holds(self._form.rows([merged for _, merged in found]))
        yield from compress(found, holding.tolist())

    def _meet(self, left: Entry[Mu], merged: Entry[Mu]) -> None:
        """`if emerge.tS > e.t̂E then insert (μ, [e.t̂E, emerge.tS)) into H; insert emerge into H;
        e.t̂E = emerge.tE`; but t̂E never moves back, for a partner may end within another."""
        self._tell_alone(left, merged.ts)
        self._results.insert(merged)
        self._sa1.replace(left, max(left.mark, merged.te))

    def _do_cut(self, cut: int) -> None:
        """doRight: `invalids = SA1.extractElements(e); if ẽ.t̂E < ẽ.tE then insert (ẽ.μ, [ẽ.t̂E,
        ẽ.tE)) into H`; printed: e.tE.  Then, which is ours, those that are open, up to C."""
        for ended in self._sa1.extract(cut):
            self._tell_alone(ended, ended.te)
        for left in self._open.extract(cut):
            if left.te > cut:
                self._tell_alone(left, cut)
                self._open.insert(left)

    def _tell_alone(self, left: Entry[Mu], until: int) -> None:
        """μ on [t̂E, `until`), unless that is empty; t̂E becomes `until`."""
        if left.mark < until:
            self._results.insert(Entry(left.payload, left.mark, until))
            self._sa1.replace(left, until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        super().restore(manifest, fetch)
        for left in self._sa1:
            ends = (merged.te for _, merged in self._qualifying(left, LEFT))
            self._sa1.replace(left, max(left.ts, self._until, *ends))
            self._open.insert(left)
