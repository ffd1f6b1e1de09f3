"""timestamp(): hidden arrival times from pattern to projection."""

from __future__ import annotations

from askos.algebra import (
    Construct,
    CopyNumber,
    Count,
    Distinct,
    Exists,
    Extend,
    Filter,
    GraphAccess,
    Join,
    Max,
    Not,
    Operator,
    Pattern,
    Project,
    SemiJoin,
    Slice,
    SteppedWindow,
    StreamAccess,
    Template,
    Timestamp,
)
from askos.algebra.reference import evaluate
from askos.terms import BNode, Variable
from tests.build import (
    EX,
    G1,
    S1,
    S2,
    W,
    X,
    Y,
    Z,
    at,
    bag,
    call,
    forever,
    pattern,
    solution,
    stream,
)


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


def test_a_slice_keeps_arrival_times_as_the_distinct_below_it_does() -> None:
    unique = Distinct(stamped("p", Y))
    for sliced in (unique, Slice(0, None, unique)):
        plan = Project((Y, W), Extend(W, Timestamp(Y), sliced))
        assert at(plan) == bag(solution(y=1, w=1), solution(y=2, w=2))


def test_exists_sees_the_arrival_times_of_outer_variables() -> None:
    """The later of outside and inside counts, as if the two were joined."""
    outer, inner = stamped("p", Y), stamped("q", Z)
    for limit in range(5):
        late = call(">", Timestamp(X), limit)
        seen = Filter(Exists(Filter(late, inner)), outer)
        assert at(seen) == at(SemiJoin(outer, inner, late))
        of_y = call(">", Timestamp(Y), limit)
        seen = Filter(Exists(Filter(of_y, inner)), outer)
        assert at(seen) == at(SemiJoin(outer, inner, of_y))


def test_a_sub_select_in_exists_sees_the_arrival_times_it_projects() -> None:
    late = call(">", Timestamp(X), 0)
    inner = Project((X,), Filter(late, pattern(X, "q", Z)))
    assert len(at(Filter(Exists(inner), stamped("p", Y)))) == 1
    hidden = Project((Z,), Filter(late, pattern(X, "q", Z)))
    assert at(Filter(Exists(hidden), stamped("p", Y))) == bag()


def test_conditions_say_which_arrival_times_they_read() -> None:
    condition = Not(call("<", Timestamp(X), call("+", Y, 1)))
    assert condition.stamps == {X}
    assert Exists(Filter(condition, pattern(X, "p", Z))).stamps == {X}
    assert call("<", X, Y).stamps == frozenset()
    assert Max(Timestamp(X)).stamps == {X}
    assert Count().stamps == frozenset()


def test_a_condition_on_arrival_times_does_not_move_below_what_changes_them() -> None:
    """`variables` alone would allow it: ?x is bound by the left side."""
    left, right = stamped("p", Y), stamped("q", Z)
    early = call("<", Timestamp(X), 3)
    assert early.variables <= left.bound
    assert at(Filter(early, Join(left, right))) != at(Join(Filter(early, left), right))
    assert at(Filter(call("<", Timestamp(Y), 1), Distinct(left))) != at(
        Distinct(Filter(call("<", Timestamp(Y), 1), left))
    )


def test_copies_that_differ_in_arrival_time_alone_are_copies() -> None:
    numbered = Project((Y, W), CopyNumber(W, stamped("p", Y)))
    assert at(numbered) == bag(solution(y=1, w=0), solution(y=1, w=1), solution(y=2, w=0))
    made = Construct((Template(X, EX.has, BNode("n")),), stamped("p", Y), "q")
    assert len(at(made)) == 3
