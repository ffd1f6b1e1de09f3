"""What windows mean in each dialect, checked by who is valid when."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askos.algebra import windows as algebra
from askos.errors import QueryError
from askos.interval import Interval
from askos.translate import Dialect, ast
from askos.translate.convert.windows import express, meaning, other_boundary, windowed

ARRIVALS = range(30)


def windows(dialect: Dialect, most: int) -> list[ast.Window]:
    """All windows of a dialect with numbers up to `most`."""
    small = range(1, most + 1)
    times = [ast.TimeWindow(w, s) for w in small for s in (None, *small)]
    stepped = [w for w in times if w.slide]
    counts = [ast.CountWindow(c, k) for c in small for k in small]
    pasts = [ast.PastWindow(w, v, s) for w in small for v in range(w) for s in (None, *small)]
    close = [w for w in stepped if w.slide and w.slide <= w.range]
    close_counts = [c for c in counts if c.step <= c.count]
    all_of: dict[Dialect, list[ast.Window]] = {
        Dialect.SPARQL: [],
        Dialect.STREAMING: [*close, *close_counts],
        Dialect.CSPARQL: [*close, *close_counts],
        Dialect.CQELS: [*times, *counts, ast.NowWindow(), ast.AllWindow()],
        Dialect.RSPQL: [*stepped, *counts],
        Dialect.SPARQLSTREAM: [*pasts, ast.NowWindow()],
    }
    return all_of[dialect]


def content(window: ast.Window, dialect: Dialect) -> tuple[Interval | None, ...]:
    """When each of some elements is valid."""
    match windowed(window, dialect):
        case algebra.SlidingWindow() | algebra.SteppedWindow() as by_time:
            return tuple(by_time.validity(arrival) for arrival in ARRIVALS)
        case algebra.CountWindow() as by_count:
            # Twice two at one instant, so that no window of time looks the same.
            arrivals = [0, 0, 1, 3, 3, *ARRIVALS[4:]]
            return tuple(by_count.validity(i, arrivals) for i in range(len(arrivals)))
        case other:
            raise TypeError(type(other))


@pytest.mark.parametrize("source", Dialect, ids=lambda d: d.value)
@pytest.mark.parametrize("target", Dialect, ids=lambda d: d.value)
def test_a_window_is_expressed_exactly_where_the_dialect_has_one_with_the_same_content(
    source: Dialect, target: Dialect
) -> None:
    has = windows(target, 7)
    there = {content(window, target) for window in has}
    for window in windows(source, 6):
        wanted = content(window, source)
        found = express(meaning(window, source), target)
        assert (found is not None) == (wanted in there), window
        assert found is None or content(found, target) == wanted
        assert found is None or found in has


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 10**9), st.integers(1, 10**9), st.integers(0, 10**13))
def test_sliding_by_a_millisecond_is_no_slide(width: int, slide: int, arrival: int) -> None:
    plain = windowed(ast.TimeWindow(width), Dialect.CQELS)
    for dialect in (Dialect.STREAMING, Dialect.CSPARQL, Dialect.CQELS):
        stepped = windowed(ast.TimeWindow(width, 1), dialect)
        assert isinstance(plain, algebra.SlidingWindow)
        assert isinstance(stepped, algebra.SlidingWindow | algebra.SteppedWindow)
        assert stepped.validity(arrival) == plain.validity(arrival)


def test_a_slide_larger_than_the_window_is_for_dialects_with_gaps() -> None:
    wide = ast.TimeWindow(5, 7)
    for dialect in (Dialect.STREAMING, Dialect.CSPARQL):
        with pytest.raises(QueryError, match="is larger than"):
            meaning(wide, dialect)
    assert express(meaning(wide, Dialect.CQELS), Dialect.CSPARQL) is None
    past = express(meaning(wide, Dialect.CQELS), Dialect.SPARQLSTREAM)
    assert past == ast.PastWindow(5, 0, 7)


@pytest.mark.parametrize("source", [Dialect.CSPARQL, Dialect.CQELS], ids=lambda d: d.value)
def test_the_other_boundary_is_the_same_for_elements_a_millisecond_earlier(source: Dialect) -> None:
    for width, step in [(5, 5), (6, 4), (4, 1), (1, 1)]:
        window = ast.TimeWindow(width, step)
        twin = other_boundary(meaning(window, source))
        assert twin is not None
        assert express(twin, Dialect.RSPQL) == window
        assert content(window, Dialect.RSPQL)[:-1] == content(window, source)[1:]
        assert other_boundary(twin) == meaning(window, source)


def test_a_window_without_steps_has_no_other_boundary() -> None:
    for window in (ast.AllWindow(), ast.CountWindow(5)):
        assert other_boundary(meaning(window, Dialect.CQELS)) is None
    assert other_boundary(meaning(ast.TimeWindow(9, 3), Dialect.STREAMING)) is None
    assert other_boundary(meaning(ast.PastWindow(9, 3, 2), Dialect.SPARQLSTREAM)) is None
