"""Groups side by side in one array: their order, and running maxima that begin anew in each.

Groups are numbers from 0, as `factorize` gives them, or rows.  What orders by (group, time) packs
both into one integer, because sorting and searching integers is several times faster.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import numpy.typing as npt

from askos.interval import FOREVER
from askos.native import flat, native

if TYPE_CHECKING:
    from askos.columns.ids import Ids, Mask

_native: Final = native("askos.columns._groups")
_BITS: Final = 63


def in_order(group: Ids, times: Ids, further: Ids | None = None) -> Ids:
    """The stable order by group and time, and by further numbers from 0 where there are any.

    >>> in_order(np.array([1, 0, 0]), np.array([3, 8, 5]))
    array([2, 1, 0])

    Cost: a sort of integers; of pairs, where times are so far apart that they fit into none.
    """
    width = len(group).bit_length()
    more = 0 if further is None else int(further.max(initial=0)).bit_length()
    packed = _packed(group, times, width + more)
    if packed is None:
        return np.lexsort((times, group) if further is None else (further, times, group))
    if further is not None:
        packed = packed << more | further
    packed = packed << width | np.arange(len(group))
    packed.sort()
    return packed & (1 << width) - 1


def by_time(times: Ids) -> Ids | None:
    """The stable order by time; None where that is how they come.

    Cost: a pass where they do, and a few more where they are close together, as those of one step
    are: numbers of few bits are ordered without comparing them.
    """
    if _native is not None:
        order = np.empty(len(times), np.int64)
        return order if _native.by_time((*flat([times]), order)) else None
    if (times[1:] >= times[:-1]).all():
        return None
    first = times.min()
    if times.max() - first < 1 << 16:
        return np.argsort((times - first).astype(np.uint16), kind="stable")
    return in_order(np.zeros(len(times), np.int64), times)


def search(groups: Ids, times: Ids, group: Ids, time: Ids, side: Literal["left", "right"]) -> Ids:
    """Where each (group, time) belongs among ascending (groups, times): `np.searchsorted`.

    Cost: a binary search each; fast where neighbours search in the same place.
    """
    every, when = np.concatenate([groups, group]), np.concatenate([times, time])
    packed = _packed(every, when)
    if packed is None:  # ranks always fit
        ranks = [np.unique(column, return_inverse=True)[1] for column in (every, when)]
        packed = ranks[0] * len(every) + ranks[1]
    return np.searchsorted(packed[: len(groups)], packed[len(groups) :], side)


def running_maximum(values: Ids, first: Mask) -> Ids:
    """The maximum so far, within segments that begin where `first` is true.

    >>> running_maximum(np.array([3, 1, 2, 7]), np.array([True, False, True, False]))
    array([3, 3, 2, 7])
    """
    falls = values[1:] < values[:-1]
    falls &= ~first[1:]
    if not falls.any():  # as where all elements last equally long
        return values
    packed = _packed(np.cumsum(first), values)
    if packed is None:
        distinct, ranks = np.unique(values, return_inverse=True)
        return np.asarray(distinct[running_maximum(ranks, first)])
    # A later segment has the larger numbers, and numbers of one segment order as its values.
    np.maximum.accumulate(packed, out=packed)
    shifted, bits = _shifted(values)
    found = packed & (1 << bits) - 1
    most = found == shifted.max(initial=0)  # of which FOREVER is not where it was
    return np.asarray(np.where(most, values.max(initial=0), found + values.min(initial=FOREVER)))


def _packed(group: Ids, times: Ids, spare: int = 0) -> Ids | None:
    """(group, time) as one number that orders as they do, if that leaves `spare` bits free."""
    shifted, bits = _shifted(times)
    most = int(group.max()) if len(group) else 0
    if most.bit_length() + bits + spare > _BITS:
        return None
    packed: Ids = group << bits | shifted
    return packed


def _shifted(times: Ids) -> tuple[Ids, int]:
    """Times from the first of them on, with FOREVER right after the last, and the bits they take:
    one static element, or times since 1970, must not take all of them."""
    if not len(times):
        return times, 0
    first, last = int(times.min()), int(times.max())
    if last < FOREVER:
        return times - first, (last - first).bit_length()
    endless = times == FOREVER
    last = int(times.max(initial=first, where=~endless)) + 1 if first < FOREVER else first
    return np.where(endless, last, times) - first, (last - first).bit_length()


def backwards(times: Ids) -> Ids:
    """Numbers from 0 that order as times do, the last one first."""
    shifted, _ = _shifted(times)
    return np.asarray(shifted.max(initial=0) - shifted)


def changes(values: npt.NDArray[np.integer[Any]]) -> Mask:
    """Where a value differs from the one before; true for the first."""
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def numbered(counts: Ids) -> tuple[Ids, Ids]:
    """Row i `counts[i]` times: the rows, and 0, 1, 2 .. within each.

    >>> numbered(np.array([2, 0, 1]))
    (array([0, 0, 2]), array([0, 1, 0]))
    """
    rows = np.repeat(np.arange(len(counts)), counts)
    return rows, np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
