"""Slots: the instants at which anything of a group changes, those of all groups side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from askos.columns.ids import Ids
from askos.columns.segments import by_time, changes, in_order, search
from askos.native import flat, native

_native: Final = native("askos.columns._groups")
_NONE: Final = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Stretches of time on which a group stays as it is, in the order of group and time.

    Groups are numbers from 0, each with one slot at least.  A slot lasts to the next one of its
    group, the last one to the cut.  `event` is the slot that each event begins, `first` and `last`
    are those of every group.
    """

    group: Ids
    ts: Ids
    te: Ids
    event: Ids
    first: Ids
    last: Ids

    def __len__(self) -> int:
        return len(self.group)

    def at(self, group: Ids, time: Ids) -> Ids:
        """The first slot of a group that begins at `time` or later; for the cut, the one after its
        last."""
        return search(self.group, self.ts, group, time, "left")

    def ranges(self, group: Ids, te: Ids, slot: Ids, cut: int) -> tuple[Ids, Ids]:
        """The slots in which elements are valid, from one up to another.  The last of them start in
        `slot`; the others were there before.

        >>> made = slots(np.array([0, 0, 1]), np.array([3, 5, 4]), 9)
        >>> made.ranges(np.array([0, 1, 0]), np.array([5, 9, 9]), np.array([1]), 9)
        (array([0, 2, 1]), array([1, 3, 2]))
        """
        if _native is not None:
            left, right = np.empty((2, len(group)), np.int64)
            given = flat((self.first, self.last, self.ts, group, te, slot))
            _native.ranges(cut, (*given, left, right))
            return left, right
        left = np.concatenate([self.first[group[: len(group) - len(slot)]], slot])
        right = self.last[group] + 1
        ended = np.flatnonzero(te < cut)
        right[ended] = self.at(group[ended], te[ended])
        return left, right

    def summed(self, slot: Ids, column: Any, held: Any = None) -> Any:
        """What a group holds in every slot, where `column` is what it gains from a slot on; the
        first groups may have `held` something before.

        >>> made = slots(np.array([0, 0, 1]), np.array([3, 5, 4]), 9)
        >>> made.summed(np.array([0, 1, 2, 2]), np.array([10, -1, 7, 1]), np.array([100]))
        array([110, 109,   8])

        Cost: a scatter and a running sum.
        """
        if _native is not None and column.dtype == np.int64:
            sums, known = np.empty(len(self.group), np.int64), _NONE if held is None else held
            _native.summed((*flat((self.group, slot, column, self.first, known)), sums))
            return sums
        gained = np.zeros(len(self.group), column.dtype)
        if held is not None:
            gained[self.first[: len(held)]] = held
        np.add.at(gained, slot, column)
        if len(self.first) == len(self.group):  # a slot each
            return gained
        total = np.cumsum(gained)
        before = total[self.first] - gained[self.first]
        return total - before[self.group]


def slots(group: Ids, times: Ids, cut: int) -> Slots:
    """The slots of events: a group and an instant before the cut each.

    Cost: a sort, unless all are of one instant.
    """
    if len(times) and times[0] == times[-1] and (times == times[0]).all():
        each = np.arange(int(group.max()) + 1)
        ts, te = np.full(len(each), times[0]), np.full(len(each), cut)
        return Slots(each, ts, te, group, each, each)
    if _native is not None:
        order = by_time(times)
        own, ts, te, event, first, last = np.empty((6, len(times)), np.int64)
        given = flat((group, times, _NONE if order is None else order))
        count, groups = _native.slots(cut, (*given, own, ts, te, event, first, last))
        return Slots(own[:count], ts[:count], te[:count], event, first[:groups], last[:groups])
    rows = in_order(group, times)
    group, times = group[rows], times[rows]
    new = changes(group)
    new[1:] |= times[1:] != times[:-1]
    event = np.empty(len(rows), np.int64)
    event[rows] = np.cumsum(new) - 1
    begin = np.flatnonzero(new)
    group, ts = group[begin], times[begin]
    first = np.flatnonzero(changes(group))
    last = np.append(first[1:], len(group))[: len(first)] - 1
    ends = np.append(ts[1:], cut)[: len(ts)]
    ends[last] = cut
    return Slots(group, ts, ends, event, first, last)
