"""Too much state stops a query with a reason, and nothing else does."""

from __future__ import annotations

import pytest

from askos.algebra import Join, LeftJoin, Operator, SlidingWindow, StreamAccess
from askos.errors import QueryError, StreamError
from askos.local import Engine, run
from askos.sources import Catalogue
from tests.build import S1, S2, X, Y, Z, pattern, stream


def over(p: str, o: object, range_: int = 100) -> Operator:
    return pattern(X, p, o, SlidingWindow(StreamAccess(S1 if p == "p" else S2), range_, 1))


JOIN = Join(over("p", Y), over("q", Z))


def test_a_bucket_that_keeps_too_much_says_who_where_and_what_to_do() -> None:
    engine = Engine(state_limit=3)
    engine.register(JOIN)
    engine.push(S1, stream(("a", "p", 1, 1), ("b", "p", 1, 2), ("c", "p", 1, 3)))
    with pytest.raises(StreamError) as caught:
        engine.push(S2, stream(("a", "q", 1, 4)))
    assert caught.value.message == (
        "bucket 1 of 1 of stage 1 keeps 4 elements, 4 of them for Join, and state_limit is 3"
    )
    assert "--state-limit" in caught.value.hint


def test_each_bucket_has_the_limit_for_itself() -> None:
    rows = {S1: stream(*((f"s{n}", "p", 1, 1) for n in range(40))), S2: []}
    assert not list(run(JOIN, rows, buckets=4, state_limit=20))
    with pytest.raises(StreamError, match="bucket 1 of 1 of stage 1 keeps 40 elements"):
        list(run(JOIN, rows, state_limit=20))


def test_what_has_left_its_window_does_not_count() -> None:
    engine = Engine(state_limit=10)
    engine.register(Join(over("p", Y, 5), over("q", Z, 5)))
    for time in range(0, 1000, 2):
        engine.push(S1, stream(("a", "p", 1, time)))
        engine.push(S2, stream(("b", "q", 1, time)))


def test_results_that_wait_for_their_time_count() -> None:
    """The join that takes one element at a time keeps them in the paper's heap H."""
    known = Catalogue().stream(S1, rows_per_batch=1).stream(S2, rows_per_batch=1)
    engine = Engine(sources=known, state_limit=70)
    query = engine.register(
        f"SELECT ?x FROM STREAM <{S1}> WINDOW RANGE 100 MS SLIDE"
        f" FROM STREAM <{S2}> WINDOW RANGE 100 MS SLIDE"
        " { ?x <http://example.org/p> ?y . ?x <http://example.org/q> ?z }"
    )
    assert "OrderedJoin" in repr(query.plan)
    engine.push(S1, stream(*(("a", "p", n, 1) for n in range(8))))
    with pytest.raises(StreamError, match="of them for OrderedJoin"):
        engine.push(S2, stream(*(("a", "q", n, 2) for n in range(8))))


def test_a_closure_stops_before_it_has_found_everything() -> None:
    chain = stream(*((f"n{n}", "p", f"n{n + 1}", 1) for n in range(60)))
    window = f"FROM STREAM <{S1}> WINDOW RANGE 9 MS SLIDE"
    text = f"SELECT * {window} {{ ?x <http://example.org/p>+ ?y }}"
    assert len(list(run(text, {S1: chain}))) == 60 * 61 // 2
    with pytest.raises(StreamError, match=r"Closure has found [0-9,]+ pairs in one step"):
        list(run(text, {S1: chain}, state_limit=1000))


def test_a_limit_is_a_whole_number() -> None:
    with pytest.raises(QueryError, match="state_limit must be a whole number >= 1, not 0"):
        Engine(state_limit=0)


def test_a_left_join_is_bounded_while_it_waits() -> None:
    """Nothing of S2 comes: all of S1 waits for it, before and after its window."""
    engine = Engine(state_limit=10)
    engine.register(LeftJoin(over("p", Y, 5), over("q", Z, 5)))
    for time in range(0, 50, 5):
        engine.push(S1, stream(("a", "p", 1, time)))
    with pytest.raises(StreamError, match="for LeftJoin, and state_limit is 10"):
        engine.push(S1, stream(("a", "p", 1, 50)))
