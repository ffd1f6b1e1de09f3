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

    Each border of its cover inside an element cuts it once.  Cost: two binary searches an element,
    and the output.
    """
    borders = np.stack([covered.ts, covered.te], axis=1).ravel()  # of a group: in, out, in, out ..
    both, when = np.concatenate([group, group]), np.concatenate([ts + 1, te])
    places = search(np.repeat(covered.group, 2), borders, both, when, "left")
    low, high = places[: len(ts)], places[len(ts) :]  # the first after ts, the first from te on
    row, place = numbered(np.maximum(high - low, 0) + 1)
    begin, end, at = ts[row], te[row], low[row] + place
    later, earlier = (place > 0).nonzero()[0], (at < high[row]).nonzero()[0]
    begin[later] = borders[at[later] - 1]
    end[earlier] = borders[at[earlier]]
    kept, inside = begin < end, at % 2 == 1
    if kept.all():
        return Parts(row, begin, end, inside)
    return Parts(row[kept], begin[kept], end[kept], inside[kept])


_NONE: Final = np.empty(0, np.int64)
NO_PARTS: Final = Parts(_NONE, _NONE, _NONE, _NONE.astype(np.bool_))
