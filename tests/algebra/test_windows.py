"""Closed formulas against set definitions, for every window of the table."""

from __future__ import annotations

from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Boundary,
    CountWindow,
    Extend,
    Filter,
    Operator,
    PredicateWindow,
    Project,
    SlidingWindow,
    Stamped,
    SteppedWindow,
    StreamAccess,
    Union,
    Window,
)
from askos.algebra.reference import Arrival, Streams, arrivals, content
from askos.interval import FOREVER, Interval
from askos.terms import Variable
from tests.build import EX, S1, S2, X, Y, Z, call, pattern, solution, stream, triple

RAW = StreamAccess(S1)
TIMES = st.integers(0, 60)
WIDTHS = st.integers(1, 20)
ORIGINS = st.integers(0, 30)


def arrival(at: int) -> Arrival:
    return Arrival(triple("a", "p", at), at, S1, (at, 0, 0, ""))


def valid_by_definition(window: Window, at: int, until: int) -> list[int]:
    """The instants at which the set definition has the element in the window."""
    return [t for t in range(until) if content(window, [arrival(at)], t)]


def instants(valid: Interval | None, until: int) -> list[int]:
    return [t for t in range(until) if valid and t in valid]


@given(TIMES, WIDTHS, st.data(), ORIGINS)
def test_the_sliding_formula_equals_definition_3(
    tau: int, width: int, data: st.DataObject, origin: int
) -> None:
    window = SlidingWindow(RAW, width, data.draw(st.integers(1, width)), origin)
    assert instants(window.validity(tau), 120) == valid_by_definition(window, tau, 120)


@given(TIMES, WIDTHS, st.integers(1, 25), st.data(), ORIGINS, st.sampled_from(Boundary))
def test_the_stepped_formula_equals_its_definition(
    tau: int, width: int, step: int, data: st.DataObject, origin: int, boundary: Boundary
) -> None:
    until = data.draw(st.integers(0, width - 1))
    window = SteppedWindow(RAW, width, step, until, boundary, gaps=True, origin=origin)
    assert instants(window.validity(tau), 150) == valid_by_definition(window, tau, 150)


@given(st.lists(st.integers(0, 12), max_size=12).map(sorted), st.integers(1, 5), st.integers(1, 7))
def test_the_count_formula_equals_definition_5(times: list[int], count: int, step: int) -> None:
    window = CountWindow(RAW, count, step, gaps=True)
    elements = [arrival(at) for at in times]
    for t in range(15):
        inside = [e for i, e in enumerate(elements) if t in (window.validity(i, times) or ())]
        assert inside == content(window, elements, t)


@given(TIMES, WIDTHS, st.integers(1, 25))
def test_reports_of_a_step_see_exactly_the_last_width(tau: int, width: int, step: int) -> None:
    csparql = SteppedWindow(RAW, width, step, gaps=True)
    rspql = SteppedWindow(RAW, width, step, boundary=Boundary.CLOSED_OPEN, gaps=True)
    for report in range(0, 120, step):
        assert bool(content(csparql, [arrival(tau)], report)) == (report - width < tau <= report)
        assert bool(content(rspql, [arrival(tau)], report)) == (report - width <= tau < report)


# ---- the rows of the table, by hand ----------------------------------------------------------

