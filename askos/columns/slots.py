"""Slots: the instants at which anything of a group changes, those of all groups side by side."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from askos.columns.ids import Ids
from askos.columns.segments import changes, in_order, search


class Slots(NamedTuple):
    """Stretches of time on which a group stays as it is, in the order of group and time.

    Groups are numbers from 0, each with one slot at least.  A slot lasts to the next one of its
    group, the last one to the cut.
    """

    group: Ids
    ts: Ids
    te: Ids

    def at(self, group: Ids, time: Ids) -> Ids:
        """The first slot of a group that begins at `time` or later; for the cut, the one after its
        last."""
        return search(self.group, self.ts, group, time, "left")

    @property
    def first(self) -> Ids:
        """The first slot of every group."""
        return np.flatnonzero(changes(self.group))

    @property
    def last(self) -> Ids:
        """The last slot of every group."""
        return np.append(self.first, len(self.group))[1:] - 1

    def summed(self, slot: Ids, column: Any) -> Any:
        """What a group holds in every slot, where `column` is what it gains from a slot on.

        >>> made = slots(np.array([0, 0, 1]), np.array([3, 5, 4]), 9)
        >>> made.summed(np.array([0, 1, 2, 2]), np.array([10, -1, 7, 1]))
        array([10,  9,  8])

        Cost: a scatter and a running sum.
        """
        gained = np.zeros(len(self.group), column.dtype)
        np.add.at(gained, slot, column)
        total = np.cumsum(gained)
        before = np.concatenate([np.zeros(1, total.dtype), total])[self.first]
        return total - before[self.group]


def slots(group: Ids, times: Ids, cut: int) -> Slots:
    """The slots of events: a group and an instant before the cut each.

    Cost: a sort.
    """
    rows = in_order(group, times)
    group, times = group[rows], times[rows]
    new = np.flatnonzero(changes(group) | changes(times))
    group, ts = group[new], times[new]
    ends = np.append(ts, cut)[1:]
    ends[np.flatnonzero(changes(group)[1:])] = cut
    return Slots(group, ts, ends)
