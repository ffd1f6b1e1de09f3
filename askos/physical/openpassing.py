"""Elements with open ends on their way through a step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from askos.columns.batch import Batch
from askos.columns.signs import cancelled, parted
from askos.interval import FOREVER
from askos.physical.openarea import OpenArea
from askos.physical.passing import Passing
from askos.sweeparea import Fetch, Saved


class OpenPassing(Passing):
    """The same, of positive and negative elements: a negative one that starts is one that ends, and
    so is one that nothing has taken back when its last possible end has come.

    What starts says nothing of when it ends: only for who looks at what it is.
    """

    def __init__(self) -> None:
        super().__init__()
        self._endless = OpenArea(lambda batch: [])

    def step(self, cut: int) -> tuple[Batch, Batch]:
        begun = Batch.concat(self._starts.extract(cut))
        last = begun.te < FOREVER
        self._ends.insert(begun.where(last))
        self._endless.insert(begun.where(~last))
        self._endless.purge(cut)
        started, taken = parted(begun)
        over = cancelled(Batch.concat(self._ends.extract(cut)), cut)
        return started, Batch.concat([parted(over)[0], replace(taken, te=taken.ts)])

    def live(self) -> Batch:
        rows = Batch.concat([*self._ends, *(run.rows for run in self._endless)])
        return parted(cancelled(rows, FOREVER))[0]

    def snapshot(self) -> dict[str, Saved[Batch]]:
        return {**super().snapshot(), "endless": self._endless.snapshot()}

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        super().restore(manifest, fetch)
        self._endless.restore(manifest["endless"], fetch)
