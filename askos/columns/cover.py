"""When anything of a group is valid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from askos.columns.batch import Batch
from askos.columns.factorize import factorize
from askos.columns.ids import Ids
from askos.columns.segments import changes, in_order, running_maximum
from askos.terms import Variable


class Cover(NamedTuple):
    """Disjoint pieces that do not touch, in the order of group and time."""

    group: Ids
    ts: Ids
    te: Ids
    row: Ids
    """An element of the group."""


def cover(group: Ids, ts: Ids, te: Ids) -> Cover:
    """⋃ [ts, te) of each group, as maximal pieces.

    >>> pieces = cover(np.array([0, 0, 0]), np.array([6, 0, 2]), np.array([9, 3, 5]))
    >>> pieces.ts, pieces.te
    (array([0, 6]), array([5, 9]))

    Sorted by start, a piece begins where everything before it has ended.  Cost: a sort.
    """
    rows = in_order(group, ts)
    group, ts, first = group[rows], ts[rows], changes(group[rows])
    ends = running_maximum(te[rows], first)
    new = first.copy()
    new[1:] |= ts[1:] > ends[:-1]
    begin, last = np.flatnonzero(new), np.flatnonzero(np.append(new[1:], True)[: len(new)])
    return Cover(group[begin], ts[begin], ends[last], rows[begin])


def as_set(batch: Batch, variables: Sequence[Variable]) -> Batch:
    """δ of these columns of a batch: every row once at any instant, in maximal pieces.

    Unbound is a value like others.
    """
    batch = batch.project(variables)
    batch.meet(batch)  # from here on equal ids are equal terms
    codes, example = factorize(list(batch.columns.values()), len(batch))
    if _together(batch):
        return batch.take(example)
    _, ts, te, rows = cover(codes, batch.ts, batch.te)
    return batch.take(rows).with_interval(ts, te)


def _together(batch: Batch) -> bool:
    """Whether all elements start together and end together, as between two report instants."""
    ts, te = batch.ts, batch.te
    return len(ts) > 0 and bool((ts == ts[0]).all() and (te == te[0]).all())
