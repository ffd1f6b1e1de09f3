"""What is told when, over finite streams; expected reports written out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Ask,
    Construct,
    CountWindow,
    Element,
    Extend,
    GraphAccess,
    Kind,
    OnChange,
    Operator,
    OrderBy,
    Pattern,
    Periodic,
    Project,
    Ref,
    SlidingWindow,
    SortKey,
    SteppedWindow,
    StreamAccess,
    Template,
    Union,
)
from askos.algebra.reference import Answer, Streams, evaluate, intervals, publish, reports
from askos.algebra.streams import Item
from askos.errors import QueryError, UnsupportedError
from askos.interval import FOREVER, Interval
from askos.terms import Solution
from tests import strategies
from tests.build import EX, G1, S1, S2, X, Y, bag, call, pattern, solution, stream, triple

RAW = StreamAccess(S1)
R, I, D = Kind.RSTREAM, Kind.ISTREAM, Kind.DSTREAM  # noqa: E741
DATA: Streams = {S1: stream(("a", "p", 1, 3), ("b", "p", 2, 12), ("a", "p", 3, 14))}
PLAN = Project((X,), pattern(X, "p", Y, SteppedWindow(RAW, 20, 10)))
A, B = solution(x="a"), solution(x="b")


def told(
    plan: Operator, how: Periodic | OnChange, streams: Streams = DATA
) -> dict[int, list[Item]]:
    return {answer.at: list(answer.rows) for answer in reports(plan, streams, how)}


def test_rstream_tells_the_whole_snapshot_at_every_period() -> None:
    """From the first report after 3 to the first at which both windows have emptied."""
    assert told(PLAN, Periodic(R, (10,))) == {10: [A], 20: [A, A, B], 30: [A, B], 40: []}


def test_istream_and_dstream_tell_the_difference() -> None:
    assert told(PLAN, Periodic(I, (10,))) == {10: [A], 20: [A, B], 30: [], 40: []}
    assert told(PLAN, Periodic(D, (10,))) == {10: [], 20: [], 30: [A], 40: [A, B]}


def test_empty_reports_can_be_left_out() -> None:
    assert told(PLAN, Periodic(I, (10,), nonempty=True)) == {10: [A], 20: [A, B]}


def test_reports_at_multiples_of_any_period_from_an_origin() -> None:
    instants = list(told(PLAN, Periodic(R, (10, 15), origin=2)))
    assert instants == [12, 17, 22, 32, 42]
    # Between its steps the window keeps its content.
    assert told(PLAN, Periodic(R, (10, 15), origin=2))[17] == [A]


def test_a_report_never_comes_before_its_origin() -> None:
    assert list(told(PLAN, Periodic(R, (10,), origin=25))) == [25, 35, 45]


def test_on_change_tells_at_every_change() -> None:
    plan = Project((X,), pattern(X, "p", Y, SlidingWindow(RAW, 10, 1)))
    assert told(plan, OnChange(R)) == {
        3: [A],
        12: [A, B],
        13: [B],
        14: [A, B],
        22: [A],
        24: [],
    }
    assert told(plan, OnChange(I)) == {3: [A], 12: [B], 14: [A]}
    assert told(plan, OnChange(D, nonempty=True)) == {13: [A], 22: [B], 24: [A]}


def test_a_sorted_report_keeps_its_order() -> None:
    plan = OrderBy((SortKey(Ref(Y), True),), pattern(X, "p", Y, SteppedWindow(RAW, 20, 10)))
    rows = told(plan, Periodic(R, (10,)))[20]
    assert [str(mu[Y]) for mu in rows if isinstance(mu, Solution)] == ["3", "2", "1"]


def test_the_last_elements_of_a_count_window_are_reported_though_they_never_leave() -> None:
    plan = Project((X,), pattern(X, "p", Y, CountWindow(RAW, 2)))
    assert told(plan, Periodic(R, (10,))) == {10: [A], 20: [A, B]}
    unbounded = Project((X,), pattern(X, "p", Y, SlidingWindow.all(RAW)))
    assert told(unbounded, Periodic(R, (10,))) == {10: [A], 20: [A, A, B]}


def test_a_late_stream_without_end_is_reported_beside_one_that_has_ended() -> None:
    """The last finite *end* is at 12; the triple of minute 95 would never be told."""
    streams: Streams = {S1: stream(("a", "p", 1, 2)), S2: stream(("b", "p", 2, 95))}
    ended = pattern(X, "p", Y, SlidingWindow(RAW, 10, 1))
    open_ended = pattern(X, "p", Y, SlidingWindow.all(StreamAccess(S2)))
    plan = Project((X,), Union(ended, open_ended))
    assert told(plan, Periodic(I, (50,)), streams) == {50: [], 100: [B]}


def test_a_query_without_streams_reports_once() -> None:
    plan = Project((X,), pattern(X, "p", Y, GraphAccess(G1)))
    streams: Streams = {G1: [triple("a", "p", 1)]}
    assert told(plan, Periodic(R, (10,)), streams) == {0: [A]}
    assert told(plan, OnChange(I), streams) == {0: [A]}


def test_on_change_tells_static_rows_from_the_start_and_reloads_too() -> None:
    static = pattern(X, "p", Y, GraphAccess(G1))
    plan = Project((X,), Union(static, pattern(X, "p", Y, SlidingWindow(RAW, 10, 1))))
    streams: Streams = {G1: [triple("b", "p", 1)], S1: stream(("a", "p", 1, 50))}
    assert told(plan, OnChange(I), streams) == {0: [B], 50: [A]}
    reloaded = [Element(triple("a", "p", 1), Interval(5, 9))]
    assert told(Project((X,), static), OnChange(R), {G1: reloaded}) == {5: [A], 9: []}


def test_reports_end_before_forever() -> None:
    late = {S1: stream(("a", "p", 1, FOREVER - 2))}
    assert told(PLAN, Periodic(R, (10,)), late) == {}
    endless = pattern(X, "p", Y, SlidingWindow(RAW, 5, 1))
    assert list(told(endless, Periodic(R, (1,)), late)) == [FOREVER - 2]


def test_a_stream_that_never_spoke_reports_nothing() -> None:
    assert told(PLAN, Periodic(R, (10,)), {S1: []}) == {}
    assert told(PLAN, OnChange(R), {S1: []}) == {}


def test_ask_tells_false_too() -> None:
    plan = Ask(pattern(X, "p", 2, SteppedWindow(RAW, 20, 10)))
    assert told(plan, OnChange(R)) == {0: [False], 20: [True], 40: [False]}


def test_a_raw_stream_reports_until_its_last_arrival() -> None:
    assert list(told(pattern(X, "p", Y, RAW), Periodic(R, (7,)))) == [7, 14]


# ---- intervals ------------------------------------------------------------------------------


def test_intervals_are_maximal() -> None:
    found = [(e.item, e.interval) for e in intervals(PLAN, DATA)]
    assert sorted(found, key=str) == sorted(
        [(A, Interval(10, 40)), (A, Interval(20, 30)), (B, Interval(20, 40))], key=str
    )


def test_what_always_holds_has_an_interval_from_0_to_forever() -> None:
    plan = Project((X,), pattern(X, "p", Y, GraphAccess(G1)))
    assert intervals(plan, {G1: [triple("a", "p", 1)]}) == [Element(A, Interval(0, FOREVER))]


def test_a_reload_cuts_intervals() -> None:
    plan = Project((X,), pattern(X, "p", Y, GraphAccess(G1)))
    rows = [Element(triple("a", "p", 1), Interval(5, 9))]
    assert intervals(plan, {G1: rows}) == [Element(A, Interval(5, 9))]


# ---- NOW() ----------------------------------------------------------------------------------


def test_now_is_the_report_instant() -> None:
    plan = Project((Y,), Extend(Y, call("NOW"), Project((X,), PLAN)))
    rows = reports(plan, DATA, Periodic(R, (10,)))
    first = rows[0].rows[0]
    assert isinstance(first, Solution)
    assert str(first[Y]) == "1970-01-01T00:00:00.010Z"


def test_now_has_no_value_between_reports() -> None:
    plan = Extend(Y, call("NOW"), Project((X,), PLAN))
    with pytest.raises(UnsupportedError, match=r"NOW\(\) has no value in an interval report"):
        intervals(plan, DATA)
    with pytest.raises(UnsupportedError, match=r"NOW\(\) has no value in a report on change"):
        reports(plan, DATA, OnChange(R))


# ---- REGISTER STREAM ------------------------------------------------------------------------


def test_a_published_stream_can_be_read_by_another_query() -> None:
    made = Construct((Template(X, EX.seen, Y),), pattern(X, "p", Y, SteppedWindow(RAW, 20, 10)))
    published = publish(made, DATA, Periodic(R, (10,)))
    seen = [(row.triple, row.at) for row in published]
    ones = [(triple("a", "seen", 1), at) for at in (10, 20)]
    assert [pair for pair in seen if pair[0] == ones[0][0]] == ones
    second = Pattern(X, EX.seen, Y, SlidingWindow(StreamAccess(EX.derived), 5, 5))
    assert evaluate(second, {EX.derived: published}, 10) == bag(solution(x="a", y=1))


def test_readers_of_a_published_stream_hear_of_reports_without_rows() -> None:
    """Nothing is published at 40, but the reader's clock sees an arrival there, and goes on."""
    made = Construct((Template(X, EX.seen, Y),), pattern(X, "p", Y, SteppedWindow(RAW, 20, 10)))
    published = publish(made, DATA, Periodic(R, (10,), nonempty=True))
    assert published.instants == (10, 20, 30, 40)
    assert len(published) == len(list(published))
    assert max(row.at for row in published) == 30
    assert next(iter(published)) in published
    derived = Pattern(X, EX.seen, Y, SteppedWindow(StreamAccess(EX.derived), 10, 10))
    read = told(derived, Periodic(R, (10,)), {EX.derived: published})
    assert list(read) == [10, 20, 30, 40, 50]


