"""The laws of the algebra, on random plans, streams and instants."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from askos.algebra import (
    TRUE,
    And,
    AntiJoin,
    Distinct,
    Exists,
    Expression,
    Extend,
    Filter,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Not,
    Operator,
    Path,
    Pattern,
    Payload,
    Project,
    Ref,
    SemiJoin,
    Timestamp,
    Union,
    Values,
    Window,
    from_json,
    snapshot,
    to_json,
    to_logical,
)
from askos.algebra.reference import Streams, change_instants, evaluate, intervals
from askos.explaining import explain
from askos.terms import Solution, Variable
from tests.build import S1, W, X, Y, Z, bag, pattern, solution, stream, table
from tests.strategies import data, expressions, instants, leaf_plans, plans

SMALL = plans(2)


def same(left: Operator, right: Operator, streams: Streams, t: int) -> None:
    assert evaluate(left, streams, t) == evaluate(right, streams, t)


# ---- what every plan keeps ------------------------------------------------------------------


@given(plans(), data(), instants())
def test_every_solution_binds_the_bound_and_at_most_the_possible_variables(
    plan: Operator, streams: Streams, t: int
) -> None:
    assert plan.bound <= plan.variables
    for mu in evaluate(plan, streams, t):
        assert isinstance(mu, Solution)
        assert plan.bound <= mu.keys() <= plan.variables


def fixed(plan: Operator, streams: Streams, t: int) -> Operator:
    """`plan` with every leaf that yields solutions replaced by the table of them at t."""

    def freeze(node: Operator) -> Operator:
        leaf = isinstance(node, Window | Pattern | Path) and not node.raw
        if not leaf or node.payload is not Payload.SOLUTION:
            return node
        columns = tuple(sorted(node.variables))
        found = [mu for mu in evaluate(node, streams, t).elements() if isinstance(mu, Solution)]
        return Values(columns, tuple(tuple(mu.get(v) for v in columns) for mu in found))

    return plan.transform(freeze)


@given(plans(), data(), instants())
def test_all_but_the_leaves_depend_on_the_snapshot_alone(
    plan: Operator, streams: Streams, t: int
) -> None:
    """Snapshot-reducibility: with the leaves' snapshots written in, no stream is needed."""
    patterns = [node for node in plan.walk() if isinstance(node, Exists)]
    # Inside EXISTS a path of zero length depends on the outer solution, not on its snapshot.
    assume(not any(isinstance(node, Path) for exists in patterns for node in exists.walk()))
    # A table keeps no arrival times.
    assume(not any(isinstance(node, Timestamp) for node in plan.walk()))
    frozen = fixed(plan, streams, t)
    assert not list(frozen.sources)
    assert evaluate(frozen, {}, t) == evaluate(plan, streams, t)


@given(plans(3), data())
def test_nothing_changes_between_change_instants(plan: Operator, streams: Streams) -> None:
    elements = intervals(plan, streams)
    for t in range(45):
        assert snapshot(elements, t) == evaluate(plan, streams, t)
    assert to_logical(elements).at(30) == evaluate(plan, streams, 30)
    assert change_instants(plan, streams)[0] == 0


# ---- joins and unions -----------------------------------------------------------------------


@given(SMALL, SMALL, data(), instants())
def test_join_and_union_commute(a: Operator, b: Operator, streams: Streams, t: int) -> None:
    same(Join(a, b), Join(b, a), streams, t)
    same(Union(a, b), Union(b, a), streams, t)


@given(SMALL, SMALL, SMALL, data(), instants())
def test_join_and_union_associate_and_distribute(
    a: Operator, b: Operator, c: Operator, streams: Streams, t: int
) -> None:
    same(Join(Join(a, b), c), Join(a, Join(b, c)), streams, t)
    same(Union(Union(a, b), c), Union(a, Union(b, c)), streams, t)
    same(Join(a, Union(b, c)), Union(Join(a, b), Join(a, c)), streams, t)
    same(LeftJoin(Union(a, b), c), Union(LeftJoin(a, c), LeftJoin(b, c)), streams, t)


@given(SMALL, data(), instants())
def test_the_empty_group_is_the_unit_of_join(a: Operator, streams: Streams, t: int) -> None:
    same(Join(a, Values((), ((),))), a, streams, t)
    same(Union(a, Values((), ())), a, streams, t)