Row: TypeAlias = tuple[str, SlidingWindow | SteppedWindow, int, Interval | None]
TABLE: list[Row] = [
    ("Streaming SPARQL, δ divides w", SlidingWindow(RAW, 30, 10), 25, Interval(25, 50)),
    ("Streaming SPARQL, δ does not divide w", SlidingWindow(RAW, 10, 4), 3, Interval(3, 12)),
    ("Streaming SPARQL FIXED", SlidingWindow(RAW, 30, 30), 25, Interval(25, 30)),
    ("Streaming SPARQL from another origin", SlidingWindow(RAW, 30, 10, 7), 25, Interval(25, 47)),
    ("C-SPARQL RANGE STEP", SteppedWindow(RAW, 30, 10), 25, Interval(30, 60)),
    ("C-SPARQL on the boundary", SteppedWindow(RAW, 30, 10), 30, Interval(30, 60)),
    ("C-SPARQL TUMBLING", SteppedWindow(RAW, 10, 10), 25, Interval(30, 40)),
    ("CQELS RANGE", SlidingWindow(RAW, 30, 1), 25, Interval(25, 55)),
    ("CQELS NOW", SlidingWindow.now(RAW), 25, Interval(25, 26)),
    ("CQELS ALL", SlidingWindow.all(RAW), 25, Interval(25, FOREVER)),
    ("CQELS SLIDE beyond RANGE, missed", SteppedWindow(RAW, 5, 20, gaps=True), 25, None),
    (
        "RSP-QL on the boundary",
        SteppedWindow(RAW, 30, 10, boundary=Boundary.CLOSED_OPEN),
        30,
        Interval(40, 70),
    ),
    ("SPARQLstream in the past", SteppedWindow(RAW, 10, 5, until=5), 12, Interval(20, 25)),
]


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row[0])
def test_each_window_of_the_table(row: Row) -> None:
    _, window, tau, valid = row
    assert window.validity(tau) == valid
    assert valid_by_definition(window, tau, 100) == instants(valid, 100)


def test_validity_saturates_at_forever() -> None:
    near = FOREVER - 5
    assert SlidingWindow(RAW, 100, 1).validity(near) == Interval(near, FOREVER)
    assert SteppedWindow(RAW, 100, 100).validity(near) is None


# ---- order within count and predicate windows -----------------------------------------------


def members(window: Window, streams: Streams, t: int) -> list[str]:
    found = content(window, arrivals(window.input, streams), t)
    return [str(getattr(a.item, "object", a.item)).removeprefix(str(EX)) for a in found]


def test_elements_of_one_instant_are_ordered_by_their_sequence_number() -> None:
    rows = stream(("a", "p", "second", 5), ("a", "p", "first", 5))
    assert members(CountWindow(RAW, 1), {S1: rows}, 5) == ["first"]
    # The same elements, delivered the other way round: the number decides, not the arrival.
    assert members(CountWindow(RAW, 1), {S1: rows[::-1]}, 5) == ["first"]


def test_elements_without_numbers_are_ordered_by_source_then_text() -> None:
    one = [Stamped(triple("a", "p", "z"), 5)]
    two = [Stamped(triple("a", "p", "b"), 5), Stamped(triple("a", "p", "a"), 5)]
    both = CountWindow(Union(StreamAccess(S1), StreamAccess(S2)), 3)
    assert members(both, {S1: one, S2: two}, 5) == ["z", "a", "b"]
    turned = CountWindow(Union(StreamAccess(S2), StreamAccess(S1)), 3)
    assert members(turned, {S1: one, S2: two}, 5) == ["a", "b", "z"]


def test_a_window_in_from_counts_all_triples_one_in_a_group_its_pattern() -> None:
    rows = {S1: stream(("a", "p", 1, 1), ("a", "q", 2, 2), ("a", "q", 3, 3))}
    below = CountWindow(RAW, 2)
    above = CountWindow(pattern(X, "p", Y, RAW), 2)
    assert members(below, rows, 3) == ["2", "3"]
    assert len(content(above, arrivals(above.input, rows), 3)) == 1


def test_a_count_step_changes_content_every_kth_arrival() -> None:
    rows = {S1: stream(*(("a", "p", i, i) for i in range(1, 8)))}
    window = CountWindow(RAW, 3, 2)
    assert [members(window, rows, t) for t in range(1, 8)] == [
        [],
        ["1", "2"],
        ["1", "2"],
        ["2", "3", "4"],
        ["2", "3", "4"],
        ["4", "5", "6"],
        ["4", "5", "6"],
    ]


def predicate_window(within: int | None = None, end: int = 9) -> Window:
    """Opens at ?o = 1, closes at ?o = `end`."""
    o = Variable("o")
    return PredicateWindow(RAW, call("=", o, 1), call("=", o, end), within)


def test_a_predicate_window_takes_everything_from_its_start_to_before_its_end() -> None:
    rows = {S1: stream(*(("a", "p", v, t) for t, v in enumerate([5, 1, 2, 1, 9, 3, 1])))}
    found = [members(predicate_window(), rows, t) for t in range(8)]
    last = [["1"], ["1"]]
    assert found == [[], ["1"], ["1", "2"], ["1", "2", "1"], [], [], *last]


