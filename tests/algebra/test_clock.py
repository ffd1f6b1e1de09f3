"""The clock: first and last report instants, from two numbers per stream."""

from __future__ import annotations

import pytest
from hypothesis import given

from askos.algebra import (
    TRUE,
    Boundary,
    Clock,
    CountWindow,
    Exists,
    Filter,
    GraphAccess,
    Join,
    Kind,
    Operator,
    Periodic,
    PredicateWindow,
    SlidingWindow,
    Stamped,
    SteppedWindow,
    StreamAccess,
    Union,
    Window,
    node_from_json,
    to_json,
)
from askos.algebra.expressions.instant import uses_instant
from askos.algebra.reference import Streams, change_instants, evaluate
from askos.errors import QueryError
from askos.interval import FOREVER
from askos.terms import URIRef
from tests.build import G1, S1, S2, X, Y, pattern
from tests.strategies import data, plans

EVERY = Periodic(Kind.RSTREAM, (10,))
RAW = StreamAccess(S1)


def clock(*windows: Window) -> Clock:
    return Clock((S1, S2), windows)


def test_a_clock_has_the_streams_and_windows_of_its_plan_also_those_in_exists() -> None:
    outer = pattern(X, "p", Y, SlidingWindow(RAW, 10, 5))
    inner = CountWindow(pattern(X, "q", Y, StreamAccess(S2)), 3)
    plan = Filter(Exists(inner), Join(outer, pattern(X, "r", Y, GraphAccess(G1))))
    found = Clock.of(plan)
    assert set(found.streams) == {S1, S2}
    assert set(found.windows) == {SlidingWindow(RAW, 10, 5), CountWindow(StreamAccess(S2), 3)}


def test_a_window_counts_once_whatever_it_stands_over() -> None:
    both = [SlidingWindow(pattern(X, name, Y, RAW), 10, 5) for name in ("p", "q")]
    assert Clock.of(Join(*both)).windows == (SlidingWindow(RAW, 10, 5),)


@pytest.mark.parametrize(
    ("window", "end"),
    [
        (SlidingWindow(RAW, 30, 10), 40),
        (SlidingWindow(RAW, 25, 10), 30),
        (SlidingWindow.now(RAW), 13),
        (SlidingWindow.all(RAW), 12),  # FOREVER: the arrival itself
        (SteppedWindow(RAW, 30, 10), 50),
        (SteppedWindow(RAW, 30, 10, boundary=Boundary.CLOSED_OPEN), 50),
        (SteppedWindow(RAW, 28, 10), 40),
        (SteppedWindow(RAW, 28, 10, boundary=Boundary.CLOSED_OPEN), 50),
        (SteppedWindow(RAW, 30, 10, until=20), 50),
        (SteppedWindow(RAW, 2, 100, gaps=True), 100),  # [100, 100) is empty, its end counts
        (CountWindow(RAW, 5), 12),
        (PredicateWindow(RAW, TRUE, TRUE, within=7), 19),
        (PredicateWindow(RAW, TRUE, TRUE), 12),
    ],
)
def test_the_end_is_where_the_window_lets_the_last_arrival_go(window: Window, end: int) -> None:
    assert clock(window).end({S1: 12}) == end


def test_the_end_is_the_largest_over_windows_and_streams() -> None:
    windows = (SlidingWindow(RAW, 30, 10), SlidingWindow(StreamAccess(S2), 5, 5))
    assert clock(*windows).end({S1: 12, S2: 100}) == 105
    assert clock(*windows).end({S1: 12}) == 40
    assert clock(*windows).end({}) is None
    both: Operator = Union(RAW, StreamAccess(S2))
    assert clock(SlidingWindow(both, 30, 10)).end({S1: 1, S2: 12}) == 40


def test_the_first_report_is_the_first_instant_from_the_first_arrival_on() -> None:
    assert clock().first(EVERY, {S1: 12, S2: 30}) == 20
    assert clock().first(EVERY, {S2: 30}) == 30
    assert clock().first(EVERY, {}) is None
    assert clock().first(EVERY, {G1: 5}) is None  # no stream of this query
    assert clock().first(Periodic(Kind.RSTREAM, (10,), origin=75), {S1: 12}) == 75


def test_a_query_without_streams_reports_once() -> None:
    assert Clock(()).first(EVERY, {}) == Clock(()).last(EVERY, {}) == 0


def test_the_last_report_sees_the_end_or_is_the_last_one_promised() -> None:
    slid = clock(SlidingWindow(RAW, 30, 10))
    assert slid.last(EVERY, {S1: 12}) == 40
    assert slid.last(EVERY, {S1: 12}, progress=50) == 40
    assert slid.last(EVERY, {S1: 12}, progress=51) == 50
    assert slid.last(EVERY, {}, progress=51) is None
    several = Periodic(Kind.RSTREAM, (4, 6))
    assert clock().last(several, {S1: 5}, progress=12) == 8
    assert clock().last(several, {S1: 5}, progress=13) == 12


def test_instants_stop_before_forever() -> None:
    late = {S1: FOREVER - 2}
    assert clock().first(EVERY, late) is None
    last = clock().last(EVERY, late)
    assert last is not None
    assert FOREVER - 10 <= last < FOREVER


def test_a_clock_is_plain_data() -> None:
    made = clock(SteppedWindow(RAW, 30, 10), CountWindow(StreamAccess(S2), 3))
    assert node_from_json(to_json(made)) == made


def test_what_is_no_clock_is_refused() -> None:
    with pytest.raises(QueryError, match="streams must be a tuple of IRIs"):
        Clock(("s",))  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="windows must be a tuple of windows"):
        Clock((S1,), (RAW,))  # type: ignore[arg-type]


def times(streams: Streams, source: URIRef) -> list[int]:
    return [row.at for row in streams[source] if isinstance(row, Stamped)]


@given(plans(), data())
def test_nothing_changes_after_the_end(plan: Operator, streams: Streams) -> None:
    """So the last report by the clock has seen all that time alone can change."""
    largest = {s: max(arrived) for s in (S1, S2) if (arrived := times(streams, s))}
    end = Clock.of(plan).end(largest)
    if end is None or uses_instant(plan):
        return
    settled = evaluate(plan, streams, end)
    for time in change_instants(plan, streams):
        assert time <= end or evaluate(plan, streams, time) == settled
