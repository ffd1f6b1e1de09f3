"""Predicate windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from askos.algebra import PredicateWindow
from askos.columns.batch import Batch
from askos.columns.expressions import compile_condition
from askos.columns.ids import Ids, Mask
from askos.interval import FOREVER, saturate
from askos.physical.ordered import OrderedWindow
from askos.physical.timing import Timing
from askos.sweeparea import Fetch, Saved


class PredicateWindowOperator(OrderedWindow):
    """From an element that satisfies one condition up to one that satisfies another;
    snapshot-equivalent to `algebra.PredicateWindow`.

    Streaming SPARQL, section 8, names it as an outlook.  All elements inside belong to the one
    window that is open.  Cost: conditions as arrays, and a few searches per window opened.
    """

    def __init__(self, window: PredicateWindow, timing: Timing) -> None:
        super().__init__(timing)
        self._starts = compile_condition(window.start)
        self._ends = compile_condition(window.end)
        self._within = window.within or FOREVER
        self._limit: int | None = None  # when the open window closes at the latest

    def _assign(self, inside: Batch, new: Batch) -> tuple[Batch, Ids, Ids]:
        none = np.empty(0, np.bool_)
        starts, ends = (self._starts(new), self._ends(new)) if len(new) else (none, none)
        limit = self._limit
        closed, close = self._sweep(new.ts, starts, ends)
        members = np.flatnonzero(close >= 0)
        rows = Batch.concat([inside, new.take(members)])
        held = np.full(len(inside), min(closed, FOREVER if limit is None else limit))
        return rows, rows.ts, np.append(held, close[members])

    def _sweep(self, at: Ids, starts: Mask, ends: Mask) -> tuple[int, Ids]:
        """When the window that was open closed, FOREVER if it did not; and for each new element
        when its window closes, -1 if it is in none."""
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
                    return held, close
                first = int(opening[found])
                self._limit = saturate(int(at[first]) + self._within)
                begin = first + 1
            stop = min(_from(closing, begin, len(at)), int(np.searchsorted(at, self._limit)))
            stop = max(stop, begin)
            end = self._limit if stop == len(at) else min(int(at[stop]), self._limit)
            close[first:stop] = end
            if stop == len(at):
                return held, close
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
