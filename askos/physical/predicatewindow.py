"""Predicate windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from askos.algebra import PredicateWindow
from askos.columns.batch import Batch
from askos.columns.expressions import compile_condition
from askos.columns.ids import Ids, Mask
from askos.interval import FOREVER, saturate
from askos.physical.ordered import OrderedWindow, position
from askos.physical.timing import Timing
from askos.sweeparea import Fetch, Saved


class PredicateWindowOperator(OrderedWindow):
    """From an element that satisfies one condition up to one that satisfies another;
    snapshot-equivalent to `algebra.PredicateWindow`.

    Streaming SPARQL, section 8, names it as an outlook.  All elements inside belong to the one
    window that is open.  Cost: conditions as arrays, and a few searches per window opened.
    """

    def __init__(self, window: PredicateWindow, timing: Timing, *, open_ends: bool = False) -> None:
        super().__init__(timing, open_ends=open_ends)
        self._start_holds = compile_condition(window.start)
        self._end_holds = compile_condition(window.end)
        self._within = window.within or FOREVER
        self._limit: int | None = None  # when the open window closes at the latest
        self._held = FOREVER  # when the one closes that was open before the last elements came
        self._close = np.empty(0, np.int64)  # when those of the last elements do, -1: in none
        self._undecided = 0  # the first position whose element's end is open

    def _see(self, new: Batch) -> Batch:
        none = np.empty(0, np.bool_)
        starts, ends = (self._start_holds(new), self._end_holds(new)) if len(new) else (none, none)
        before = FOREVER if self._limit is None else self._limit
        closed, self._close, undecided = self._sweep(new.ts, starts, ends)
        self._undecided = 0 if undecided is None else self._count - len(new) + undecided
        self._held = min(closed, before)
        return new.where(self._close >= 0)

    @property
    def _entered(self) -> int:
        return self._count

    @property
    def _left(self) -> int:
        return self._undecided

    def _starts(self, rows: Batch) -> Ids:
        return rows.ts

    def _ends(self, rows: Batch) -> Ids:
        place = position(rows) - (self._count - len(self._close))
        new = place >= 0
        ends = np.full(len(rows), self._held)
        ends[new] = self._close[place[new]]
        return ends

    def _sweep(self, at: Ids, starts: Mask, ends: Mask) -> tuple[int, Ids, int | None]:
        """When the window that was open closed, FOREVER if it did not; for each new element when
        its window closes, -1 if it is in none; and the first of them whose window is open, None
        if that is the one that was open."""
        opening, closing = np.flatnonzero(starts), np.flatnonzero(ends)
        close = np.full(len(at), -1, np.int64)
        held = FOREVER
        begin = 0  # the first element not looked at
        first = 0  # the first new element of the open window
        was_open = self._limit is not None
        while True:
            if self._limit is None:
                found = np.searchsorted(opening, begin)
                if found == len(opening):
                    return held, close, len(at)
                first = int(opening[found])
                self._limit = saturate(int(at[first]) + self._within)
                begin = first + 1
            stop = min(_from(closing, begin, len(at)), int(np.searchsorted(at, self._limit)))
            stop = max(stop, begin)
            end = self._limit if stop == len(at) else min(int(at[stop]), self._limit)
            close[first:stop] = end
            if stop == len(at):
                return held, close, None if was_open else first
            if was_open:
                held, was_open = end, False
            self._limit, begin = None, stop

    def snapshot(self) -> Saved[Batch]:
        saved = super().snapshot()
        return Saved({**saved.manifest, "limit": self._limit}, saved.runs)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        super().restore(manifest, fetch)
        self._limit = manifest["limit"]


def _from(places: Ids, begin: int, otherwise: int) -> int:
    """The first of ascending `places` at or after `begin`."""
    found = int(np.searchsorted(places, begin))
    return int(places[found]) if found < len(places) else otherwise