def test_only_triples_can_be_published_and_only_periodically() -> None:
    with pytest.raises(QueryError, match="needs triples, but Project yields solutions"):
        publish(PLAN, DATA, Periodic(R, (10,)))
    made = Construct((Template(X, EX.seen, Y),), pattern(X, "p", Y, SteppedWindow(RAW, 20, 10)))
    with pytest.raises(QueryError, match="needs a periodic report"):
        publish(made, DATA, OnChange(R))  # type: ignore[arg-type]


# ---- laws -----------------------------------------------------------------------------------


@given(strategies.plans(2), strategies.data(), st.integers(1, 9), st.integers(0, 5))
def test_insertions_and_deletions_add_up_to_the_snapshots(
    plan: Operator, streams: Streams, period: int, origin: int
) -> None:
    whole, new, gone = (
        reports(plan, streams, Periodic(kind, (period,), origin)) for kind in (R, I, D)
    )
    assert [a.at for a in whole] == [a.at for a in new] == [a.at for a in gone]
    state = bag()
    for snapshot, inserted, deleted in zip(whole, new, gone, strict=True):
        state = state + bag(*inserted.rows) - bag(*deleted.rows)
        assert state == bag(*snapshot.rows) == evaluate(plan, streams, snapshot.at)


@given(strategies.plans(2), strategies.data())
def test_reports_on_change_tell_every_change(plan: Operator, streams: Streams) -> None:
    changed = {a.at: bag(*a.rows) for a in reports(plan, streams, OnChange(R))}
    before = bag()
    for t in range(45):
        now = evaluate(plan, streams, t)
        assert (t in changed) == (now != before)
        assert changed.get(t, now) == now
        before = now


def test_an_answer_prints_its_rows() -> None:
    assert repr(Answer(5, (A,))) == "Answer(at=5, rows=({?x → <http://example.org/a>},))"
