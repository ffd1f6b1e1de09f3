"""What is compiled of groups, beside what stands for it in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import least, segments, slots, top
from askos.columns.segments import changes
from askos.interval import FOREVER
from tests.columns.test_cover import EPOCH

pytestmark = pytest.mark.skipif(slots._native is None, reason="nothing was compiled")

TIMES = st.integers(0, 9) | st.integers(EPOCH, EPOCH + 70_000)
SIZES = st.integers(0, 9) | st.integers(0, 1 << 52)


def both(module: ModuleType, ask: Any) -> tuple[Any, Any]:
    """What it gives, compiled and not."""
    compiled = ask()
    with mock.patch.object(module, "_native", None):
        return compiled, ask()


def dense(groups: list[int]) -> np.ndarray[Any, Any]:
    """Groups as numbers from 0, each of which there is."""
    return np.unique(np.array(groups, np.int64), return_inverse=True)[1].astype(np.int64)


def columns(rows: Sequence[tuple[int, ...]], width: int) -> list[np.ndarray[Any, Any]]:
    """With gaps between the values of a column."""
    return list(np.array(rows, np.int64).reshape(-1, width).T)


@given(st.lists(st.tuples(st.integers(0, 3), TIMES, st.integers(-(2**62), 2**62))), st.data())
def test_groups_have_the_same_slots_and_hold_the_same(
    events: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    group, (_, times, gains) = dense([g for g, _, _ in events]), columns(events, 3)
    one, other = both(slots, lambda: slots.slots(group, times, EPOCH + 80_000))
    for name in ("group", "ts", "te", "event", "first", "last"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    some = np.arange(data.draw(st.integers(0, len(one.first))))
    for held in (None, some):
        sums, expected = both(slots, lambda held=held: one.summed(one.event, gains, held))
        assert sums.tolist() == expected.tolist()


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), SIZES)))
def test_slots_have_the_same_least_values(ranges: list[tuple[int, int, int]]) -> None:
    left, length, value = columns(ranges, 3)
    right = np.minimum(left + length, 41)
    found, expected = both(least, lambda: least.least(left, right, value, 41, 1 << 60))
    assert found.tolist() == expected.tolist()


@given(st.lists(st.tuples(st.integers(0, 2), TIMES | st.just(FOREVER), SIZES)), TIMES)
def test_the_same_can_be_least(rows: list[tuple[int, int, int]], cut: int) -> None:
    _, te, value = columns(rows, 3)
    group = dense([g for g, _, _ in rows])
    found, expected = both(least, lambda: least.can_be_least(group, te, value))
    assert found.tolist() == expected.tolist()
    found, later = both(least, lambda: least.can_be_least(group, te, value, cut))
    assert found.tolist() == later.tolist() == (expected & (te > cut)).tolist()


@given(st.lists(TIMES | st.integers(-(1 << 62), FOREVER)))
def test_times_have_the_same_order(given: list[int]) -> None:
    (times,) = columns([(time,) for time in given], 1)
    found, expected = both(segments, lambda: segments.by_time(times))
    assert (found is None) == (expected is None) == (sorted(given) == given)
    if found is not None:
        assert found.tolist() == expected.tolist()
        assert found.tolist() == sorted(range(len(given)), key=given.__getitem__)


EVENTS = st.lists(st.tuples(st.integers(0, 3), TIMES), min_size=1)
VALID = st.lists(st.tuples(st.integers(0, 99), TIMES | st.just(FOREVER)))


@given(EVENTS, VALID, st.sampled_from([10, EPOCH + 80_000]))
def test_elements_are_valid_in_the_same_slots(
    events: list[tuple[int, int]], valid: list[tuple[int, int]], cut: int
) -> None:
    group, (_, times) = dense([g for g, _ in events]), columns(events, 2)
    made = slots.slots(group, np.minimum(times, cut - 1), cut)
    begun = len(valid) // 2  # the others were there before
    own = np.array([event % len(group) for event, _ in valid], np.int64)
    te = np.array([end for _, end in valid], np.int64)
    given = (group[own], te, made.event[own[begun:]], cut)
    (left, right), (other, end) = both(slots, lambda: made.ranges(*given))
    assert left.tolist() == other.tolist()
    assert right.tolist() == end.tolist()


@given(st.lists(st.integers(0, 3)), st.integers(1, 4), st.randoms(use_true_random=False))
def test_the_same_is_in_a_place(groups: list[int], places: int, random: Any) -> None:
    order = list(range(len(groups)))
    random.shuffle(order)
    # Every element starts, and then ends.
    group = np.repeat(np.sort(np.array(groups, np.int64)), 2)
    rank, sign = np.repeat(np.array(order, np.int64), 2), np.tile([1, -1], len(order))
    for here in range(4):  # starts and ends of a group in any order, an end after its start
        rows = np.flatnonzero(group == here)
        kept = [random.random() for _ in rows]
        when = [max(kept[i - 1 : i + 1]) if i % 2 else kept[i] for i in range(len(rows))]
        again = rows[np.argsort(when, kind="stable")]
        rank[rows], sign[rows] = rank[again], sign[again]
    args = (rank, sign, changes(group), places, len(order))
    found, expected = both(top, lambda: top.kth_valid(*args))
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda native, one, many: native.summed((many, one + 9, one, many, one[:0], many)),
        lambda native, one, many: native.slots(5, (many, one, one, *[many] * 6)),
        lambda native, one, many: native.slots(5, (many - 4, many, one[:0], *[many] * 6)),
        lambda native, one, many: native.least(5, (one, one + 9, one, many)),
        lambda native, one, many: native.can_be_least(5, (many, one, one, one[:0], many)),
        lambda native, one, many: native.by_time((many, one)),
        lambda native, one, many: native.ranges(5, (one, one, one, one + 9, one, one, many, many)),
        lambda native, one, many: native.ranges(5, (one, one + 9, one, one, one, one, many, many)),
        lambda native, one, many: native.ranges(5, (one, one, one, one, one, many, many, many)),
        lambda native, one, many: native.kth_valid(1, 5, (one, one, one[:0], many)),
    ],
)
def test_what_does_not_fit_is_refused_and_not_read(call: Any) -> None:
    with pytest.raises(ValueError, match="columns of different lengths"):
        call(slots._native, np.zeros(1, np.int64), np.arange(3))
