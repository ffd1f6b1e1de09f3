"""Slots: what groups hold between their events, against what it means at each instant."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from askos.columns.slots import slots

CUT = 6
Events = list[tuple[int, int, int]]
"""Group, instant and gain."""


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, CUT - 1), st.integers(-3, 3))))
@example([(0, 4, 1), (1, 4, 2), (0, 4, -3)])
@example([(0, 4, 1), (0, 5, 2)])
def test_a_group_holds_what_it_has_gained(events: Events) -> None:
    known = {group: place for place, group in enumerate(dict.fromkeys(g for g, _, _ in events))}
    group = np.array([known[g] for g, _, _ in events], np.int64)
    times, gains = (np.array([e[n] for e in events], np.int64) for n in (1, 2))
    made = slots(group, times, CUT)
    held = made.summed(made.event, gains, np.full(len(known), 10))
    found = {
        (g, time): total
        for g, ts, te, total in zip(made.group, made.ts, made.te, held, strict=True)
        for time in range(ts, te)
    }
    assert found == {
        (known[g], time): 10 + sum(gain for h, t, gain in events if h == g and t <= time)
        for g in known
        for time in range(min(t for h, t, _ in events if h == g), CUT)
    }
    assert made.group[made.first].tolist() == made.group[made.last].tolist() == [*known.values()]
