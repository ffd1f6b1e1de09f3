"""The least value that is valid at every instant: MIN, MAX and SAMPLE.

MAX is the least of negated ranks.  Elements are ranges of *slots*, the instants at which anything
changes; slots of all groups stand side by side, and no range crosses from one group to the next.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from askos.columns.ids import Ids, Mask
from askos.columns.segments import backwards, by_time, changes, in_order, running_maximum
from askos.native import flat, native

_native: Final = native("askos.columns._groups")
_NONE: Final = np.empty(0, np.int64)
_NEVER: Final = -1 << 63  # no element ends so early


def least(left: Ids, right: Ids, value: Ids, slots: int, none: int) -> Ids:
    """For every slot the least value of the ranges [left, right) that hold it, `none` if none does.

    >>> least(np.array([0, 1]), np.array([3, 2]), np.array([7, 5]), 4, 99)
    array([ 7,  5,  7, 99])

    A range whose length is in [2^k, 2^(k+1)) is two blocks of 2^k, which may overlap: a minimum
    does not mind.  Blocks are entered at their level, and every level is handed down to the next.
    Cost: two scatters a range, and a pass over the slots for each level; skew costs nothing.
    """
    if _native is not None:
        cells = np.empty(slots, np.int64)
        _native.least(none, (*flat((left, right, value)), cells))
        return cells
    cells = np.full(slots, none, np.int64)
    level = np.frexp((right - left).astype(np.float64))[1] - 1
    for k in range(int(level.max(initial=-1)), -1, -1):
        rows = np.flatnonzero(level == k)
        np.minimum.at(cells, left[rows], value[rows])
        if k:  # cell i stands for [i, i + 2^k)
            np.minimum.at(cells, right[rows] - (1 << k), value[rows])
            half = 1 << (k - 1)
            np.minimum(cells[half:], cells[:-half], out=cells[half:])
    return cells


def can_be_least(group: Ids, te: Ids, value: Ids, cut: int = _NEVER) -> Mask:
    """Of elements that have all started: which may still become the least of their group after the
    cut.

    >>> can_be_least(np.array([0, 0, 0]), np.array([5, 9, 7]), np.array([1, 2, 3]))
    array([ True,  True, False])

    One that ends no later and is no less than another never does.  What is left is a staircase,
    about ln n of n elements whose values come in no particular order; so the state of MIN is this,
    and not the window.  Cost: a sort.
    """
    if _native is not None:
        found, order = np.empty(len(te), np.bool_), by_time(te)
        given = flat((group, te, value, _NONE if order is None else order))
        _native.can_be_least(cut, (*given, found))
        return found
    rows = in_order(group, backwards(te), value)  # whoever ends last comes first
    kept = changes(group[rows])
    lowness = running_maximum(value.max(initial=0) - value[rows], kept)
    kept[1:] |= lowness[1:] > lowness[:-1]
    found = np.zeros(len(te), np.bool_)
    found[rows[kept]] = True
    return found & (te > cut)
