"""Equal rows, and rows that only look so."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import factorize as module
from askos.columns.factorize import factorize


def rows() -> st.SearchStrategy[list[tuple[int, ...]]]:
    value = st.sampled_from([0, 1, 2, 2**62, -(2**63), 2**63 - 1])
    return st.integers(0, 3).flatmap(lambda n: st.lists(st.tuples(*[value] * n), max_size=12))


@pytest.mark.parametrize("mix", [int(module._MIX), 0], ids=["apart", "all hashes are equal"])
@given(rows())
def test_equal_rows_have_equal_numbers_in_the_order_of_their_first(
    mix: int, given: list[tuple[int, ...]]
) -> None:
    columns = [np.array(column, np.int64) for column in zip(*given, strict=True)]
    with mock.patch.object(module, "_MIX", np.uint64(mix)):
        codes, example = factorize(columns, len(given))
    distinct = list(dict.fromkeys(given))
    assert codes.tolist() == [distinct.index(row) for row in given]
    assert example.tolist() == [given.index(row) for row in distinct]
