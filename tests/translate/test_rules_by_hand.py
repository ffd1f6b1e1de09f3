"""Rules on plans built by hand: what no query text leads to, and the narrow guards."""

from __future__ import annotations

import pytest

from askos.algebra import (
    TRUE,
    UNIT,
    Aggregate,
    AggregateClauses,
    Binding,
    Bound,
    Clause,
    CopyNumber,
    Count,
    CountWindow,
    Distinct,
    Exists,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    LeftJoin,
    Max,
    Min,
    Not,
    Operator,
    OrderBy,
    Pattern,
    Project,
    Ref,
    Slice,
    SlidingWindow,
    SortKey,
    Static,
    StreamAccess,
    Sum,
    Timestamp,
    Union,
    Values,
)
from askos.algebra.reference import evaluate, sequence
from askos.errors import QueryError
from askos.explaining import explain
from askos.terms import Variable
from askos.translate import optimize
from askos.translate.rules import Rule
from askos.translate.rules.drop_distinct import drop_distinct
from askos.translate.rules.drop_empty import drop_empty
from askos.translate.rules.drop_identity_project import drop_identity_project
from askos.translate.rules.drop_unit import drop_unit
from askos.translate.rules.drop_unnoticed_distinct import drop_unnoticed_distinct
from askos.translate.rules.drop_unused_extend import drop_unused_extend
from askos.translate.rules.fold_constants import fold_constants
from askos.translate.rules.lift_distinct import lift_distinct
from askos.translate.rules.mark_static import mark_static
from askos.translate.rules.order_joins import order_joins
from askos.translate.rules.push_filter_below_distinct import push_filter_below_distinct
from askos.translate.rules.push_filter_below_extend import push_filter_below_extend
from askos.translate.rules.push_filter_below_group import push_filter_below_group
from askos.translate.rules.push_filter_below_project import push_filter_below_project
from askos.translate.rules.push_filter_into_join import push_filter_into_join
from askos.translate.rules.push_filter_into_window import push_filter_into_window
from askos.translate.rules.push_group_into_join import push_group_into_join
from askos.translate.rules.push_group_into_union import push_group_into_union
from askos.translate.rules.push_projection import push_projection
from askos.translate.rules.split_pattern import split_pattern
from tests.build import (
    EX,
    G1,
    PREFIXES,
    S1,
    S2,
    SMALL,
    W,
    X,
    Y,
    Z,
    bag,
    call,
    forever,
    pattern,
    solution,
    stream,
    table,
)

GRAPH = GraphAccess(G1)
P, Q, R = pattern(X, "p", Y), pattern(X, "q", Z), pattern(X, "r", W, GRAPH)
LATE = call(">", Timestamp(Y), 1)
STAMPED = Pattern(X, EX.p, Y, forever(), (Y,))
RAW = Pattern(X, EX.p, Y, StreamAccess(S1), (Y,))
N = Variable("n")


def by(*keys: Variable) -> tuple[Binding, ...]:
    return tuple(Binding(key, Ref(key)) for key in keys)


# ---- what create_plan has done already ------------------------------------------------------


def test_distinct_moves_from_triples_to_solutions() -> None:
    window = forever()
    assert lift_distinct(pattern(X, "p", Y, Distinct(window))) == Distinct(pattern(X, "p", Y))
    assert lift_distinct(P) is P


def test_of_a_pattern_over_a_stream_and_a_graph_the_static_part_comes_apart() -> None:
    mixed = pattern(X, "p", Y, Union(forever(), GRAPH))
    assert split_pattern(mixed) == Union(P, pattern(X, "p", Y, GRAPH))
    streams = pattern(X, "p", Y, Union(forever(), forever(S2)))
    assert split_pattern(streams) is streams
    assert explain(optimize(Join(mixed, Q)), PREFIXES).count("Static") == 1


