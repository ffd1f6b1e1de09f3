"""Time windows of all dialects."""

from __future__ import annotations

import numpy as np

from askos.algebra import SlidingWindow, SteppedWindow
from askos.columns.batch import Batch
from askos.columns.ids import Ids
from askos.interval import FOREVER
from askos.physical.operator import Operator, Progress


class WindowOperator(Operator):
    """ω: gives arrivals their validity; snapshot-equivalent to the logical time windows.

    Streaming SPARQL, section 6, Alg. 2, with the formulas of `SlidingWindow.bounds` and
    `SteppedWindow.bounds`.  An arrival is an element valid at the one instant τ.

    State: none.  Where starts are aligned, no element can start before the next boundary, and
    progress is lifted to it.
    """

    def __init__(self, window: SlidingWindow | SteppedWindow) -> None:
        self._window = window

    def process(self, port: int, batch: Batch) -> Batch:
        start, end = self._window.bounds(self._roomy(batch.ts))
        return batch.with_interval(_saturated(start), _saturated(end))

    def _roomy(self, arrivals: Ids) -> Ids:
        """As Python's unlimited integers where 64 bits could overflow."""
        reach = 2 * (self._window.width + self._window.origin) + int(arrivals.max(initial=0))
        enough = reach + 2 * self._window.period < FOREVER
        return arrivals if enough else arrivals.astype(object)

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        start, _ = self._window.bounds(watermark)
        return Batch.empty(), max(watermark, min(start, FOREVER))


def _saturated(times: Ids) -> Ids:
    return np.minimum(times, FOREVER).astype(np.int64)
