"""Windows over whole batches against the formulas of the algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askos.algebra import Boundary, SlidingWindow, SteppedWindow, StreamAccess
from askos.algebra.names import Names
from askos.interval import FOREVER
from askos.physical.window import WindowOperator
from tests.build import S1, X, solution
from tests.columns.batches import batch

RAW = StreamAccess(S1)
TimeWindow = SlidingWindow | SteppedWindow


def spans() -> st.SearchStrategy[int]:
    """Short, long, and as long as time itself."""
    return st.one_of(
        st.integers(1, 12),
        st.integers(1, 10**6),
        st.integers(FOREVER - 12, FOREVER),
        st.sampled_from([2**61, 2**62]),
    )


def times() -> st.SearchStrategy[int]:
    near = st.integers(FOREVER - 30, FOREVER - 1)
    return st.one_of(st.integers(0, 30), st.integers(0, 10**13), near, st.sampled_from([2**62]))


@st.composite
def windows(draw: st.DrawFn) -> TimeWindow:
    width, origin = draw(spans()), draw(st.one_of(st.just(0), times()))
    if draw(st.booleans()):
        return SlidingWindow(RAW, width, min(draw(spans()), width), origin)
    return SteppedWindow(
        RAW,
        width,
        draw(spans()),
        until=min(draw(st.one_of(st.just(0), spans())), width - 1),
        boundary=draw(st.sampled_from(Boundary)),
        gaps=True,
        origin=origin,
    )


def arrivals(*at: int) -> Any:
    return batch(*((solution(x=place), time, time + 1) for place, time in enumerate(at)))


def given_validity(window: TimeWindow, *at: int) -> list[tuple[int, int, int]]:
    """What the operator makes of arrivals: place, start, end."""
    out = WindowOperator(window, None).process(0, arrivals(*at))
    assert out.ts.dtype == out.te.dtype == np.int64
    places = [int(place) for place in out.column(X) & 0xFF]
    return list(zip(places, out.ts.tolist(), out.te.tolist(), strict=True))


@given(windows(), st.lists(times(), max_size=6))
@example(SlidingWindow(RAW, FOREVER, 1), [0, 5, FOREVER - 1])
@example(SteppedWindow(RAW, FOREVER, FOREVER, origin=FOREVER - 1), [0, FOREVER - 1])
def test_an_arrival_is_valid_as_the_algebra_says(window: TimeWindow, at: list[int]) -> None:
    validity = [(place, window.validity(time)) for place, time in enumerate(at)]
    wanted = [(place, i.start, i.end) for place, i in validity if i is not None]
    assert given_validity(window, *at) == wanted


@given(windows(), times(), times())
def test_progress_never_passes_what_can_still_arrive(
    window: TimeWindow, watermark: int, later: int
) -> None:
    _, progress = WindowOperator(window, None).advance(watermark)
    assert progress >= watermark
    valid = window.validity(max(watermark, later))
    assert valid is None or valid.start >= progress


@given(windows(), times(), times())
def test_progress_never_falls(window: TimeWindow, one: int, other: int) -> None:
    operator = WindowOperator(window, None)
    reached = [operator.advance(time)[1] for time in (*sorted((one, other)), FOREVER)]
    assert reached == sorted(reached)
    assert reached[-1] == FOREVER


def test_progress_is_lifted_to_the_next_boundary() -> None:
    closed = SteppedWindow(RAW, 10, 5)
    assert [WindowOperator(closed, None).advance(t)[1] for t in (0, 1, 5, 6)] == [0, 5, 5, 10]
    opened = SteppedWindow(RAW, 10, 5, boundary=Boundary.CLOSED_OPEN)
    assert [WindowOperator(opened, None).advance(t)[1] for t in (0, 1, 5, 6)] == [5, 5, 10, 10]
    past = SteppedWindow(RAW, 10, 5, until=3)
    assert [WindowOperator(past, None).advance(t)[1] for t in (0, 2, 3)] == [5, 5, 10]
    sliding = SlidingWindow(RAW, 10, 5)
    assert [WindowOperator(sliding, None).advance(t)[1] for t in (0, 3)] == [0, 3]


@pytest.mark.parametrize(
    ("window", "wanted"),
    [
        (SlidingWindow(RAW, 10, 10), [(0, 0, 10), (1, 9, 10), (2, 10, 20)]),
        (SlidingWindow(RAW, 10, 4), [(0, 0, 8), (1, 9, 16), (2, 10, 20)]),
        (SlidingWindow.now(RAW), [(0, 0, 1), (1, 9, 10), (2, 10, 11)]),
        (SlidingWindow.all(RAW), [(0, 0, FOREVER), (1, 9, FOREVER), (2, 10, FOREVER)]),
        (SteppedWindow(RAW, 10, 10), [(0, 0, 10), (1, 10, 20), (2, 10, 20)]),
        (SteppedWindow(RAW, 2, 5, gaps=True), [(0, 0, 5), (1, 10, 15), (2, 10, 15)]),
        (SteppedWindow(RAW, 1, 5, boundary=Boundary.CLOSED_OPEN, gaps=True), [(1, 10, 15)]),
    ],
    ids=lambda window: window.label(Names()) if isinstance(window, TimeWindow) else None,
)
def test_the_table_of_semantics_2(window: TimeWindow, wanted: list[tuple[int, int, int]]) -> None:
    assert given_validity(window, 0, 9, 10) == wanted


def test_a_window_over_nothing_is_nothing() -> None:
    assert given_validity(SlidingWindow(RAW, 10, 10)) == []
