"""Late elements, refused rows, idle and silent sources, and the end of input."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Binding,
    Count,
    Element,
    Group,
    Join,
    LeftJoin,
    Operator,
    Ref,
    SlidingWindow,
    Stamped,
    SteppedWindow,
    StreamAccess,
    first_difference,
)
from askos.algebra.reference import intervals
from askos.errors import StreamError
from askos.interval import FOREVER, Interval
from askos.local import Engine, run
from askos.terms import Solution, URIRef
from tests.build import S1, S2, W, X, Y, Z, pattern, solution, stream
from tests.hosts.strategies import Delivery, deliveries, plans


def over(p: str, o: object, source: URIRef = S1) -> Operator:
    return pattern(X, p, o, SlidingWindow(StreamAccess(source), 10, 10))


P, Q = over("p", Y), over("q", Z, S2)
A1 = solution(x="a", y=1)


def element(item: Solution, start: int, end: int) -> Element:
    return Element(item, Interval(start, end))


def test_an_element_after_its_time_is_late_and_changes_nothing() -> None:
    engine = Engine()
    query = engine.register(Group((), (Binding(W, Count(Ref(Y))),), P))
    engine.push(S1, stream(("a", "p", 1, 12)))
    engine.push(S1, stream(("a", "p", 1, 11), ("b", "p", 1, 13)))
    engine.close()
    assert query.late == [element(solution(y=1), 11, 20)]  # what of it is counted
    assert {str(e.item[W]) for e in query.take() if isinstance(e.item, Solution)} == {"0", "1", "2"}


def test_an_element_within_the_lateness_is_not_late() -> None:
    engine = Engine(lateness={S1: 5})
    query = engine.register(P)
    engine.push(S1, stream(("a", "p", 1, 12)))
    engine.push(S1, stream(("a", "p", 1, 7)))
    engine.push(S1, stream(("a", "p", 1, 6)))
    assert query.late == [element(A1, 6, 10)]
    assert query.take() == [element(A1, 7, 10), element(A1, 12, 20)]


def test_rows_of_one_batch_may_come_in_any_order() -> None:
    engine = Engine()
    query = engine.register(P)
    engine.push(S1, stream(("a", "p", 1, 50), ("a", "p", 1, 3)))
    assert not query.late
    assert len(query.take()) == 2


def test_a_late_row_counts_while_the_window_has_not_begun() -> None:
    """Its start is lifted to the next boundary, which is still ahead."""
    engine = Engine()
    window = SteppedWindow(StreamAccess(S1), 10, 10)
    query = engine.register(pattern(X, "p", Y, window))
    engine.push(S1, stream(("a", "p", 1, 18)))
    engine.push(S1, stream(("a", "p", 1, 12)))
    assert not query.late
    engine.push(S1, stream(("a", "p", 1, 9)))
    assert query.late == [element(A1, 10, 20)]


def slid(plan: Operator) -> Operator:
    """A window that slides where one stepped, so that a late arrival starts late too."""
    if not isinstance(plan, SteppedWindow):
        return plan
    return SlidingWindow(plan.input, plan.width, min(plan.step, plan.width), plan.origin)


@given(plans(2), deliveries(6), st.integers(0, 20))
def test_late_elements_change_nothing(plan: Operator, delivery: Delivery, now: int) -> None:
    plan = plan.transform(slid)
    engine = Engine(lateness=1000)
    query = engine.register(plan)
    for source in query.plan.sources:
        engine.advance(source, now)
    for source, rows in delivery.batches:
        if source in query.plan.sources:
            engine.push(source, rows)
    engine.close()
    assert all(late.interval.start < now for late in query.late)
    in_time = {s: [row for row in rows if row.at >= now] for s, rows in delivery.streams.items()}
    assert first_difference(intervals(plan, in_time), query.take()) is None


def test_a_refused_row_is_told_with_its_reason() -> None:
    engine = Engine()
    query = engine.register(P)
    engine.push(S1, [("<x:a>", "_:p", "<x:b>", 5), ("<x:a>", "<x:p>", "b", 7)])
    assert [refused.reason for refused in engine.refused] == [
        "p: _:p is no IRI in N-Triples",
        'o: b is no term in N-Triples: write <b> or "b"',
    ]
    assert "'<x:a>', '_:p', '<x:b>', 5" in engine.refused[0].row
    assert not query.take()


def test_refused_rows_promise_nothing() -> None:
    engine = Engine()
    query = engine.register(P)
    engine.push(S1, [("bad", "bad", "bad", 500)])
    engine.push(S1, stream(("a", "p", 1, 3)))
    assert not query.late


def test_a_silent_source_holds_progress_back_and_an_idle_one_does_not() -> None:
    engine = Engine()
    query = engine.register(LeftJoin(P, Q))
    engine.push(S1, stream(("a", "p", 1, 0), ("c", "r", 1, 40)))
    assert query.take() == []
    engine.idle(S2)
    assert query.take() == [element(A1, 0, 10)]


def test_an_idle_source_is_waited_for_again_once_it_has_spoken() -> None:
    engine = Engine()
    query = engine.register(LeftJoin(P, Q))
    engine.idle(S2)
    engine.push(S1, stream(("c", "r", 1, 30)))
    engine.push(S2, stream(("a", "q", 2, 35), ("a", "q", 2, 29)))
    assert query.late == [element(solution(x="a", z=2), 29, 30)]
    engine.push(S1, stream(("a", "p", 1, 60), ("c", "r", 1, 90)))
    assert query.take() == []
    engine.advance(S2, 90)
    assert query.take() == [element(A1, 60, 70)]


def test_advance_is_a_promise_like_that_of_a_row() -> None:
    engine = Engine()
    query = engine.register(LeftJoin(P, P))
    engine.advance(S1, 100)
    engine.push(S1, stream(("a", "p", 1, 99)))
    assert len(query.late) == 2
    with pytest.raises(StreamError, match="not an instant"):
        engine.advance(S1, FOREVER)


def test_closing_flushes_everything_up_to_forever() -> None:
    endless = pattern(X, "p", Y, SlidingWindow.all(StreamAccess(S1)))
    optional = pattern(X, "q", Z, SlidingWindow(StreamAccess(S2), 10, 10))
    engine = Engine(lateness=1000)
    joined = engine.register(LeftJoin(endless, optional))
    counted = engine.register(Group((), (Binding(W, Count()),), endless))
    engine.push(S1, stream(("a", "p", 1, 5)))
    engine.push(S2, stream(("a", "q", 2, 20)))
    assert joined.take() == counted.take() == []
    engine.close()
    both = solution(x="a", y=1, z=2)
    wanted = [element(A1, 5, 20), element(both, 20, 30), element(A1, 30, FOREVER)]
    assert first_difference(wanted, joined.take()) is None
    count = [element(solution(w=0), 0, 5), element(solution(w=1), 5, FOREVER)]
    assert first_difference(count, counted.take()) is None


def test_closing_twice_says_nothing_new_and_later_rows_are_late() -> None:
    engine = Engine()
    query = engine.register(P)
    engine.close()
    engine.close()
    engine.push(S1, stream(("a", "p", 1, 5)))
    assert query.take() == []
    assert query.late == [element(A1, 5, 10)]


def test_a_source_nobody_reads_is_an_error() -> None:
    engine = Engine()
    engine.register(P)
    with pytest.raises(StreamError, match="no registered query reads"):
        engine.push(S2, stream(("a", "p", 1, 5)))


def test_queries_share_streams_and_nothing_else() -> None:
    engine = Engine()
    first = engine.register(P)
    engine.push(S1, stream(("a", "p", 1, 5)))
    second = engine.register(Join(P, Q))
    engine.push(S1, stream(("a", "p", 1, 4), ("a", "p", 1, 15)))
    engine.push(S2, stream(("a", "q", 2, 16)))
    assert first.late == [element(A1, 4, 10)]
    assert second.late == []
    assert len(first.take()) == 2
    assert second.take() == [element(solution(x="a", y=1, z=2), 16, 20)]


def test_tables_may_be_pushed_whole_or_in_slices() -> None:
    rows: list[Stamped] = stream(*(("a", "p", i, i) for i in range(20)))
    table = pa.table(
        {
            "s": [f"<{row.triple.subject}>" for row in rows],
            "p": [f"<{row.triple.predicate}>" for row in rows],
            "o": [row.triple.object.n3() for row in rows],
            "ts": [row.at for row in rows],
        }
    )
    wanted = intervals(P, {S1: rows})
    for batch in (1, 7, 100):
        assert first_difference(wanted, run(P, {S1: table}, batch=batch)) is None


def test_a_query_says_which_stream_it_waits_for() -> None:
    engine = Engine()
    query = engine.register(Join(P, Q))
    assert query.waits_for is None, "for both alike"
    engine.push(S1, stream(("a", "p", 1, 5)))
    assert query.waits_for == S2
    engine.advance(S2, 5)
    assert query.waits_for is None
    engine.advance(S2, 9)
    assert query.waits_for == S1
    engine.idle(S1)
    assert query.waits_for is None
    engine.push(S1, stream(("a", "p", 1, 9)))
    engine.advance(S1, 20)
    assert query.waits_for == S2
    engine.close()
    assert query.waits_for is None
