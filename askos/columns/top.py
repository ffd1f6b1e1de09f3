"""The first places among what is valid, at every instant: ORDER BY with LIMIT and OFFSET."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from askos.columns.ids import Ids, Mask
from askos.columns.segments import backwards, changes, in_order
from askos.interval import FOREVER
from askos.native import flat, native

_native: Final = native("askos.columns._groups")
_FEW: Final = 128


class Pieces(NamedTuple):
    """Parts of elements, by row."""

    row: Ids
    ts: Ids
    te: Ids


def top(group: Ids, ts: Ids, te: Ids, rank: Ids, places: int) -> Pieces:
    """When each element is among the first `places` of its group, in maximal pieces.

    >>> pieces = top(np.array([0, 0]), np.array([0, 3]), np.array([9, 6]), np.array([1, 0]), 1)
    >>> [column.tolist() for column in pieces]
    [[0, 0, 1], [0, 6, 3], [3, 9, 6]]

    Ranks are different numbers from 0.  One event, a start or an end, moves at most one element in
    and one out; the rank that is last before and after it says which.  So there are O(n) moves
    however many places there are.  Cost: two sorts, and what `kth_valid` costs.
    """
    count, times = len(ts), np.concatenate([ts, te])
    by_rank = np.argsort(rank)
    event = in_order(np.concatenate([group, group]), times)
    row, sign = event % max(count, 1), np.where(event < count, 1, -1)
    first = changes(group[row])
    last = kth_valid(rank[row], sign, first, places, none=count)
    before = np.append(count, last)[: len(last)]
    before[first] = count
    own = np.flatnonzero(rank[row] <= np.where(sign > 0, last, before))
    other = np.where(sign > 0, before, last)[own]  # gives way, or moves up
    beside = np.flatnonzero(other < count)
    rows = np.concatenate([row[own], by_rank[other[beside]]])
    when = np.concatenate([times[event[own]], times[event[own[beside]]]])
    return in_and_out(rows, when, np.concatenate([sign[own], -sign[own[beside]]]))


def in_and_out(rows: Ids, times: Ids, signs: Ids) -> Pieces:
    """From when to when each row is in, given its moves: those of one instant cancel out."""
    order = in_order(rows, times)
    rows, times = rows[order], times[order]
    new = (changes(rows) | changes(times)).nonzero()[0]
    net = np.add.reduceat(signs[order], new) if len(new) else new
    moved = new[net != 0]  # of each row: in, out, in, out ..
    return Pieces(rows[moved[::2]], times[moved[::2]], times[moved[1::2]])


def kth_valid(rank: Ids, sign: Ids, first: Mask, places: int, none: int) -> Ids:
    """After each event the rank in place `places` among the valid ones of its group, or `none`.

    Events are in the order of group and time, `first` begins a group.  A wavelet matrix, descended
    by all events at once: bit by bit from the top, events with a 0 move before those with a 1, and
    the number of valid elements with a 0 says on which side the wanted one is.  Cost: a dozen
    passes for each bit of the ranks, whatever `places` is.  Compiled, it is a tree of counts, which
    takes one event after the other.
    """
    count = len(rank)
    if _native is not None:
        found = np.empty(count, np.int64)
        _native.kth_valid(places, none, (*flat((rank, sign)), first, found))
        return found
    begin = first.nonzero()[0][np.cumsum(first) - 1]
    total = np.append(0, np.cumsum(sign))
    enough = total[1:] - total[begin] >= places
    low, high = begin, np.arange(1, count + 1)
    wanted, found = np.full(count, places - 1), np.zeros(count, np.int64)
    zeros, valid = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    for bit in range(int(rank.max(initial=0)).bit_length() - 1, -1, -1):
        one = rank >> bit & 1
        zero = 1 - one
        zero.cumsum(out=zeros[1:])
        (sign * zero).cumsum(out=valid[1:])
        smaller = valid[high] - valid[low]
        up = wanted >= smaller
        wanted -= smaller * up
        found |= up.astype(np.int64) << bit
        low0, high0 = zeros[low], zeros[high]
        low = np.where(up, zeros[-1] + low - low0, low0)
        high = np.where(up, zeros[-1] + high - high0, high0)
        order = np.concatenate([zero.nonzero()[0], one.nonzero()[0]])
        rank, sign = rank[order], sign[order]
    return np.where(enough, found, none)


def can_be_first(group: Ids, te: Ids, rank: Ids, places: int) -> Mask:
    """Of elements that have all started: which may still come among the first `places` of their
    group.  Not those that as many better ones outlive.

    >>> can_be_first(np.array([0, 0, 0]), np.array([5, 9, 7]), np.array([1, 2, 3]), 1)
    array([ True,  True, False])

    About places · ln(n / places) of n stay: the skyband.  Cost: a sort, and what `kth_valid` costs;
    few elements are compared with each other.
    """
    if len(rank) <= _FEW:
        outlives = (rank < rank[:, np.newaxis]) & (te >= te[:, np.newaxis])
        outlives &= group == group[:, np.newaxis]
        return np.asarray(np.count_nonzero(outlives, axis=1) < places)
    rows = np.argsort(rank)  # of those that end together, the better one outlives the other
    rows = rows[in_order(group[rows], backwards(te[rows]))]
    one = np.ones(len(rows), np.int64)
    limit = kth_valid(rank[rows], one, changes(group[rows]), places, none=FOREVER)
    found = np.zeros(len(rows), np.bool_)
    found[rows] = rank[rows] <= limit
    return found


def bound(group: Ids, rank: Ids, places: int, groups: int) -> Ids:
    """The rank in place `places` of every group; FOREVER where a group has fewer members.

    What is valid for a whole step bounds what can be among the first in it.
    """
    rows = in_order(group, rank)
    first = changes(group[rows]).nonzero()[0]
    size = np.diff(np.append(first, len(rows)))
    found = np.full(groups, FOREVER)
    full = first[size >= places]
    found[group[rows[full]]] = rank[rows[full + places - 1]]
    return found
