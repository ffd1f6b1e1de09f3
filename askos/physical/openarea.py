"""The SweepArea of elements whose end may not be known."""

from __future__ import annotations

from typing import Final

import numpy as np

from askos.columns.batch import Batch
from askos.columns.ids import Ids
from askos.columns.signs import cancelled, negative
from askos.sweeparea import Fetch, SweepArea
from askos.sweeparea.runs import Keys, Probe

_SPARE: Final = 5  # negative elements that may be kept too long: one in so many


class OpenArea(SweepArea[Batch]):
    """Positive and negative elements, found alike.

    Once a negative element has begun, it and what it takes back are superfluous, both of them.
    They are forgotten when every fifth element is such a negative one.  Cost: a hash of all
    elements then, so a few for each negative one; nothing where there are none.
    """

    def __init__(self, keys: Keys[Batch]) -> None:
        super().__init__(keys)
        self._coming: list[Ids] = []  # when negative elements begin, as far as they have not
        self._begun = 0  # how many have

    def keep(self, probe: Probe[Batch], marks: Ids | None = None) -> None:
        self._note(probe.rows)
        super().keep(probe, marks)

    def _note(self, rows: Batch) -> None:
        minus = negative(rows)
        if minus is not None:
            self._coming.append(rows.ts[minus])

    def purge(self, watermark: int) -> None:
        super().purge(watermark)
        if self._coming:
            starts = np.concatenate(self._coming)
            later = starts[starts > watermark]
            self._coming = [later] if len(later) else []
            self._begun += len(starts) - len(later)
        if self._begun * _SPARE > len(self):
            self._cancel(watermark)

    def _cancel(self, watermark: int) -> None:
        """Forget what has come to nothing."""
        kept = cancelled(Batch.concat([run.rows for run in self._runs]), watermark)
        self._runs, self._coming, self._begun = [], [], 0
        self.insert(kept)

    def restore(self, manifest: list[int], fetch: Fetch[Batch]) -> None:
        super().restore(manifest, fetch)
        self._coming, self._begun = [], 0
        for run in self._runs:
            self._note(run.rows)
