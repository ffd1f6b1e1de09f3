"""Count windows."""

from __future__ import annotations

import numpy as np

from askos.algebra import CountWindow
from askos.columns.batch import Batch
from askos.columns.ids import Ids
from askos.interval import FOREVER
from askos.physical.ordered import OrderedWindow, position
from askos.physical.timing import Timing


class CountWindowOperator(OrderedWindow):
    """ω_c: the last c elements, as of the last k-th; snapshot-equivalent to
    `algebra.CountWindow`.

    Streaming SPARQL, Defs. 4 and 5 (the paper's section 6 gives no algorithm), with the formula
    of `CountWindow.validity`.
    """

    def __init__(self, window: CountWindow, timing: Timing, *, open_ends: bool = False) -> None:
        super().__init__(timing, open_ends=open_ends)
        self._window = window
        self._times = np.empty(0, np.int64)  # of the elements that came last

    def _see(self, new: Batch) -> Batch:
        self._times = new.ts
        return new

    @property
    def _entered(self) -> int:
        return self._count // self._window.step * self._window.step

    @property
    def _left(self) -> int:
        return self._entered - self._window.count

    def _starts(self, rows: Batch) -> Ids:
        return self._completed(position(rows) + 1)

    def _ends(self, rows: Batch) -> Ids:
        return self._completed(position(rows) + 1 + self._window.count)

    def _completed(self, number: Ids) -> Ids:
        """When the step ended that the element of this number, from 1, belongs to: one of the last
        elements has ended it, or none yet, or it was over before them."""
        step, times = self._window.step, self._times
        last = -(-number // step) * step
        place = last - 1 - (self._count - len(times))
        if not len(times):
            return np.where(place < 0, 0, FOREVER)
        found = np.where(place < len(times), times.take(place, mode="clip"), FOREVER)
        return np.where(place < 0, 0, found)
