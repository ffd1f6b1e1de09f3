from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import StreamError
from askos.interval import ALWAYS, FOREVER, Interval, interval, saturate

TIMES = st.integers(0, 30)
INTERVALS = st.tuples(TIMES, st.integers(1, 9)).map(lambda p: Interval(p[0], p[0] + p[1]))


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        (5, 5, r"\[5, 5\) is empty"),
        (6, 5, r"\[6, 5\) is empty"),
        (-1, 5, "interval start -1 is not an instant"),
        (0, FOREVER + 1, "interval end .* is not an instant"),
        (0.5, 2, "interval start 0.5 is not an instant"),
        (True, 2, "interval start True is not an instant"),
        (FOREVER, FOREVER, "interval start .* is not an instant"),
    ],
)
def test_an_impossible_interval_is_refused(start: int, end: int, message: str) -> None:
    with pytest.raises(StreamError, match=message):
        Interval(start, end)


def test_an_interval_holds_its_start_but_not_its_end() -> None:
    assert [t for t in range(6) if t in Interval(2, 4)] == [2, 3]


def test_always_reaches_forever() -> None:
    assert 0 in ALWAYS
    assert FOREVER - 1 in ALWAYS
    assert FOREVER not in ALWAYS


def test_an_interval_prints_infinity() -> None:
    assert (str(Interval(2, 4)), str(Interval(2, FOREVER))) == ("[2, 4)", "[2, ∞)")


def test_arithmetic_saturates() -> None:
    assert saturate(FOREVER + FOREVER) == FOREVER
    assert interval(3, FOREVER + 10) == Interval(3, FOREVER)
    assert interval(FOREVER + 1, FOREVER + 10) is None


@given(INTERVALS, INTERVALS)
def test_an_intersection_holds_the_instants_of_both(a: Interval, b: Interval) -> None:
    both = {t for t in range(50) if t in a and t in b}
    found = a.intersect(b)
    assert both == ({t for t in range(50) if t in found} if found else set())
    assert found == b.intersect(a)
