"""The least value of each group, and slots, against what they mean at each instant."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askos.columns.least import can_be_least, least
from askos.columns.slots import slots
from askos.interval import FOREVER
from tests.columns.test_cover import EPOCH

NONE = 999


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 9)), max_size=12))
def test_every_slot_has_the_least_value_of_the_ranges_that_hold_it(
    given: list[tuple[int, int, int]],
) -> None:
    left, right, value = np.array(given, np.int64).reshape(-1, 3).T
    right = np.minimum(left + right, 40)
    found = least(left, right, value, 40, NONE).tolist()
    for slot in range(40):
        held = [v for (start, _, v), end in zip(given, right, strict=True) if start <= slot < end]
        assert found[slot] == min(held, default=NONE)


Members = list[tuple[int, int, int]]
"""Group, end and value."""


@st.composite
def members(draw: st.DrawFn) -> Members:
    """Elements that have all started, of groups numbered from 0."""
    base = draw(st.sampled_from([0, EPOCH]))
    ends = st.integers(base + 1, base + 9) | st.just(FOREVER)
    return draw(st.lists(st.tuples(st.integers(0, 2), ends, st.integers(0, 5)), max_size=14))


@given(members())
def test_what_is_left_of_a_group_has_its_least_value_as_long_as_it_lasts(given: Members) -> None:
    group, te, value = np.array(given, np.int64).reshape(-1, 3).T
    kept = can_be_least(group, te, value).tolist()
    left = [one for one, stays in zip(given, kept, strict=True) if stays]
    for time in {end - 1 for _, end, _ in given}:
        for number in range(3):

            def lowest(some: Members, number: int = number, time: int = time) -> int:
                return min((v for g, end, v in some if g == number and end > time), default=NONE)

            assert lowest(left) == lowest(given)
    assert len({(g, end) for g, end, _ in left}) == len(left)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 8)), max_size=10))
def test_slots_are_the_stretches_between_events(given: list[tuple[int, int]]) -> None:
    known = {group: place for place, group in enumerate(dict.fromkeys(g for g, _ in given))}
    events = [(known[group], time) for group, time in given]
    group, times = np.array(events, np.int64).reshape(-1, 2).T
    made = slots(group, times, 9)
    assert list(zip(made.group, made.ts, strict=True)) == sorted(set(events))
    assert [(made.group[slot], made.ts[slot]) for slot in made.event] == events
    for place, (own, start, end) in enumerate(zip(made.group, made.ts, made.te, strict=True)):
        later = [time for g, time in events if g == own and time > start]
        assert end == min(later, default=9)
        assert made.at(np.array([own]), np.array([start])).tolist() == [place]
    assert made.group[made.first].tolist() == made.group[made.last].tolist()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(-3, 3)), max_size=10))
def test_groups_hold_what_they_gained_so_far(given: list[tuple[int, int, int]]) -> None:
    known = {group: place for place, group in enumerate(dict.fromkeys(g for g, _, _ in given))}
    events = [(known[group], time, gain) for group, time, gain in given]
    group, times, gains = np.array(events, np.int64).reshape(-1, 3).T
    made = slots(group, times, 9)
    some = np.arange(1, len(known) // 2 + 1)  # what the first groups have before
    held = made.summed(made.event, gains, some).tolist()
    for own, start, found in zip(made.group, made.ts, held, strict=True):
        gained = sum(gain for g, time, gain in events if g == own and time <= start)
        assert found == gained + (some[own] if own < len(some) else 0)
