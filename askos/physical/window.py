"""Time windows of all dialects."""

from __future__ import annotations

import numpy as np

from askos.algebra import Periodic, SlidingWindow, SteppedWindow
from askos.columns.batch import Batch
from askos.columns.grid import onto_grid
from askos.columns.ids import Ids
from askos.interval import FOREVER
from askos.physical.operator import Operator, Progress


class WindowOperator(Operator):
    """ω: gives arrivals their validity; snapshot-equivalent to the logical time windows.

    Streaming SPARQL, section 6, Alg. 2, with the formulas of `SlidingWindow.bounds` and
    `SteppedWindow.bounds`.  An arrival is an element valid at the one instant τ.  Under a
    periodic report, equivalent at its instants: both ends are moved onto the grid.

    State: none.  Where starts are aligned, no element can start before the next boundary, and
    progress is lifted to it.
    """

    def __init__(self, window: SlidingWindow | SteppedWindow, grid: Periodic | None) -> None:
        self._window = window
        self._grid = None if grid and _on_grid_already(window, grid) else grid

    def process(self, port: int, batch: Batch) -> Batch:
        return on_grid(batch.with_interval(*self._bounds(batch.ts)), self._grid)

    def _bounds(self, arrivals: Ids) -> tuple[Ids, Ids]:
        """By Python's unlimited integers where 64 bits could overflow."""
        reach = 2 * (self._window.width + self._window.origin) + int(arrivals.max(initial=0))
        if reach + 2 * self._window.period < FOREVER:
            start, end = self._window.bounds(arrivals)
            return start, end
        start, end = self._window.bounds(arrivals.astype(object))
        return _saturated(start), _saturated(end)

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        start = max(watermark, min(self._window.bounds(watermark)[0], FOREVER))
        return Batch.empty(), start if self._grid is None else self._grid.next(start)


def _on_grid_already(window: SlidingWindow | SteppedWindow, grid: Periodic) -> bool:
    """Whether all starts and ends that a window gives are report instants."""
    stepped = isinstance(window, SteppedWindow) and not grid.origin
    away = (window.period, window.origin)
    return stepped and any(not any(part % every for part in away) for every in grid.every)


def on_grid(batch: Batch, grid: Periodic | None) -> Batch:
    """The elements as a periodic report sees them: [g(ts), g(te)), which may be empty."""
    if grid is None:
        return batch
    return batch.with_interval(onto_grid(batch.ts, grid), onto_grid(batch.te, grid))


def _saturated(times: Ids) -> Ids:
    return np.minimum(times, FOREVER).astype(np.int64)