@given(SMALL, SMALL, expressions(), data(), instants())
def test_a_left_join_is_a_join_and_an_anti_join(
    a: Operator, b: Operator, p: Expression, streams: Streams, t: int
) -> None:
    same(LeftJoin(a, b, p), Union(Filter(p, Join(a, b)), AntiJoin(a, b, p)), streams, t)


@given(SMALL, SMALL, expressions(), data(), instants())
def test_semi_join_and_anti_join_part_the_left(
    a: Operator, b: Operator, p: Expression, streams: Streams, t: int
) -> None:
    same(Union(SemiJoin(a, b, p), AntiJoin(a, b, p)), a, streams, t)
    marked = MarkJoin(a, b, p, variable=Variable("mark"))
    same(
        Filter(Ref(marked.variable), marked),
        Extend(marked.variable, TRUE, SemiJoin(a, b, p)),
        streams,
        t,
    )


@given(SMALL, SMALL, data(), instants())
def test_minus_is_an_anti_join_where_a_variable_is_shared_for_certain(
    a: Operator, b: Operator, streams: Streams, t: int
) -> None:
    assume(a.bound & b.bound)
    same(Minus(a, b), AntiJoin(a, b), streams, t)


# ---- filters --------------------------------------------------------------------------------


@given(SMALL, SMALL, expressions(), expressions(), data(), instants())
def test_filters_split_and_distribute(
    a: Operator, b: Operator, p: Expression, q: Expression, streams: Streams, t: int
) -> None:
    same(Filter(And(p, q), a), Filter(p, Filter(q, a)), streams, t)
    same(Filter(p, Union(a, b)), Union(Filter(p, a), Filter(p, b)), streams, t)
    if not p.stamps:
        same(Distinct(Filter(p, a)), Filter(p, Distinct(a)), streams, t)


@given(SMALL, SMALL, expressions(), data(), instants())
def test_a_filter_moves_to_the_side_that_binds_its_variables(
    a: Operator, b: Operator, p: Expression, streams: Streams, t: int
) -> None:
    assume(p.variables <= a.bound and p.stamps.isdisjoint(b.variables))
    same(Filter(p, Join(a, b)), Join(Filter(p, a), b), streams, t)
    same(Filter(p, LeftJoin(a, b)), LeftJoin(Filter(p, a), b), streams, t)


def test_a_filter_does_not_move_to_a_side_that_only_mentions_its_variable() -> None:
    optional = table(solution(x=1), solution(x=1, y=2))
    both, p = table(solution(x=1, y=3)), Not(Exists(Filter(Ref(Y), Values((), ((),)))))
    assert evaluate(Filter(p, Join(optional, both)), {}, 0) != evaluate(
        Join(Filter(p, optional), both), {}, 0
    )


# ---- duplicates and projection --------------------------------------------------------------


@given(SMALL, SMALL, data(), instants())
def test_distinct_is_idempotent_and_absorbs(
    a: Operator, b: Operator, streams: Streams, t: int
) -> None:
    same(Distinct(Distinct(a)), Distinct(a), streams, t)
    same(Distinct(Union(a, a)), Distinct(a), streams, t)
    same(Distinct(Union(a, b)), Distinct(Union(Distinct(a), Distinct(b))), streams, t)
    same(SemiJoin(a, b), SemiJoin(a, Distinct(b)), streams, t)
    same(Distinct(Join(a, b)), Distinct(Join(Distinct(a), Distinct(b))), streams, t)


def test_bags_and_sets_differ() -> None:
    twice = {S1: stream(("a", "p", 1, 0), ("a", "p", 1, 1))}
    plan = pattern(X, "p", Y)
    assert evaluate(plan, twice, 5) == bag(*[solution(x="a", y=1)] * 2)
    assert evaluate(Distinct(plan), twice, 5) == bag(solution(x="a", y=1))
    assert evaluate(Union(plan, plan), twice, 5) != evaluate(plan, twice, 5)


@given(SMALL, data(), instants())
def test_projections_collapse(a: Operator, streams: Streams, t: int) -> None:
    same(Project((X,), Project((X, Y), a)), Project((X,), a), streams, t)
    same(Project(tuple(sorted(a.variables)), a), a, streams, t)


@given(SMALL, expressions(exists=False), data(), instants())
def test_what_is_projected_away_need_not_be_computed(
    a: Operator, e: Expression, streams: Streams, t: int
) -> None:
    assume(W not in a.variables)
    columns = tuple(sorted(a.variables))
    same(Project(columns, Extend(W, e, a)), a, streams, t)


# ---- EXISTS ---------------------------------------------------------------------------------


