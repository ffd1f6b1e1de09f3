"""Negative elements: they take back of a validity what turns out to be too much of it.

An element whose end is not known yet is given once, up to the last instant at which it can end; it
has a mark, that it is *open*.  When its end is known and is an earlier one, a *negative* element
with the same columns takes the rest back, from the end to that last instant.  At every instant the
positive elements less the negative ones are the bag that is meant.

Krämer compares intervals with positive and negative elements, one at each end of a validity; this
is both: intervals where ends are known, and a negative element where one was not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from askos.columns.batch import Batch
from askos.columns.cover import Cover, cover
from askos.columns.factorize import factorize
from askos.columns.hidden import NEGATIVE, OPEN, flags
from askos.columns.ids import Ids, Mask
from askos.columns.segments import numbered
from askos.columns.slots import Slots, slots
from askos.interval import FOREVER


def negative(batch: Batch) -> Mask | None:
    """Which elements are negative; None where none is."""
    signs = batch.columns.get(NEGATIVE)
    return signs != 0 if signs is not None and signs.any() else None


def negated(batch: Batch) -> Batch:
    """The same elements, those that were positive being negative and the other way round."""
    signs = batch.column(NEGATIVE) ^ flags(len(batch))
    return batch.with_columns({**batch.columns, NEGATIVE: signs})


def opened(batch: Batch) -> Batch:
    """The same elements; each may be taken back."""
    return batch.with_columns({**batch.columns, OPEN: flags(len(batch))})


def known(batch: Batch) -> tuple[Batch, Batch]:
    """The elements whose ends are known, and those that are open."""
    marks = batch.columns.get(OPEN)
    if marks is None:
        return batch, batch.slice(0, 0)
    return _unsigned(batch.where(marks == 0)), batch.where(marks != 0)


def parted(batch: Batch) -> tuple[Batch, Batch]:
    """The positive elements and the negative ones, as elements."""
    minus, rows = negative(batch), _unsigned(batch)
    return (rows, rows.slice(0, 0)) if minus is None else (rows.where(~minus), rows.where(minus))


def settled(batch: Batch) -> Batch:
    """Positive elements alone: at every instant as many as positive ones less negative ones.

    No row may be negative at any instant; and whoever asks has seen to it that equal ids are equal
    terms.  Cost: a hash of every row; a sort of those that have negative ones among their equals.
    """
    minus, rows = negative(batch), _unsigned(batch)
    if minus is None:
        return rows
    codes, example = factorize(list(rows.columns.values()), len(rows))
    touched = np.zeros(len(example), np.bool_)
    touched[codes[minus]] = True
    mine = touched[codes]
    return Batch.concat([rows.where(~mine), _net(rows.where(mine), codes[mine], minus[mine])])


def cancelled(batch: Batch, time: int) -> Batch:
    """The same elements from `time` on, with as few rows as can be: what began by then and a
    negative one that did, of one end, are nothing together.

    Cost: a hash of every row.
    """
    minus = negative(batch)
    if minus is None:
        return batch
    begun = batch.ts <= time
    rows = batch.without(NEGATIVE).where(begun)
    rows.meet(rows)  # from here on equal ids are equal terms
    codes, example = factorize([*rows.columns.values(), rows.te], len(rows))
    net = np.zeros(len(example), np.int64)
    np.add.at(net, codes, np.where(minus[begun], -1, 1))
    left = [rows.take(example.repeat(np.maximum(sign * net, 0))) for sign in (1, -1)]
    return Batch.concat([left[0], negated(left[1]), batch.where(~begun)])


def _unsigned(batch: Batch) -> Batch:
    return batch.without(NEGATIVE, OPEN)


def positive(group: Ids, ts: Ids, te: Ids, minus: Mask) -> Cover:
    """When there are more positive elements of a group than negative ones.  Cost: a sort."""
    codes, example = factorize([group], len(group))
    made, count = _counted(codes, ts, te, minus)
    some = np.flatnonzero(count > 0)
    return cover(group[example][made.group[some]], made.ts[some], made.te[some])


def _net(rows: Batch, groups: Ids, minus: Mask) -> Batch:
    """Copy j of a row, wherever there are more than j."""
    codes, example = factorize([groups], len(rows))
    made, count = _counted(codes, rows.ts, rows.te, minus)
    slot, copy = numbered(count)
    copies, _ = factorize([made.group[slot], copy], len(slot))
    pieces = cover(copies, made.ts[slot], made.te[slot])
    found = rows.take(example[made.group[slot[pieces.row]]])
    return replace(found, ts=pieces.ts, te=pieces.te)


def _counted(group: Ids, ts: Ids, te: Ids, minus: Mask) -> tuple[Slots, Ids]:
    """How many elements a group has, between any two changes."""
    sign = np.where(minus, -1, 1)
    made = slots(np.tile(group, 2), np.concatenate([ts, te]), FOREVER)
    return made, made.summed(made.event, np.concatenate([sign, -sign]))
