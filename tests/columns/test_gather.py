"""Rows of many columns, compiled and not."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import gather

COLUMN = st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=5)


@given(st.lists(st.tuples(COLUMN, st.lists(st.integers(0, 4), max_size=6)), max_size=4))
def test_both_ways_gather_the_same_rows(parts: list[tuple[list[int], list[int]]]) -> None:
    columns = [np.array(column) for column, _ in parts]
    rows = [np.array([at % len(c) for at in places], np.int64) for c, places in parts]
    told = [c[at] for c, places in parts for at in (place % len(c) for place in places)]
    assert gather.gathered(columns, rows).tolist() == told
    with mock.patch.object(gather, "_native", None):
        assert gather.gathered(columns, rows).tolist() == told


@pytest.mark.skipif(gather._native is None, reason="nothing was compiled")
@pytest.mark.parametrize("row", [-1, 3, 1 << 40])
def test_a_row_that_is_not_there_is_refused(row: int) -> None:
    with pytest.raises(IndexError, match="not there"):
        gather.gathered([np.arange(3)], [np.array([row])])