def positive() -> st.SearchStrategy[Operator]:
    """Joins and unions of leaves that surely bind what they may bind: patterns and windows."""
    leaves = leaf_plans().filter(lambda plan: plan.bound == plan.variables and plan.inputs != ())
    return st.recursive(
        leaves.filter(lambda plan: not isinstance(plan, Path)),
        lambda inner: st.builds(Join, inner, inner) | st.builds(Union, inner, inner),
        max_leaves=3,
    )


@given(SMALL, positive(), data(), instants())
def test_exists_by_substitution_is_a_semi_join_for_positive_patterns(
    a: Operator, b: Operator, streams: Streams, t: int
) -> None:
    same(Filter(Exists(b), a), SemiJoin(a, b), streams, t)
    same(Filter(Not(Exists(b)), a), AntiJoin(a, b), streams, t)


@given(SMALL, positive(), expressions(exists=False), data(), instants())
def test_a_filter_in_exists_is_the_condition_of_the_semi_join(
    a: Operator, b: Operator, p: Expression, streams: Streams, t: int
) -> None:
    """Since the filter sees the outer bindings: σ_EXISTS{σ_p(B)}(A) = A ⋉_p B."""
    same(Filter(Exists(Filter(p, b)), a), SemiJoin(a, b, p), streams, t)


def test_exists_is_no_semi_join_where_a_sub_pattern_needs_the_outer_value() -> None:
    inner = LeftJoin(table(solution(z=1)), table(solution(x=2)))
    outer = table(solution(x=1))
    assert evaluate(Filter(Exists(inner), outer), {}, 0) == bag(solution(x=1))
    assert evaluate(SemiJoin(outer, inner), {}, 0) == bag()


# ---- transform ------------------------------------------------------------------------------


@given(plans())
def test_transform_with_the_identity_returns_the_same_object(plan: Operator) -> None:
    assert plan.transform(lambda node: node) is plan


@given(plans())
def test_transform_visits_every_operator_bottom_up(plan: Operator) -> None:
    seen: list[Operator] = []

    def note(node: Operator) -> Operator:
        assert all(any(child is s for s in seen) for child in node.inputs)
        seen.append(node)
        return node

    plan.transform(note)
    operators = {id(node) for node in plan.walk() if isinstance(node, Operator)}
    assert sorted(map(id, seen)) == sorted(operators)


def test_a_plan_may_be_deeper_than_pythons_stack_is_used_to() -> None:
    plan: Operator = pattern(X, "p", Y)
    for _ in range(300):
        plan = Join(plan, pattern(X, "p", Y))
    assert plan.transform(lambda node: node) is plan
    doubled = plan.transform(lambda node: Distinct(node) if isinstance(node, Pattern) else node)
    assert sum(isinstance(node, Distinct) for node in doubled.walk()) == 301
    assert from_json(to_json(plan)) == plan
    assert explain(plan).count("Join") == 300
    assert plan.bound == {X, Y}


def test_transform_goes_from_left_to_right() -> None:
    seen: list[Operator] = []
    left, right = pattern(X, "p", Y), pattern(X, "q", Y)
    Join(left, right).transform(lambda node: seen.append(node) or node)  # type: ignore[func-returns-value]
    assert [node for node in seen if isinstance(node, Pattern)] == [left, right]


def test_a_chain_of_binds_is_no_exponential_matter() -> None:
    plan: Operator = pattern(X, "p", Y)
    for i in range(60):
        plan = Extend(Variable(f"v{i}"), Ref(X), plan)
    assert len(plan.bound) == 62


def test_transform_changes_plans_inside_exists() -> None:
    plan = Filter(Exists(Distinct(pattern(X, "p", Z))), pattern(X, "p", Y))

    def drop_distinct(node: Operator) -> Operator:
        return node.input if isinstance(node, Distinct) else node

    assert plan.transform(drop_distinct) == Filter(Exists(pattern(X, "p", Z)), pattern(X, "p", Y))


def test_expressions_are_rewritten_by_the_same_traversal() -> None:
    plan = Filter(And(Ref(X), Exists(Filter(Ref(X), pattern(X, "p", Y)))), pattern(X, "p", Y))
    result = plan.rewrite(Expression, lambda e: Ref(Z) if e == Ref(X) else e)
    assert result == Filter(
        And(Ref(Z), Exists(Filter(Ref(Z), pattern(X, "p", Y)))), pattern(X, "p", Y)
    )
