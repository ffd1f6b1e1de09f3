"""As many pairs as can be: against all ways to pair."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from askos.backtest import joined, matched
from askos.interval import Interval

INTERVALS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 9)).map(lambda t: Interval(t[0], t[0] + t[1])),
    max_size=6,
)


def most(faults: list[Interval], alerts: list[Interval]) -> int:
    """The size of a largest matching, by trying everything."""
    if not faults:
        return 0
    first, *others = faults
    without = most(others, alerts)
    taken = (
        1 + most(others, alerts[:place] + alerts[place + 1 :])
        for place, alert in enumerate(alerts)
        if first.intersect(alert)
    )
    return max([without, *taken])


@given(INTERVALS, INTERVALS)
def test_no_other_pairing_has_more_pairs(faults: list[Interval], told: list[Interval]) -> None:
    alerts = joined(told)
    pairs = matched(faults, alerts)
    assert len(pairs) == most(faults, list(alerts))
    assert len({*pairs.values()}) == len(pairs)
    assert all(faults[place].intersect(alerts[alert]) for place, alert in pairs.items())


def test_what_only_meets_does_not_belong_together() -> None:
    assert matched([Interval(5, 9)], [Interval(0, 5), Interval(9, 12)]) == {}


def test_one_alert_across_two_faults_finds_one_of_them() -> None:
    assert len(matched([Interval(0, 3), Interval(4, 9)], [Interval(1, 8)])) == 1


def test_a_long_fault_leaves_the_alert_to_a_short_one() -> None:
    faults = [Interval(0, 100), Interval(10, 20)]
    assert matched(faults, [Interval(12, 13), Interval(50, 60)]) == {1: 0, 0: 1}


@given(INTERVALS, st.integers(0, 3))
def test_joined_spans_hold_when_something_holds_or_a_gap_is_bridged(
    intervals: list[Interval], gap: int
) -> None:
    spans = joined(intervals, gap)
    held = {t for each in intervals for t in range(each.start, each.end)}
    covered = {t for span in spans for t in range(span.start, span.end)}
    assert held <= covered
    assert all(after.start - before.end > gap for before, after in pairwise(spans))
    assert gap or held == covered
    assert all({span.start, span.end - 1} <= held for span in spans)
