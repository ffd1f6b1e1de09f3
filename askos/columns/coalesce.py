"""Adjacent pieces of one solution become one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from askos.columns.batch import Batch
from askos.columns.factorize import MOST, factorize
from askos.columns.ids import Ids
from askos.columns.segments import by_time, changes
from askos.native import flat, native

_native: Final = native("askos.columns._rows")


def coalesce(batch: Batch) -> Batch:
    """Join pieces of equal solutions where one ends when the next starts.

    What one step emits is cut at events that changed nothing one can see; interval reports
    leave those cuts out.  Equal copies stay as many as they are.  In the order of ts.
    """
    if len(batch) < 2:
        return batch
    if batch.ts.max() < batch.te.min():  # none ends before all have started
        return batch.sorted()
    codes, _ = factorize(list(batch.columns.values()), len(batch))
    order = np.lexsort((batch.te, batch.ts, codes))
    ordered, codes = batch.take(order), codes[order]
    joined = (codes[1:] == codes[:-1]) & (ordered.ts[1:] == ordered.te[:-1])
    if not joined.any():
        return batch.sorted()
    first, last = np.append(True, ~joined), np.append(~joined, True)
    heads = ordered.take(np.flatnonzero(first))
    return heads.with_interval(heads.ts, ordered.te[last]).sorted()


def joined(pieces: Batch, *, sorted: bool = False) -> Batch:
    """Without borders between neighbours at which nothing changes; `sorted`: in the order of ts."""
    first = beginnings(list(pieces.columns.values()), pieces.ts, pieces.te)
    if len(first) == len(pieces):
        return pieces.sorted() if sorted else pieces
    ts, te = pieces.ts[first], pieces.te[np.append(first[1:], len(pieces)) - 1]
    order = by_time(ts) if sorted else None
    if order is not None:
        first, ts, te = first[order], ts[order], te[order]
    return pieces.take_on(first, ts, te)


def beginnings(columns: Sequence[Ids], ts: Ids, te: Ids) -> Ids:
    """The rows that do not go on from the one before, with the same ids and from its end.

    >>> beginnings([np.array([7, 7, 7, 9])], np.array([0, 2, 5, 6]), np.array([2, 4, 6, 8]))
    array([0, 2, 3])
    """
    if _native is not None and len(columns) <= MOST:
        first = np.empty(len(ts), np.int64)
        return first[: _native.beginnings(flat(columns), *flat((ts, te)), first)]
    new = np.ones(len(ts), np.bool_)
    new[1:] = ts[1:] != te[:-1]
    for ids in columns:
        new |= changes(ids)
    return np.flatnonzero(new)
