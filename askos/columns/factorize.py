"""Equal rows get equal numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from askos.columns.ids import Ids
from askos.native import flat, native

_native: Final = native("askos.columns._rows")
MOST: Final = 32
"""Columns that compiled code takes."""
_MIX: Final = np.uint64(0x9E3779B97F4A7C15)
_SHIFT: Final = np.uint64(29)


def factorize(columns: Sequence[Ids], count: int) -> tuple[Ids, Ids]:
    """A number from 0 for each distinct row of `columns`, in the order in which they first occur,
    and a row that has each number.

    >>> factorize([np.array([7, 7, 9]), np.array([1, 1, 1])], 3)
    (array([0, 0, 1]), array([0, 2]))

    Cost: a hash of every value, and of the row; rows that only have equal hashes are told apart,
    column by column.
    """
    if not columns:
        return np.zeros(count, np.int64), np.zeros(min(count, 1), np.int64)
    if _native is not None and len(columns) <= MOST:
        codes, example = np.empty(count, np.int64), np.empty(count, np.int64)
        distinct = _native.factorize(flat(columns), codes, example)
        return codes, example[:distinct]
    return by_arrow(columns, count)


def by_arrow(columns: Sequence[Ids], count: int) -> tuple[Ids, Ids]:
    """The same where nothing is compiled; of one column at least."""
    if len(columns) == 1:
        return _numbered(columns[0])
    mixed = np.zeros(count, np.uint64)
    for column in columns:
        mixed = (mixed ^ column.view(np.uint64)) * _MIX
        mixed ^= mixed >> _SHIFT
    codes, example = _numbered(mixed)
    same = all(np.array_equal(column[example][codes], column) for column in columns)
    return (codes, example) if same else _one_after_the_other(columns, count)


def _numbered(values: Ids | np.ndarray[tuple[int], np.dtype[np.uint64]]) -> tuple[Ids, Ids]:
    coded = pa.array(values).dictionary_encode()
    codes = coded.indices.to_numpy().astype(np.int64)
    example = np.empty(len(coded.dictionary), np.int64)
    example[codes[::-1]] = np.arange(len(values))[::-1]
    return codes, example


def _one_after_the_other(columns: Sequence[Ids], count: int) -> tuple[Ids, Ids]:
    """Numbered anew after each column, so that no product can overflow."""
    codes, example = np.zeros(count, np.int64), np.zeros(min(count, 1), np.int64)
    for column in columns:
        own, distinct = _numbered(column)
        codes, example = _numbered(codes * len(distinct) + own)
    return codes, example
