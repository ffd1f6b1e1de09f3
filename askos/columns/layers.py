"""The copies that elements add to those that are there."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from askos.columns.cover import cover
from askos.columns.factorize import factorize
from askos.columns.ids import Ids
from askos.columns.segments import numbered
from askos.columns.slots import slots
from askos.interval import FOREVER

Elements: TypeAlias = tuple[Ids, Ids, Ids]
"""Group, start and end of each."""


class Layers(NamedTuple):
    """Pieces: an element of the group among the new ones, the number of the copy, and when."""

    row: Ids
    number: Ids
    ts: Ids
    te: Ids


def layers(known: Elements, new: Elements) -> Layers:
    """Layer j of a group is valid exactly while more than j elements of it are.  Of all layers,
    what `new` elements add to those of the `known` ones.

    >>> def one(*column: int) -> Elements:
    ...     group, start, end = (np.array([n]) for n in column)
    ...     return group, start, end
    >>> [column.tolist() for column in layers(one(0, 0, 5), one(0, 3, 9))]
    [[0, 0], [1, 0], [3, 5], [5, 9]]

    Groups are numbers from 0, and each has a new element.  Cost: a sort of all elements, and one of
    what comes out.
    """
    sign = np.repeat([1, -1, 1, -1], [len(known[0])] * 2 + [len(new[0])] * 2)
    group = np.concatenate([known[0], known[0], new[0], new[0]])
    times = np.concatenate([*known[1:], *new[1:]])
    # The last slot of a group is behind all its elements: it lasts for ever, and holds nothing.
    made = slots(group, times, FOREVER)
    where = made.event
    after = made.summed(where, sign)
    sign[2 * len(known[0]) :] = 0
    before = made.summed(where, sign)
    slot, place = numbered(after - before)
    number = before[slot] + place
    codes, _ = factorize([made.group[slot], number], len(slot))
    pieces = cover(codes, made.ts[slot], made.te[slot])
    example = np.empty(len(made.first), np.int64)
    example[new[0]] = np.arange(len(new[0]))
    row = example[made.group[slot[pieces.row]]]
    return Layers(row, number[pieces.row], pieces.ts, pieces.te)
