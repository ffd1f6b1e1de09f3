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

    def __init__(self, window: CountWindow, timing: Timing) -> None:
        super().__init__(timing)
        self._window = window

    def _assign(self, inside: Batch, new: Batch) -> tuple[Batch, Ids, Ids]:
        rows = Batch.concat([inside, new])
        entering = position(rows) + 1
        leaving = entering + self._window.count
        return rows, self._completed(rows, entering), self._completed(rows, leaving)

    def _completed(self, rows: Batch, number: Ids) -> Ids:
        """When the step ended that the element of this number, from 1, belongs to."""
        step = self._window.step
        last = -(-number // step) * step
        place = last - 1 - (self._count - len(rows))  # elements inside have no gaps
        known = place < len(rows)
        return np.where(known, rows.ts[np.where(known, place, 0)], FOREVER) if len(rows) else place
