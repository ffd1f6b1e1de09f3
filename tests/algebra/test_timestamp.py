"""timestamp(): hidden arrival times from pattern to projection."""

from __future__ import annotations

from askos.algebra import (
    Bag,
    Distinct,
    Extend,
    GraphAccess,
    Join,
    Operator,
    Pattern,
    Project,
    SteppedWindow,
    StreamAccess,
    Timestamp,
)
from askos.algebra.reference import Streams, evaluate
from askos.terms import Variable
from tests.build import (
    EX,
    G1,
    S1,
    S2,
    W,
    X,
    Y,
    Z,
    bag,
    forever,
    solution,
    stream,
    triple,
)

DATA: Streams = {
    S1: stream(("a", "p", 1, 0), ("a", "p", 1, 1), ("b", "p", 2, 2), ("a", "q", 3, 3)),
    G1: [triple("a", "r", "b"), triple("b", "r", "c")],
}


def at(plan: Operator, instant: int = 10) -> Bag:
    return evaluate(plan, DATA, instant)


def stamped(p: str, o: Variable, input: Operator | None = None) -> Pattern:
    return Pattern(X, EX[p], o, input or forever(), (X, o))


def test_timestamp_is_the_latest_arrival_of_what_bound_the_variable() -> None:
    joined = Join(stamped("p", Y), stamped("q", Z))
    plan = Project((Y, Z, W), Extend(W, Timestamp(X), joined))
    assert at(plan) == bag(solution(y=1, z=3, w=3), solution(y=1, z=3, w=3))
    of_y = Project((Y, W), Extend(W, Timestamp(Y), joined))
    assert at(of_y) == bag(solution(y=1, w=0), solution(y=1, w=1))


def test_timestamp_may_name_a_stream() -> None:
    data = {S1: stream(("a", "p", 1, 5)), S2: stream(("a", "q", 2, 9))}
    joined = Join(stamped("p", Y), stamped("q", Z, forever(S2)))
    plan = Project((W,), Extend(W, Timestamp(X, S1), joined))
    assert evaluate(plan, data, 20) == bag(solution(w=5))


def test_timestamp_of_static_data_is_unbound() -> None:
    plan = Project((X, W), Extend(W, Timestamp(X), stamped("r", Y, GraphAccess(G1))))
    assert at(plan) == bag(solution(x="a"), solution(x="b"))


def test_under_set_semantics_the_latest_copy_counts() -> None:
    for unique in (Distinct(stamped("p", Y)), stamped("p", Y, Distinct(forever()))):
        plan = Project((Y, W), Extend(W, Timestamp(Y), unique))
        assert at(plan) == bag(solution(y=1, w=1), solution(y=2, w=2))


def test_a_pattern_below_a_group_window_keeps_arrival_times_too() -> None:
    below = Pattern(X, EX.p, Y, StreamAccess(S1), (Y,))
    plan = Project((Y, W), Extend(W, Timestamp(Y), SteppedWindow(below, 10, 5)))
    assert at(plan, 5) == bag(solution(y=1, w=0), solution(y=1, w=1), solution(y=2, w=2))
