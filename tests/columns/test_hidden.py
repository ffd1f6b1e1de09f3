"""Hidden columns: numbers that travel as ids."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import Batch
from askos.columns.hidden import HEADER, SEQUENCE, flags, hidden, numbers, sequence_columns, values
from tests.build import X, solution
from tests.columns.batches import batch

LARGEST = 2**63 - 1


@given(st.lists(st.integers(0, 2**50 - 1)))
def test_numbers_come_back(given: list[int]) -> None:
    assert values(numbers(np.array(given, np.int64))).tolist() == given


def test_where_there_is_no_number_it_is_0() -> None:
    assert values(np.array([0, int(numbers(7))])).tolist() == [0, 7]


@given(st.lists(st.integers(0, LARGEST) | st.integers(0, 3)))
def test_sequence_numbers_of_any_size_keep_their_order(given: list[int]) -> None:
    columns = sequence_columns(np.array(given, np.int64))
    halves = [values(columns[name]).tolist() for name in SEQUENCE]
    pairs = list(zip(*halves, strict=True))
    assert [high * 2**32 + low for high, low in pairs] == given
    assert sorted(range(len(given)), key=pairs.__getitem__) == sorted(
        range(len(given)), key=given.__getitem__
    )


def test_hidden_columns_are_told_from_bindings_and_survive_being_stored() -> None:
    shown = batch((solution(x=1), 0, 5), (solution(x=2), 3, 4))
    more = Batch({**shown.columns, HEADER: flags(2)}, shown.ts, shown.te, shown.dictionary)
    again = Batch.from_bytes(more.to_bytes())
    assert set(hidden(again)) == {HEADER}
    assert (again.column(HEADER) == flags(2)).all()
    assert set(again.columns) == {X, HEADER}
