"""Count and predicate windows over arrivals, step by step, against the formulas of the algebra."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    CountWindow,
    Element,
    Kind,
    Periodic,
    PredicateWindow,
    StreamAccess,
    first_difference,
)
from askos.algebra.expressions import Scope
from askos.algebra.expressions.logic import holds
from askos.algebra.windows.predicate import SUBJECT
from askos.columns import Batch
from askos.columns.hidden import NEGATIVE, hidden, visible
from askos.columns.signs import settled
from askos.interval import FOREVER, Interval
from askos.physical import Cut, ingest
from askos.physical.countwindow import CountWindowOperator
from askos.physical.ordered import OrderedWindow, in_order, marked
from askos.physical.predicatewindow import PredicateWindowOperator
from askos.physical.timing import Timing
from askos.terms import Solution, n3
from tests.build import S1, call, solution, triple
from tests.columns.batches import CODER, as_elements, rows
from tests.physical.runs import EACH, EPOCH, Store, cuts

RAW = StreamAccess(S1)
LARGE = 2**40
Ordered = CountWindow | PredicateWindow


class Arrival(NamedTuple):
    """A triple (s, p, o), when it came, its number and the place of its source."""

    s: str
    o: int
    at: int
    sequence: int | None = None
    source: int = 0

    @property
    def view(self) -> Solution:
        return solution(s=self.s, p="p", o=self.o)

    @property
    def order(self) -> tuple[Any, ...]:
        """Semantics, section 2."""
        texts = tuple(map(n3, triple(self.s, "p", self.o)))
        return self.at, self.sequence or 0, self.source, texts


def batch(*arrivals: Arrival) -> Batch:
    """As they reach a window."""
    parts = [Batch.empty()]
    for source in {arrival.source for arrival in arrivals}:
        own = [arrival for arrival in arrivals if arrival.source == source]
        terms = zip(*(map(n3, triple(a.s, "p", a.o)) for a in own), strict=True)
        texts = [pa.array(list(column), pa.string()) for column in terms]
        times, numbers = ([getattr(a, name) for a in own] for name in ("at", "sequence"))
        numbered = pa.array(numbers, pa.int64())
        got = ingest(*texts, pa.array(times, pa.int64()), CODER, numbered)  # type: ignore[call-arg]
        parts.append(marked(got.batch, source))
    return Batch.concat(parts)


def operator(
    window: Ordered, cut: Cut = EACH, grid: Periodic | None = None, *, open_ends: bool = False
) -> OrderedWindow:
    timing = Timing(cut, grid)
    if isinstance(window, CountWindow):
        return CountWindowOperator(window, timing, open_ends=open_ends)
    return PredicateWindowOperator(window, timing, open_ends=open_ends)


def validity(window: Ordered, arrivals: Sequence[Arrival]) -> list[Element]:
    """By the formula, of all arrivals in order."""
    known = sorted(arrivals, key=lambda arrival: arrival.order)
    times = [arrival.at for arrival in known]
    if isinstance(window, CountWindow):
        spans = [window.validity(place, times) for place in range(len(known))]
    else:
        starts, ends = (
            [holds(condition, Scope(arrival.view)) for arrival in known]
            for condition in (window.start, window.end)
        )
        spans = window.validity(times, starts, ends)
    return [Element(a.view, span) for a, span in zip(known, spans, strict=True) if span]


# ---- by hand ---------------------------------------------------------------------------------

A, B, C = Arrival("a", 1, 5), Arrival("b", 1, 5), Arrival("c", 1, 5)


def order(*arrivals: Arrival) -> list[str]:
    found = rows(in_order(batch(*arrivals)).project([SUBJECT]))
    return [str(mu[SUBJECT])[-1] for mu, _, _ in found]


@pytest.mark.parametrize(
    ("arrivals", "want"),
    [
        ([B, A, C], "abc"),  # by their texts
        ([A._replace(sequence=1), B._replace(sequence=0)], "ba"),
        ([A._replace(sequence=LARGE), B._replace(sequence=LARGE - 1)], "ba"),
        ([A._replace(sequence=2**63 - 1), B._replace(sequence=LARGE)], "ba"),
        ([A._replace(sequence=None), B._replace(sequence=0)], "ab"),  # none is 0
        ([A._replace(source=1), B, C], "bca"),
        ([A._replace(source=1), B._replace(sequence=1)], "ab"),  # its number before its source
        ([A._replace(at=6), B._replace(sequence=9)], "ba"),  # its time before its number
        ([A._replace(at=EPOCH), B._replace(at=EPOCH), C._replace(at=EPOCH - 1)], "cab"),
        ([A], "a"),
        ([], ""),
    ],
)
def test_one_order_whatever_comes_first(arrivals: list[Arrival], want: str) -> None:
    assert "".join(order(*arrivals)) == want
    assert "".join(order(*reversed(arrivals))) == want


def test_equal_arrivals_are_two_elements() -> None:
    made = operator(CountWindow(RAW, 1))
    made.process(0, batch(A, A))
    out, progress = made.advance(FOREVER)
    assert (rows(out), progress) == ([(A.view, 5, FOREVER)], FOREVER)


def test_an_end_that_is_undecided_comes_in_pieces_up_to_the_cut() -> None:
    made = operator(CountWindow(RAW, 1), Cut((10,)))
    made.process(0, batch(A))
    assert (rows(made.advance(9)[0]), made.advance(9)[1]) == ([], 0)
    assert rows(made.advance(20)[0]) == [(A.view, 5, 20)]
    made.process(0, batch(B._replace(at=24)))
    assert rows(made.advance(39)[0]) == [(A.view, 20, 24), (B._replace(at=24).view, 24, 30)]


def test_or_once_and_what_was_too_much_is_taken_back() -> None:
    made = operator(CountWindow(RAW, 1), Cut((10,)), open_ends=True)
    made.process(0, batch(A))
    assert rows(visible(made.advance(20)[0])) == [(A.view, 5, FOREVER)]
    made.process(0, batch(B._replace(at=24)))
    told = made.advance(39)[0]
    assert rows(visible(told)) == [(B.view, 24, FOREVER), (A.view, 24, FOREVER)]
    assert told.column(NEGATIVE).astype(bool).tolist() == [False, True]
    assert not len(made.advance(60)[0])


def test_a_window_that_is_open_for_some_time_at_most_takes_nothing_back_after_it() -> None:
    window = PredicateWindow(RAW, call("=", SUBJECT, "a"), call("=", SUBJECT, "b"), 10)
    made = operator(window, open_ends=True)
    made.process(0, batch(A))
    assert rows(visible(made.advance(6)[0])) == [(A.view, 5, 15)]
    made.process(0, batch(C._replace(at=20)))
    assert not len(made.advance(30)[0])
    assert not made.snapshot().runs


def test_nothing_hidden_leaves_the_window() -> None:
    made = operator(CountWindow(RAW, 2))
    made.process(0, batch(A, B))
    assert not hidden(made.advance(FOREVER)[0])


def test_under_a_periodic_report_pieces_lie_on_the_grid() -> None:
    report = Periodic(Kind.RSTREAM, (10,))
    made = operator(CountWindow(RAW, 1), Cut((10,), grid=True), report)
    made.process(0, batch(A, B._replace(at=8), C._replace(at=23)))
    assert rows(made.advance(21)[0]) == [(B.view, 10, 30)]


# ---- the model -------------------------------------------------------------------------------


class Step(NamedTuple):
    """What comes, the watermark after it, and whether a restart follows."""

    arrivals: tuple[Arrival, ...]
    watermark: int
    restart: bool


@st.composite
def deliveries(draw: st.DrawFn) -> list[Step]:
    """Out of order, and cut anywhere."""
    base = draw(st.sampled_from([0, EPOCH]))
    numbers = st.none() | st.integers(0, 2) | st.sampled_from([LARGE, LARGE + 1])
    one = st.builds(
        Arrival,
        st.sampled_from("abc"),
        st.integers(1, 2),
        st.integers(base, base + 12),
        numbers,
        st.integers(0, 1),
    )
    late = st.integers(0, 5)
    pairs = draw(st.lists(st.tuples(one, late), max_size=12))
    waiting = [arrival for arrival, _ in sorted(pairs, key=lambda pair: pair[0].at + pair[1])]
    steps, watermark = [], 0
    while waiting:
        taken = draw(st.integers(0, len(waiting)))
        now, waiting = waiting[:taken], waiting[taken:]
        first = min((arrival.at for arrival in waiting), default=watermark + 5)
        watermark = max(watermark, first - draw(st.integers(0, 3)))
        steps.append(Step(tuple(now), watermark, draw(st.booleans())))
        if not taken and draw(st.booleans()):
            break
    return [*steps, Step(tuple(waiting), FOREVER, False)]


def counting() -> st.SearchStrategy[CountWindow]:
    small = st.integers(1, 4)
    return st.builds(lambda count, step: CountWindow(RAW, count, step, gaps=True), small, small)


def between() -> st.SearchStrategy[PredicateWindow]:
    tests = st.sampled_from([call("=", SUBJECT, name) for name in "abc"])
    within = st.none() | st.integers(1, 9) | st.just(FOREVER)
    return st.builds(PredicateWindow, st.just(RAW), tests, tests, within)


@given(counting() | between(), deliveries(), cuts(), st.booleans())
def test_an_ordered_window_gives_the_validity_of_the_formula(
    window: Ordered, steps: list[Step], cut: Cut, open_ends: bool
) -> None:
    """After every step what lies before progress is complete, and is never told again; nothing
    depends on batches, order or restarts, nor on whether ends are open."""
    want = validity(window, [arrival for step in steps for arrival in step.arrivals])
    check(lambda: operator(window, cut, open_ends=open_ends), steps, cut, want)


def check(
    make: Callable[[], OrderedWindow], steps: list[Step], cut: Cut, want: list[Element]
) -> None:
    made, store, until = make(), Store(), 0
    told: list[Batch] = []
    for arrivals, watermark, restart in steps:
        made.process(0, batch(*arrivals))
        out, progress = made.advance(watermark)
        assert progress == max(until, cut(watermark))
        assert (out.ts >= until).all()
        told.append(out)
        got = as_elements(rows(settled(Batch.concat(told))))
        until = progress
        assert first_difference(_before(want, until), _before(got, until)) is None
        if restart:
            store.save(made)
            made = make()
            store.load(made)


def _before(given: list[Element], time: int) -> list[Element]:
    return [
        Element(e.item, Interval(e.interval.start, min(e.interval.end, time)))
        for e in given
        if e.interval.start < time
    ]


@given(counting() | between(), deliveries(), st.sampled_from([(3,), (4, 6)]), st.booleans())
def test_under_a_periodic_report_it_is_right_at_every_instant(
    window: Ordered, steps: list[Step], periods: tuple[int, ...], open_ends: bool
) -> None:
    report = Periodic(Kind.RSTREAM, periods, 1)
    made = operator(window, Cut(periods, 1, grid=True), report, open_ends=open_ends)
    told: list[Batch] = []
    for arrivals, watermark, _ in steps:
        made.process(0, batch(*arrivals))
        told.append(made.advance(watermark)[0])
    got = as_elements(rows(settled(Batch.concat(told))))
    want = validity(window, [arrival for step in steps for arrival in step.arrivals])
    start = min((e.interval.start for e in want), default=0)
    for time in report.instants(start, start + 60):
        assert at(got, time) == at(want, time)


def at(given: list[Element], time: int) -> list[str]:
    return sorted(str(e.item) for e in given if e.interval.start <= time < e.interval.end)


@pytest.mark.parametrize("open_ends", [False, True])
def test_state_goes_when_elements_have_left(open_ends: bool) -> None:
    made = operator(CountWindow(RAW, 2), open_ends=open_ends)
    for time in range(0, 500, 5):
        made.process(0, batch(A._replace(at=time), B._replace(at=time + 1)))
        made.advance(time + 3)
    kept = made.snapshot().runs.values()
    assert sum(len(run) for run in kept) <= 8
    assert int(np.sum([run.ts.min(initial=FOREVER) > 400 for run in kept if len(run)])) > 0
