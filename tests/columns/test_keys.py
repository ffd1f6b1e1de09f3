"""Rows as numbers: equal and ordered as the rows are, however few bits there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import keys
from askos.columns.ids import Ids
from askos.columns.keys import Index, Keys, distinct, nth

NUMBERS = st.integers(-5, 5) | st.integers(-(1 << 40), 1 << 40)
ROWS = st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), max_size=12)
BITS = st.sampled_from([1, 4, keys.BITS])
"""With 1, no two columns fit beside each other."""


def columns(rows: Sequence[tuple[int, ...]], width: int = 3) -> list[Ids]:
    return list(np.array(rows, np.int64).reshape(len(rows), width).T)


@given(ROWS, BITS)
def test_numbers_are_equal_and_ordered_as_rows_are(
    rows: list[tuple[int, int, int]], bits: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "BITS", bits)
        _, numbers = Keys.of(columns(rows), len(rows))
    for one, number in zip(rows, numbers.tolist(), strict=True):
        for other, another in zip(rows, numbers.tolist(), strict=True):
            assert (one < other, one == other) == (number < another, number == another)


@given(ROWS, BITS, st.integers(0, 3))
def test_columns_are_read_from_numbers(
    rows: list[tuple[int, int, int]], bits: int, skip: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "BITS", bits)
        known, numbers = Keys.of(columns(rows), len(rows))
    found = known.columns(numbers, skip)
    assert [column.tolist() for column in found] == [c.tolist() for c in columns(rows)[skip:]]


@given(ROWS, ROWS, BITS, st.integers(0, 3), st.booleans())
def test_an_index_finds_the_rows_that_begin_so(
    rows: list[tuple[int, int, int]],
    asked: list[tuple[int, int, int]],
    bits: int,
    width: int,
    alone: bool,
) -> None:
    asked = asked + rows[:3]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "BITS", bits)
        index = Index.of(columns(rows), len(rows))
    known = columns(asked)[:width]
    for number, row in enumerate(asked):
        first, last = index.find([int(c[number]) for c in known] if alone else known)
        ends = [np.broadcast_to(end, len(asked)) for end in (first, last)]
        if not alone:
            first, last = (int(end[number]) for end in ends)
        wanted = [n for n, stored in enumerate(rows) if stored[:width] == row[:width]]
        assert sorted(index.rows[first:last].tolist()) == wanted


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=9))
def test_distinct_rows_are_numbered_and_copies_are_counted(rows: list[tuple[int, int]]) -> None:
    codes, first = distinct(columns(rows, 2), len(rows))
    assert [rows[first[code]] for code in codes] == rows
    assert sorted(rows[n] for n in first) == sorted(set(rows))
    seen = Counter[tuple[int, int]]()
    for row, copy in zip(rows, nth(codes).tolist(), strict=True):
        assert copy == seen[row]
        seen[row] += 1
