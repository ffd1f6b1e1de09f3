"""Rows of many columns as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from askos.columns.ids import Ids
from askos.native import flat, native

_native: Final = native("askos.columns._rows")


def gathered(columns: Sequence[Ids], rows: Sequence[Ids]) -> Ids:
    """Rows of each column, one column after the other: written where they belong at once.

    >>> gathered([np.array([5, 6]), np.array([7])], [np.array([1, 0, 1]), np.array([0])])
    array([6, 5, 6, 7])
    """
    found = np.empty(sum(map(len, rows)), np.int64)
    if _native is not None:
        _native.gather(flat(columns), flat(rows), found)
        return found
    begin = 0
    for column, places in zip(columns, rows, strict=True):
        end = begin + len(places)
        column.take(places, out=found[begin:end], mode="clip")  # unlike `raise`, in place
        begin = end
    return found
