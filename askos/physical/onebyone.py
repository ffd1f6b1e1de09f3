"""What the ordered join and left join have in common: two SweepAreas and the heap H."""

from __future__ import annotations

from typing import Any

from askos.columns.batch import Batch
from askos.physical.entries import Entries, Mu
from askos.physical.merge import Pairing
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Entry, Fetch, Log, OrderedArea, OrderedHeap, Saved


class OneByOneOperator(Operator):
    """Takes one element after the other, and gives its results in order.

    SA1 and SA2 keep the elements of the left and the right input that may find partners, the
    heap H the results that start at or after progress.  In the columnar twins results are no
    state: the left join holds back its input instead, and the join holds back nothing.  Here each
    element is met as it comes, as in the paper, and the output is put in order.

    Takes no tables: `askos.physical.arranging` says where these operators stand.
    """

    def __init__(self, pairing: Pairing, *heaps: str) -> None:
        self._pairing = pairing
        self._form = Entries(pairing.key)
        self._areas = (OrderedArea[Mu](), OrderedArea[Mu]())
        self._heaps = {name: OrderedHeap[Mu]() for name in ("results", *heaps)}
        self._results = self._heaps["results"]
        self._logs = {name: Log(self._form) for name in self._kept()}
        self._until = 0

    @property
    def held(self) -> int:
        """How many results wait in H: they have neither come nor gone."""
        return len(self._results)

    def _release(self, progress: int) -> tuple[Batch, Progress]:
        """Alg. 4: `while H ≠ ∅ do if top.tS < min_tS then top ↪ S_out; remove top from H`, up to
        progress: the least start in SA1 says nothing where SA1 is empty.  And purge."""
        self._until = progress
        for area in self._areas:
            area.purge(progress)
        released = self._form.rows(self._results.extract(progress))
        self._form.texts.forget(self._kept().values())
        return released, progress

    def _merge(self, left: Entry[Mu], right: Entry[Mu]) -> Entry[Mu] | None:
        """merge(μ, μ̂) on the intersection of the intervals, if μ ≈ μ̂."""
        merged = {**left.payload, **right.payload}
        for variable in self._pairing.maybe:
            mine, theirs = left.payload.get(variable, 0), right.payload.get(variable, 0)
            if mine and theirs and mine != theirs:
                return None
            merged[variable] = mine or theirs
        return Entry(merged, max(left.ts, right.ts), min(left.te, right.te))

    def _kept(self) -> dict[str, OrderedArea[Mu] | OrderedHeap[Mu]]:
        left, right = self._areas
        return {"left": left, "right": right, **self._heaps}

    def snapshot(self) -> Saved[Batch]:
        parts = {name: self._logs[name].saved(kept) for name, kept in self._kept().items()}
        return combine(parts, until=self._until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._until = manifest["until"]
        for name, kept in self._kept().items():
            for entry in self._logs[name].restored(manifest[name], fetch):
                kept.insert(entry)
            kept.extract(self._until)
