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
    Latest,
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
    Union,
    Values,
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
    term,
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


def test_timestamp_may_name_a_stream_by_a_variable() -> None:
    data = {S1: stream(("a", "p", 1, 5)), S2: stream(("a", "p", 2, 9))}
    both = Union(
        *(Join(stamped("p", Y, forever(name)), Values((Z,), ((name,),))) for name in (S1, S2))
    )
    plan = Project((Y, W), Extend(W, Timestamp(X, Z), both))
    assert evaluate(plan, data, 20) == bag(solution(y=1, w=5), solution(y=2, w=9))
    for named in (EX.other, term(5)):
        none = Extend(W, Timestamp(X, Z), Join(stamped("p", Y), Values((Z,), ((named,),))))
        assert evaluate(Project((Y, W), none), data, 20) == bag(solution(y=1))
    assert Timestamp(X, Z).variables == {X, Z}
    assert Timestamp(X, Z).stamps == {X}
    assert str(Timestamp(X, Z)) == "timestamp(?x, ?z)"


def test_exists_sees_by_which_variable_an_outer_stream_is_named() -> None:
    late = call(">", Timestamp(X, Z), 0)
    for named, count in ((S1, 3), (S2, 0), (term(5), 0)):
        outer = Join(pattern(X, "p", Y), Values((Z,), ((named,),)))
        assert sum(at(Filter(Exists(Filter(late, stamped("p", W))), outer)).values()) == count


TIMES = Values(
    (X, Y, Z),
    tuple(
        (EX.a, None if y is None else term(y), term(z))
        for y, z in ((7, 1), (30, 1), (None, 2), (4, 3))
    ),
)


def test_where_arrival_times_are_columns_distinct_keeps_the_largest() -> None:
    rows = Distinct(Project((X, Y), TIMES), (Y,))
    assert at(rows) == bag(solution(x="a", y=30))
    assert at(Distinct(Project((X, Y, Z), TIMES), (Z, Y))) == bag(solution(x="a", y=30, z=3))
    assert at(Distinct(Values((X, Y), ((EX.a, None),)), (Y,))) == bag(solution(x="a"))


def test_where_arrival_times_are_columns_copies_come_in_their_order() -> None:
    numbered = CopyNumber(W, Project((X, Y), TIMES), (Y,))
    rows = [solution(x="a", w=0), *(solution(x="a", y=y, w=w) for w, y in enumerate((4, 7, 30), 1))]
    assert at(numbered) == bag(*rows)


def test_where_arrival_times_are_columns_slices_look_at_them_last() -> None:
    """By name ?x would be first, then ?y, then ?z."""
    plan = Project((Y, Z), TIMES)
    assert at(Slice(0, 2, plan, times=(Y,))) == bag(solution(y=7, z=1), solution(y=30, z=1))
    assert at(Slice(0, 1, plan)) == bag(solution(z=2))


def test_the_latest_of_columns_is_the_largest_number_among_those_bound() -> None:
    latest = Latest((X, Y, Z))
    rows = Values((X, Y, Z), ((term(7), term(30), None), (None, None, None)))
    plan = Project((W,), Extend(W, latest, rows))
    assert at(plan) == bag(solution(w=30), solution())
    assert latest.variables == {X, Y, Z}
    assert str(latest) == "latest(?x, ?y, ?z)"


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