# ---- arrival times --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "plan"),
    [
        (push_filter_into_join, Filter(LATE, Join(STAMPED, STAMPED))),
        (push_filter_below_project, Filter(LATE, Project((X, Y), STAMPED))),
        (push_filter_below_distinct, Filter(LATE, Distinct(STAMPED))),
        (push_filter_below_extend, Filter(LATE, CopyNumber(Z, STAMPED))),
        (push_filter_below_group, Filter(LATE, Group(by(Y), (), STAMPED))),
        (push_filter_into_window, Filter(LATE, SlidingWindow(RAW, 9, 3))),
        (drop_unnoticed_distinct, Distinct(Filter(LATE, Distinct(STAMPED)))),
        (drop_identity_project, Join(Project((X, Y), STAMPED), STAMPED)),
        (push_projection, Project((X,), Filter(LATE, Join(STAMPED, Q)))),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_conditions_on_arrival_times_stay_where_they_are(rule: Rule, plan: Operator) -> None:
    assert rule(plan) is plan


def test_a_filter_on_arrival_times_passes_what_does_not_touch_them() -> None:
    other = pattern(X, "q", Z)
    assert push_filter_into_join(Filter(LATE, Join(STAMPED, other))) == Join(
        Filter(LATE, STAMPED), other
    )


# ---- bags and sets --------------------------------------------------------------------------


def test_what_may_be_unbound_makes_a_join_of_sets_a_bag() -> None:
    sets = Join(table(solution(x=1), solution(x=1, y=2)), table(solution(x=1, y=2)))
    assert evaluate(sets, {}, 0) == bag(*[solution(x=1, y=2)] * 2)
    assert drop_distinct(Distinct(sets)) == Distinct(sets)


def test_two_graphs_are_no_set() -> None:
    both = pattern(X, "r", Y, Union(GRAPH, GraphAccess(EX.graph2)))
    assert drop_distinct(Distinct(both)) == Distinct(both)
    assert drop_distinct(Distinct(R)) is R


def test_slices_and_copy_numbers_count_what_distinct_leaves() -> None:
    for plan in (Slice(0, 1, Distinct(P)), CopyNumber(Z, Distinct(P))):
        assert drop_unnoticed_distinct(Distinct(plan)) == Distinct(plan)


def test_only_aggregates_that_see_no_copies_leave_out_distinct() -> None:
    grouped = Group(by(X), (Binding(N, Count(Ref(Y))),), Distinct(P))
    assert drop_unnoticed_distinct(grouped) is grouped
    blind = Group(by(X), (Binding(N, Max(Ref(Y))),), Distinct(P))
    assert drop_unnoticed_distinct(blind) == Group(by(X), (Binding(N, Max(Ref(Y))),), P)


# ---- ranks ----------------------------------------------------------------------------------

RANKED = OrderBy((SortKey(Ref(Y), descending=True),), P)


@pytest.mark.parametrize(
    "plan",
    [Join(UNIT, Slice(0, 5, RANKED)), Union(Values((), ()), Slice(0, 5, RANKED))],
    ids=["unit", "empty"],
)
def test_an_operator_that_forgets_ranks_is_not_replaced_by_one_that_has_some(
    plan: Operator,
) -> None:
    assert drop_unit(plan) is plan
    assert drop_empty(plan) is plan
    first = Slice(0, 1, plan)
    assert sequence(optimize(first), SMALL, 10) == sequence(first, SMALL, 10)


@pytest.mark.parametrize(
    ("rule", "plan"),
    [
        (fold_constants, Filter(TRUE, RANKED)),
        (drop_unused_extend, Project((X, Y), Extend(Z, TRUE, RANKED))),
    ],
    ids=["fold", "extend"],
)
def test_nor_is_what_stands_between_a_slice_and_an_order(rule: Rule, plan: Operator) -> None:
    assert rule(plan) is plan


# ---- groups ---------------------------------------------------------------------------------


def test_an_empty_part_has_no_minimum_without_keys() -> None:
    parts = Union(P, pattern(X, "nothing", Y, forever(S2)))
    least = Group((), (Binding(N, Min(Ref(Y))),), parts)
    assert push_group_into_union(least) is least
    counted = Group((), (Binding(N, Count()),), parts)
    assert push_group_into_union(counted) != counted
    data = {**SMALL, S2: stream()}
    assert evaluate(push_group_into_union(counted), data, 10) == bag(solution(n=3))


def test_branches_of_one_source_are_counted_together() -> None:
    counted = Group(by(X), (Binding(N, Count()),), Union(P, Q))
    assert push_group_into_union(counted) is counted


def test_a_group_does_not_pass_a_graph_in_which_a_key_occurs_twice() -> None:
    """B is no set on the keys: each pair counts."""
    twice = Project((X,), R)
    counted = Group(by(X), (Binding(N, Count(Ref(Y))),), Join(P, twice))
    pushed = push_group_into_join(counted)
    assert isinstance(pushed, Group)
    assert pushed.aggregates == (Binding(N, Sum(Ref(N))),)


def test_a_group_does_not_pass_what_may_be_unbound() -> None:
    optional = LeftJoin(R, pattern(X, "t", Y, GRAPH))
    counted = Group(by(X), (Binding(N, Count()),), Join(P, optional))
    assert push_group_into_join(counted) is counted


def test_filters_pass_clauses_that_all_group_by_their_variables() -> None:
    clauses = (Clause(Z, Count(), (X, Y)), Clause(W, Count(), (X,)))
    plan = AggregateClauses(clauses, P)
    on_x, on_y = call("=", X, "a"), call("=", Y, 1)
    assert push_filter_below_group(Filter(on_x, plan)) == AggregateClauses(clauses, Filter(on_x, P))
    assert push_filter_below_group(Filter(on_y, plan)) == Filter(on_y, plan)


SEEN = Filter(Bound(W), P)


@pytest.mark.parametrize(
    ("keys", "made", "join"),
    [
        ((X, W), Max(Ref(W)), Join(P, R)),  # an argument that only the graph binds
        ((X, W), Count(), Join(SEEN, R)),  # a key that EXISTS could put into the stream's side
        ((W,), Count(), Join(SEEN, R)),
        ((X, W), Count(distinct=True), Join(P, R)),
    ],
)
def test_a_group_does_not_pass_a_join_that_decides_more_than_multiplicities(
    keys: tuple[Variable, ...], made: Aggregate, join: Operator
) -> None:
    plan = Group(by(*keys), (Binding(N, made),), join)
    assert push_group_into_join(plan) is plan


def test_an_aggregate_named_like_a_variable_of_the_graph_would_join_with_it() -> None:
    plan = Group(by(X), (Binding(W, Count(Ref(Y))),), Join(P, R))
    assert push_group_into_join(plan) is plan


@pytest.mark.parametrize("graph", [Union(R, R), Filter(Bound(Z), R)], ids=["bag", "EXISTS"])
def test_what_is_more_than_a_set_of_keys_lets_parts_pass_only(graph: Operator) -> None:
    plan = Group(by(X, W), (Binding(N, Count(Ref(Y))),), Join(P, graph))
    assert isinstance(push_group_into_join(plan), Group)


def test_groups_differ_by_their_keys_and_by_nothing_else() -> None:
    counts = Group(by(X), (Binding(N, Count()),), P)
    assert drop_distinct(Distinct(Project((X, N), counts))) == Project((X, N), counts)
    few = Distinct(Project((N,), counts))
    assert drop_distinct(few) is few


# ---- windows --------------------------------------------------------------------------------


def test_nothing_moves_below_a_count_window() -> None:
    raw = pattern(X, "p", Y, StreamAccess(S1))
    high = call(">", Y, 1)
    counted = Filter(high, CountWindow(raw, 2))
    assert push_filter_into_window(counted) is counted
    timed = Filter(high, SlidingWindow(raw, 9, 3))
    assert push_filter_into_window(timed) == SlidingWindow(Filter(high, raw), 9, 3)


# ---- EXISTS ---------------------------------------------------------------------------------


def test_a_projection_inside_exists_keeps_outer_values_out() -> None:
    hidden = Project((X,), Extend(Z, Ref(Y), pattern(X, "p", Y)))
    outer = table(solution(x="a", y=99, z=99))
    plan = Filter(Exists(hidden), outer)
    assert (
        evaluate(optimize(plan), SMALL, 10)
        == evaluate(plan, SMALL, 10)
        == bag(solution(x="a", y=99, z=99))
    )


def test_bound_of_a_variable_that_only_exists_puts_in_is_not_folded() -> None:
    plan = Filter(Exists(Filter(Bound(W), P)), Extend(W, Ref(X), table(solution(x="a"))))
    assert evaluate(optimize(plan), SMALL, 10) == evaluate(plan, SMALL, 10) != bag()
    unbound = Filter(Exists(Filter(Not(Bound(W)), P)), table(solution(x="a")))
    assert evaluate(optimize(unbound), SMALL, 10) == evaluate(unbound, SMALL, 10) != bag()


def test_projections_keep_out_nothing_that_exists_puts_in() -> None:
    narrow = Project((X, W), Join(SEEN, R))
    assert push_projection(narrow) is narrow
    same = Join(Project((X, Y), SEEN), Q)
    assert drop_identity_project(same) is same


# ---- joins ----------------------------------------------------------------------------------


def test_a_filter_on_what_is_not_bound_yet_does_not_go_up() -> None:
    lonely = Filter(Not(Bound(W)), Join(P, Q))
    plan = Join(Join(lonely, R), pattern(X, "r", "b", GRAPH))
    assert evaluate(order_joins(plan), SMALL, 10) == evaluate(plan, SMALL, 10) != bag()


# ---- static parts ---------------------------------------------------------------------------


def test_static_is_the_identity_and_reads_no_stream() -> None:
    assert evaluate(Static(R), SMALL, 10) == evaluate(R, SMALL, 10)
    with pytest.raises(QueryError, match="reads the stream"):
        Static(P)


def test_the_largest_static_parts_are_marked_once() -> None:
    part = Join(R, pattern(W, "r", Z, GRAPH))
    plan = Join(P, part)
    assert mark_static(plan) == Join(P, Static(part))
    assert mark_static(mark_static(plan)) == mark_static(plan)
    assert mark_static(part) is part
    assert mark_static(Join(P, UNIT)) == Join(P, UNIT)


def test_a_part_that_occurs_twice_is_marked_where_it_is_the_largest() -> None:
    other = pattern(W, "r", Z, GRAPH)
    plan = Union(Join(P, R), Join(R, other))
    assert mark_static(plan) == Union(Join(P, Static(R)), Static(Join(R, other)))
    exists = Filter(Exists(R), Join(P, R))
    assert mark_static(exists) == Filter(Exists(R), Join(P, Static(R)))


def test_a_deep_plan_is_optimised_too() -> None:
    plan: Operator = P
    for i in range(150):
        plan = Join(plan, pattern(X, f"p{i}", Variable(f"v{i}")))
    best = optimize(Project((X,), plan))
    assert sum(isinstance(node, Pattern) for node in best.walk()) == 151
