"""Rows in the order of their hashes: what is compiled of it, beside what stands for it in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.interval import FOREVER
from askos.sweeparea import rows
from askos.sweeparea.rows import bounds, by_hash

pytestmark = pytest.mark.skipif(rows._native is None, reason="nothing was compiled")

IDS = st.integers(0, 3) | st.integers(-(1 << 63), (1 << 63) - 1)
TIMES = st.integers(0, 5) | st.integers(0, FOREVER)


def both(ask: Callable[[], Any]) -> tuple[Any, Any]:
    """What it gives, compiled and not."""
    compiled = ask()
    with mock.patch.object(rows, "_native", None):
        return compiled, ask()


@given(st.integers(0, 3).flatmap(lambda n: st.lists(st.tuples(*[IDS] * n))))
def test_rows_have_the_same_order_and_hashes(keys: list[tuple[int, ...]]) -> None:
    width = len(keys[0]) if keys else 1
    columns = list(np.array(keys, np.int64).reshape(len(keys), width).T)  # with gaps between values
    (hashes, order), (slow, others) = both(lambda: by_hash(columns, len(keys)))
    assert hashes.tolist() == slow.tolist()
    assert order.tolist() == others.tolist()


@given(st.lists(st.tuples(TIMES, TIMES), min_size=1), st.data())
def test_intervals_have_the_same_bounds(
    intervals: list[tuple[int, int]], data: st.DataObject
) -> None:
    ts, te = np.array(intervals, np.int64).T
    place = data.draw(st.integers(0, len(intervals) - 1))
    found, slow = both(lambda: bounds(ts, te, place))
    assert found == slow
    assert found[3] == sorted(te.tolist())[place]


def test_what_does_not_fit_is_refused() -> None:
    some = np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="different lengths"):
        rows._native.by_hash((some[:2],), np.empty(3, np.uint32), np.empty(3, np.int64))
    with pytest.raises(ValueError, match="no such place"):
        rows._native.bounds(some, some, 3)
