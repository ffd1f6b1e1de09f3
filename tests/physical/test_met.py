"""Three ways to tell when left elements have partners: each gives the same parts."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given

from askos.columns import Batch, Dictionary
from askos.columns.ids import Ids
from askos.columns.mark import mark
from askos.physical.merge import Pairs
from askos.physical.met import Keyed, Met, met_by_key, met_by_row
from tests.build import X
from tests.columns.test_cover import Elements, columns, elements


def as_batch(given: Elements) -> Batch:
    key, ts, te = columns(given)
    return Batch({X: key}, ts, te, Dictionary())


def paired(left: Batch, right: Batch) -> Pairs:
    """All pairs that overlap and have one key."""
    found = [
        (mine, theirs)
        for mine, theirs in product(range(len(left)), range(len(right)))
        if left.column(X)[mine] == right.column(X)[theirs]
        and left.ts[mine] < right.te[theirs]
        and right.ts[theirs] < left.te[mine]
    ]
    rows, partners = np.array(found, np.int64).reshape(-1, 2).T
    return Pairs(left, rows, right, partners)


def parts(left: Batch, met: Met) -> list[list[Ids]]:
    found = mark(met.group, left.ts, left.te, met.covered)
    return [column.tolist() for column in found]


@given(elements(6), elements(9), elements(2))
def test_partners_by_key_and_by_row_cut_elements_alike(
    mine: Elements, theirs: Elements, others: Elements
) -> None:
    left, right, more = as_batch(mine), as_batch(theirs), as_batch(others)
    key, pairs, further = left.column(X), paired(left, right), paired(left, more)
    for some in ([pairs], [further], [pairs, further], []):
        by_row = parts(left, met_by_row(len(left), some))
        assert parts(left, met_by_key([key], len(left), some)) == by_row
    keyed = Keyed(right, [right.column(X)])
    assert parts(left, keyed.met(len(left), [pairs])) == parts(left, met_by_row(len(left), [pairs]))
