"""Pieces: elements with open ends, up to the cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from askos.columns.batch import Batch
from askos.columns.signs import known, negative, settled
from askos.physical.cut import Cut
from askos.physical.openarea import OpenArea
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Fetch, ReleaseHeap, Saved


class PiecesOperator(Operator):
    """The elements that positive and negative ones leave, in pieces up to the cut: all that is
    decided of them.  Elements that are not open pass as they are.

    Not in the papers, which know all ends; see `askos.physical.openends`.

    State: elements that start at or after the cut, and those that end after it.  Cost: what is
    live, at every cut.
    """

    def __init__(self, cut: Cut) -> None:
        self._cut, self._until = cut, 0
        self._starts = ReleaseHeap[Batch](lambda batch: batch.ts)
        self._live = OpenArea(lambda batch: [])

    def open_on(self, port: int) -> None:
        """Why else would it be here."""

    def process(self, port: int, batch: Batch) -> Batch:
        ended, opened = known(batch)
        self._starts.insert(opened)
        return ended

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        started = Batch.concat(self._starts.extract(cut))
        rows = Batch.concat([*(run.rows for run in self._live), started])
        pieces = rows.with_interval(np.maximum(rows.ts, self._until), np.minimum(rows.te, cut))
        self._meet(started)
        self._live.insert(started.where(started.te > cut))
        self._live.purge(cut)
        self._until = cut
        return settled(pieces), cut

    def _meet(self, started: Batch) -> None:
        """From here on equal ids are equal terms."""
        minus = negative(started)
        if minus is not None:
            taken = started.where(minus)
            for rows in (*(run.rows for run in self._live), started):
                rows.meet(taken)

    def snapshot(self) -> Saved[Batch]:
        parts = {"starts": self._starts.snapshot(), "live": self._live.snapshot()}
        return combine(parts, until=self._until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._starts.restore(manifest["starts"], fetch)
        self._live.restore(manifest["live"], fetch)
        self._until = manifest["until"]