def test_a_predicate_window_closes_when_its_time_has_passed() -> None:
    rows = {S1: stream(("a", "p", 1, 10), ("a", "p", 2, 12), ("a", "p", 3, 15), ("a", "p", 1, 16))}
    found = {t: members(predicate_window(within=5), rows, t) for t in (14, 15, 16, 20, 21)}
    assert found == {14: ["1", "2"], 15: [], 16: ["1"], 20: ["1"], 21: []}


def test_a_second_start_inside_does_not_put_off_the_end() -> None:
    rows = {S1: stream(("a", "p", 1, 0), ("a", "p", 1, 6), ("a", "p", 2, 9))}
    found = [len(members(predicate_window(within=10), rows, t)) for t in (0, 6, 9, 10, 15)]
    assert found == [1, 2, 3, 0, 0]


@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from([1, 2, 9])), max_size=8).map(sorted),
    st.none() | st.integers(1, 4),
    st.sampled_from([1, 9]),
)
def test_the_predicate_formula_equals_its_definition(
    values: list[tuple[int, int]], within: int | None, end: int
) -> None:
    window = predicate_window(within, end)
    assert isinstance(window, PredicateWindow)
    elements = arrivals(RAW, {S1: stream(*(("a", "p", v, at) for at, v in values))})
    times = [at for at, _ in values]
    valid = window.validity(times, [v == 1 for _, v in values], [v == end for _, v in values])
    for t in range(25):
        inside = [e for e, v in zip(elements, valid, strict=True) if v and t in v]
        assert inside == content(window, elements, t)


def test_an_element_at_the_very_end_of_a_predicate_window_may_open_the_next() -> None:
    window = PredicateWindow(RAW, call("=", Variable("o"), 1), call("=", Variable("o"), 9), 5)
    found = window.validity([10, 15, 20], [True, True, False], [False, False, False])
    assert found == [Interval(10, 15), Interval(15, 20), None]


def test_an_element_that_closes_a_predicate_window_may_open_the_next() -> None:
    rows = {S1: stream(("a", "p", 1, 1), ("a", "p", 2, 2), ("a", "p", 1, 3))}
    assert members(predicate_window(end=1), rows, 3) == ["1"]
    assert members(predicate_window(end=1), rows, 2) == ["1", "2"]


def test_an_error_neither_opens_nor_closes_a_predicate_window() -> None:
    rows = {S1: stream(("a", "p", "b", 1), ("a", "p", 1, 2), ("a", "p", "b", 3))}
    window = PredicateWindow(RAW, call("<", Variable("o"), 5), call(">", Variable("o"), 5))
    assert [members(window, rows, t) for t in (1, 2, 3)] == [[], ["1"], ["1", "b"]]


def test_a_predicate_window_over_solutions_sees_their_variables() -> None:
    window = PredicateWindow(pattern(X, "p", Y, RAW), call("=", Y, 1), call("=", Y, 9))
    rows = {S1: stream(("a", "p", 1, 1), ("b", "p", 2, 2), ("b", "q", 9, 3), ("c", "p", 9, 4))}
    counts = [len(content(window, arrivals(window.input, rows), t)) for t in range(6)]
    assert counts == [0, 1, 2, 2, 0, 0]


# ---- below a window ---------------------------------------------------------------------------


def filtered() -> Operator:
    return Filter(call("=", Y, 1), pattern(X, "p", Y, RAW))


def test_a_filter_below_a_count_window_decides_what_is_counted() -> None:
    rows = {S1: stream(("a", "p", 1, 1), ("a", "p", 2, 2))}
    below = CountWindow(filtered(), 1)
    assert [a.at for a in content(below, arrivals(below.input, rows), 2)] == [1]


def test_extensions_and_projections_may_sit_below_a_window() -> None:
    computed = Extend(Z, call("+", Y, 1), pattern(X, "p", Y, RAW))
    window = CountWindow(Project((X, Z), computed), 2)
    rows = {S1: stream(("a", "p", 1, 1), ("a", "p", "iri", 2))}
    found = [a.item for a in content(window, arrivals(window.input, rows), 2)]
    assert found == [solution(x="a", z=2), solution(x="a")]
