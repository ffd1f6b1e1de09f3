"""Which parts of elements are covered."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np

from askos.columns.batch import Batch
from askos.columns.cover import Cover
from askos.columns.ids import Ids, Mask
from askos.columns.segments import numbered, search


class Parts(NamedTuple):
    """Parts of elements, in the order of element and time, and which of them are covered."""

    row: Ids
    ts: Ids
    te: Ids
    inside: Mask

    def of(self, batch: Batch, chosen: Mask) -> Batch:
        """The chosen parts of the elements of `batch`."""
        kept = np.flatnonzero(chosen)
        return replace(batch.take(self.row[kept]), ts=self.ts[kept], te=self.te[kept])


def mark(group: Ids, ts: Ids, te: Ids, covered: Cover) -> Parts:
    """Each element cut where the cover of its group begins or ends; empty parts are left out.

    >>> from askos.columns.cover import cover
    >>> only = cover(np.array([0]), np.array([3]), np.array([5]))
    >>> parts = mark(np.array([0]), np.array([0]), np.array([9]), only)
    >>> parts.ts, parts.te, parts.inside
    (array([0, 3, 5]), array([3, 5, 9]), array([False,  True, False]))

    An element that meets n pieces has at most 2n + 1 parts: gap, piece, gap, .. gap.  Cost: two
    binary searches an element, and the output.
    """
    low = search(covered.group, covered.te, group, ts, "right")  # the first that ends after ts
    high = search(covered.group, covered.ts, group, te, "left")  # the first from te on
    pieces = np.maximum(high - low, 0)
    row, place = numbered(2 * pieces + 1)
    # The borders of all pieces in a row: part n of an element lies between two neighbours.
    borders = np.stack([covered.ts, covered.te], axis=1).ravel()
    at = 2 * low[row] + place
    begin, end = ts[row], te[row]
    later, earlier = np.flatnonzero(place > 0), np.flatnonzero(place < 2 * pieces[row])
    begin[later] = np.maximum(begin[later], borders[at[later] - 1])
    end[earlier] = np.minimum(end[earlier], borders[at[earlier]])
    kept = np.flatnonzero(begin < end)
    return Parts(row[kept], begin[kept], end[kept], place[kept] % 2 == 1)


_NONE: Final = np.empty(0, np.int64)
NO_PARTS: Final = Parts(_NONE, _NONE, _NONE, _NONE.astype(np.bool_))
