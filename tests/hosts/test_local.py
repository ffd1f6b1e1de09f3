"""The local driver gives the answers of the reference evaluation."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Binding,
    Count,
    Group,
    Join,
    Operator,
    Ref,
    SlidingWindow,
    StreamAccess,
    first_difference,
)
from askos.errors import StreamError
from askos.interval import FOREVER
from askos.local import Engine
from askos.physical.marks import IDLE, Mark, Marks
from askos.terms import Literal, n3
from tests.build import EX, S1, S2, W, X, Y, Z, pattern, stream, triple
from tests.hosts.hostile import BAD_ROWS, NOT_UTF8, bytes_table
from tests.hosts.strategies import Delivery, deliveries, plans
from tests.hosts.three import run_local, run_reference, table


@given(plans(), deliveries(), st.sampled_from([1, 2, 5]))
def test_local_equals_the_reference(plan: Operator, delivery: Delivery, buckets: int) -> None:
    want = run_reference(plan, delivery)
    assert first_difference(want, run_local(plan, delivery, buckets)) is None


def test_an_idle_stream_does_not_hold_up_a_stage_it_feeds_alone() -> None:
    """The first stage hears S1 too: while S2 is idle, S1 tells it the time."""
    counts = Group((), (Binding(W, Count()),), pattern(X, "p", Y, SlidingWindow(ACCESS1, 10, 5)))
    by_z = Group(
        (Binding(Z, Ref(Z)),),
        (Binding(X, Count()),),
        pattern(Y, "q", Z, SlidingWindow(StreamAccess(S2), 100, 50)),
    )
    engine = Engine()
    query = engine.register(Join(counts, by_z))
    assert len(query.plan.stages) == 2
    engine.push(S2, stream(("a", "q", 1, 3)))
    engine.idle(S2)
    engine.push(S1, stream(("a", "p", 1, 4), ("a", "p", 1, 60)))
    assert max(answer.interval.end for answer in query.take()) == 60


ACCESS1 = StreamAccess(S1)


def test_rows_without_times_arrive_when_the_push_says() -> None:
    engine = Engine()
    query = engine.register(pattern(X, "p", Y, SlidingWindow(ACCESS1, 10, 10)))
    engine.push(S1, [triple("a", "p", 1), (*triple("b", "p", 2),)], at=3)
    engine.push(S1, table(stream(("c", "p", 3, 0))).drop_columns(["ts"]), at=15)
    engine.push(S1, [triple("d", "p", 4)])
    engine.close()
    intervals = [(e.interval.start, e.interval.end) for e in query.take()]
    assert intervals == [(3, 10), (3, 10), (15, 20)]
    (refused,) = engine.refused
    assert refused.reason == "timestamp None is not a whole number of milliseconds from 0 on"
    with pytest.raises(StreamError, match="timestamp -1 is not an instant"):
        engine.push(S1, [triple("a", "p", 1)], at=-1)


def test_bytes_that_are_no_utf8_and_bad_escapes_are_refused_row_by_row() -> None:
    engine = Engine()
    query = engine.register(pattern(X, "p", Y, SlidingWindow(ACCESS1, 10, 10)))
    good = table(stream(("a", "p", 1, 3))).select(["s", "p", "o", "ts"])
    bad = bytes_table((*row, 5) for row in BAD_ROWS)
    engine.push(S1, pa.concat_tables([good, bad, good]))
    assert len(query.take()) == 2
    assert len(engine.refused) == len(BAD_ROWS)
    reasons = [refused.reason for refused in engine.refused]
    assert sum(reason.endswith("is not UTF-8") for reason in reasons) == len(NOT_UTF8)
    assert "\ufffd" in engine.refused[0].row


@pytest.mark.parametrize("row", [None, 5, "spo", (), (EX.a,), tuple("abcde"), b"\xff", [[1]] * 3])
def test_what_is_no_row_at_all_is_refused_alone(row: Any) -> None:
    engine = Engine()
    query = engine.register(pattern(X, "p", Y, SlidingWindow(ACCESS1, 10, 10)))
    engine.push(S1, [(*triple("a", "p", 1), 1), row, (*triple("b", "p", 1), 1)])
    assert len(query.take()) == 2
    (refused,) = engine.refused
    assert refused.reason


def test_what_is_wrong_with_a_long_term_is_told_shortly() -> None:
    engine = Engine()
    engine.register(pattern(X, "p", Y, SlidingWindow(ACCESS1, 10, 10)))
    engine.push(S1, [(n3(EX.a), n3(EX.p), '"' + "x" * 1_000_000, 1)])
    (refused,) = engine.refused
    assert len(refused.reason) < 300


def test_what_is_said_in_one_moment_has_no_order() -> None:
    for order in ([50, IDLE], [IDLE, 50]):
        marks = Marks(["s", "t"])
        for time in sorted(order, reverse=True):
            marks.note(Mark("s", time))
        marks.note(Mark("t", 100))
        assert marks.advance() == 100


def test_texts_of_elements_that_are_gone_are_forgotten() -> None:
    plan = Join(
        pattern(X, "p", Y, SlidingWindow(ACCESS1, 10, 1)),
        pattern(X, "q", Z, SlidingWindow(ACCESS1, 10, 1)),
    )
    engine = Engine()
    query = engine.register(plan)
    for at in range(300):
        new = Literal(f"text {at}")
        engine.push(S1, [(*triple("a", "p", new), at), (*triple("a", "q", new), at)])
    ((_, _, (bucket,)),) = query._machine._stages
    texts = [len(run.dictionary.merged[0]) for run in bucket.snapshot().runs.values()]
    assert 0 < sum(texts) < 100
    assert not engine.refused
    engine.close()
    assert all(answer.interval.end < FOREVER for answer in query.take())
