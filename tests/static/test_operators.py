"""Every operator on its own; what random plans found is a case here too."""

from __future__ import annotations

from collections import Counter

import pytest

from askos.algebra import (
    UNIT,
    AggregateClauses,
    AntiJoin,
    Ask,
    Avg,
    Binding,
    Bound,
    Clause,
    Construct,
    CopyNumber,
    Count,
    Describe,
    Distinct,
    EmptyGraph,
    Extend,
    Filter,
    GraphAccess,
    Group,
    GroupConcat,
    Join,
    LeftJoin,
    MarkJoin,
    Max,
    Min,
    Minus,
    Operator,
    OrderBy,
    Project,
    Reduced,
    Ref,
    Sample,
    SemiJoin,
    Slice,
    SlidingWindow,
    SortKey,
    StreamAccess,
    Sum,
    Template,
    Union,
    Values,
)
from askos.errors import QueryError, StreamError
from askos.static import StaticGraph, evaluate
from askos.terms import BNode, Solution, Triple, anonymous
from tests.build import EX, G1, S1, W, X, Y, Z, bag, call, pattern, solution, table, term, triple
from tests.static.build import GRAPH, ask, graph, match

DATA = graph(
    ("a", "p", 1),
    ("a", "p", 2),
    ("b", "p", 2),
    ("c", "p", "x"),
    ("a", "q", "b"),
    ("b", "q", "c"),
    ("d", "q", "d"),
)
PX = match(X, "p", Y)


def test_a_pattern_matches_constants_and_binds_variables() -> None:
    assert ask(match("a", "p", Y), DATA) == bag(solution(y=1), solution(y=2))
    assert ask(match("a", X, "b"), DATA) == bag(solution(x="q"))
    assert ask(match("a", "q", "b"), DATA) == bag(solution())
    assert ask(match("a", "q", "c"), DATA) == bag()


def test_a_variable_used_twice_binds_equal_terms() -> None:
    assert ask(match(X, "q", X), DATA) == bag(solution(x="d"))


def test_a_triple_of_two_graphs_counts_twice_unless_they_are_merged() -> None:
    both = Union(GRAPH, GraphAccess(EX.other))
    graphs = {G1: graph(("a", "p", 1)), EX.other: graph(("a", "p", 1), ("b", "p", 1))}
    twice = evaluate(pattern(X, "p", 1, both), graphs)
    once = evaluate(pattern(X, "p", 1, Distinct(both)), graphs)
    assert isinstance(twice, list)
    assert isinstance(once, list)
    assert Counter(twice) == bag(solution(x="a"), solution(x="a"), solution(x="b"))
    assert Counter(once) == bag(solution(x="a"), solution(x="b"))


def test_the_empty_graph_matches_nothing_and_the_empty_group_once() -> None:
    assert ask(pattern(X, "p", Y, EmptyGraph()), DATA) == bag()
    assert ask(UNIT, DATA) == bag(solution())


def test_join_agrees_on_shared_variables_and_multiplies() -> None:
    twice = table(solution(x="a"), solution(x="a"), solution(x="z"))
    row = solution(x="a", y="b")
    assert ask(Join(twice, match(X, "q", Y)), DATA) == bag(row, row)


def test_an_unbound_variable_joins_with_everything_and_is_filled() -> None:
    some = table(solution(x="a"), solution(y=2))
    expected = bag(
        solution(x="a", y=1), solution(x="a", y=2), solution(x="a", y=2), solution(x="b", y=2)
    )
    assert ask(Join(some, PX), DATA) == expected
    assert ask(Join(PX, Reduced(some)), DATA) == expected


def test_members_without_a_variable_in_common_make_a_product() -> None:
    plan = Join(Join(match(X, "q", Y), match(Z, "p", "x")), match("a", "q", W))
    assert len(ask(plan, DATA)) == 3
    assert all(row.keys() == {X, Y, Z, W} for row in ask(plan, DATA))  # type: ignore[attr-defined]


def test_left_join_pads_where_no_partner_satisfies_the_condition() -> None:
    plan = LeftJoin(match(X, "q", Y), match(X, "p", Z), call(">", Z, 1))
    assert ask(plan, DATA) == bag(
        solution(x="a", y="b", z=2), solution(x="b", y="c", z=2), solution(x="d", y="d")
    )


def test_semi_and_anti_join_split_the_left_side() -> None:
    left, right = match(X, "q", Y), match(X, "p", Z)
    with_partner = ask(SemiJoin(left, right), DATA)
    without = ask(AntiJoin(left, right), DATA)
    assert with_partner == bag(solution(x="a", y="b"), solution(x="b", y="c"))
    assert without == bag(solution(x="d", y="d"))
    assert ask(SemiJoin(left, right, call("=", Z, 1)), DATA) == bag(solution(x="a", y="b"))


def test_a_mark_join_marks_the_left_side() -> None:
    marked = ask(MarkJoin(match(X, "q", Y), match(X, "p", Z), variable=W), DATA)
    assert marked == bag(
        solution(x="a", y="b", w=True),
        solution(x="b", y="c", w=True),
        solution(x="d", y="d", w=False),
    )


def test_minus_and_slices_by_group() -> None:
    left = table(solution(x=1, y=1), solution(x=2, y=1), solution(y=1), solution(x=3))
    right = table(solution(x=1, y=1), solution(y=1), solution(x=3))
    assert ask(Minus(left, right, by=(X,)), DATA) == bag(solution(x=2, y=1), solution(x=3))
    assert ask(Slice(1, None, left, by=(Y,)), DATA) == bag(solution(x=1, y=1), solution(x=2, y=1))


def test_minus_removes_only_what_shares_a_bound_variable() -> None:
    left = match(X, "q", Y)
    assert ask(Minus(left, match(X, "p", Z)), DATA) == bag(solution(x="d", y="d"))
    assert ask(Minus(left, match(Z, "p", W)), DATA) == ask(left, DATA)
    assert ask(Minus(left, table(solution(z=1))), DATA) == ask(left, DATA)
    assert ask(Minus(table(solution(z=1)), table(solution(x="a"), solution(z=1))), DATA) == bag()


def test_union_leaves_unbound_what_one_side_does_not_know() -> None:
    plan = Union(match(X, "q", "b"), match(Z, "q", "c"))
    assert ask(plan, DATA) == bag(solution(x="a"), solution(z="b"))


def test_filter_keeps_what_is_true_and_drops_errors() -> None:
    assert ask(Filter(call("<", Y, 2), PX), DATA) == bag(solution(x="a", y=1))
    bound = Filter(Bound(Z), LeftJoin(match(X, "q", Y), match(X, "p", Z)))
    assert len(ask(bound, DATA)) == 3


def test_extend_leaves_errors_unbound() -> None:
    plan = Extend(Z, call("+", Y, 1), match(X, "p", Y))
    rows = ask(plan, DATA)
    assert rows == bag(
        solution(x="a", y=1, z=2),
        solution(x="a", y=2, z=3),
        solution(x="b", y=2, z=3),
        solution(x="c", y="x"),
    )
    assert ask(Join(plan, table(solution(z=3))), DATA) == bag(
        solution(x="a", y=2, z=3), solution(x="b", y=2, z=3), solution(x="c", y="x", z=3)
    )


def test_project_keeps_copies_and_distinct_drops_them() -> None:
    plan = Project((X,), PX)
    a, b, c = (solution(x=name) for name in "abc")
    assert ask(plan, DATA) == bag(a, a, b, c)
    assert ask(Distinct(plan), DATA) == bag(a, b, c)


def test_copies_are_numbered_from_zero() -> None:
    plan = CopyNumber(Z, Project((X,), match(X, "p", Y)))
    assert ask(Filter(call("=", X, "a"), plan), DATA) == bag(
        solution(x="a", z=0), solution(x="a", z=1)
    )


AGGREGATES = Group(
    (Binding(X, Ref(X)),),
    (
        Binding(W, Count()),
        Binding(anonymous("sum"), Sum(Ref(Y))),
        Binding(anonymous("avg"), Avg(Ref(Y))),
        Binding(anonymous("min"), Min(Ref(Y))),
        Binding(anonymous("max"), Max(Ref(Y))),
        Binding(anonymous("any"), Sample(Ref(Y))),
        Binding(anonymous("all"), GroupConcat(Ref(Y), separator=",")),
    ),
    PX,
)


def test_aggregates_of_groups_and_errors_leave_them_unbound() -> None:
    solutions = (row for row in ask(AGGREGATES, DATA) if isinstance(row, Solution))
    rows = {row[X]: row for row in solutions}
    a, c = rows[EX.a], rows[EX.c]
    assert [str(a[anonymous(n)]) for n in ["sum", "avg", "min", "max", "any", "all"]] == [
        *("3", "1.5", "1", "2", "1"),
        "1,2",
    ]
    assert anonymous("sum") not in c
    assert c[anonymous("max")] == EX.x


def test_without_keys_there_is_one_group_even_of_nothing() -> None:
    made = (Binding(Z, Count()), Binding(W, Min(Ref(Y))))
    assert ask(Group((), made, match(X, "none", Y)), DATA) == bag(solution(z=0))
    keyed = Group((Binding(X, Ref(X)),), made, match(X, "none", Y))
    assert ask(keyed, DATA) == bag()


def test_distinct_counts_look_at_terms_and_at_whole_solutions() -> None:
    terms = Group((), (Binding(Z, Count(Ref(Y), distinct=True)),), PX)
    rows = Group((), (Binding(Z, Count(distinct=True)),), Project((X,), PX))
    assert ask(terms, DATA) == ask(rows, DATA) == bag(solution(z=3))


def test_aggregate_clauses_extend_every_solution() -> None:
    plan = AggregateClauses((Clause(Z, Count(), (X,)), Clause(W, Max(Ref(Y)))), match(X, "p", Y))
    few = Filter(call("=", X, "a"), Project((X, Z), plan))
    assert ask(few, DATA) == bag(solution(x="a", z=2), solution(x="a", z=2))


def in_sequence(plan: Operator, data: StaticGraph = DATA) -> list[object]:
    answer = evaluate(plan, {G1: data})
    assert isinstance(answer, list)
    return list(answer)


def test_order_by_is_kept_through_projection_and_ties_are_broken_by_what_is_left() -> None:
    ranked = OrderBy((SortKey(Ref(Y), True),), PX)
    assert in_sequence(Project((X,), ranked)) == [solution(x=name) for name in "abac"]


def test_slice_takes_from_the_sorted_solutions_also_without_order_by() -> None:
    assert in_sequence(Slice(1, 2, Project((X,), PX))) == [solution(x="a"), solution(x="b")]
    assert in_sequence(Slice(3, None, PX)) == [solution(x="c", y="x")]
    assert in_sequence(Slice(0, 0, PX)) == []


def test_distinct_keeps_the_first_rank() -> None:
    numbers = Filter(call("ISNUMERIC", Y), PX)
    ranked = OrderBy((SortKey(Ref(Y), True),), numbers)
    assert in_sequence(Distinct(Project((X,), ranked))) == [solution(x="a"), solution(x="b")]


def test_construct_is_a_set_without_impossible_triples() -> None:
    made = Construct((Template(X, EX.r, Y), Template(Y, EX.r, X)), PX)
    assert ask(made, DATA) == bag(
        triple("a", "r", 1),
        triple("a", "r", 2),
        triple("b", "r", 2),
        triple("c", "r", "x"),
        triple("x", "r", "c"),
    )


def test_blank_nodes_of_a_template_are_new_in_every_copy() -> None:
    twice = table(solution(x="a"), solution(x="a"))
    made = Construct((Template(X, EX.r, BNode("b")),), twice, "query/1")
    triples = in_sequence(made)
    assert len({t.object for t in triples if isinstance(t, Triple)}) == 2
    assert triples == in_sequence(made)


def test_describe_follows_blank_nodes() -> None:
    data = graph(
        ("a", "p", BNode("n")), (BNode("n"), "q", BNode("m")), (BNode("m"), "q", "b"), ("b", "q", 1)
    )
    plan = Describe((EX.a,), UNIT, GRAPH)
    assert len(ask(plan, data)) == 3
    assert ask(Describe((X,), match(X, "q", 1), GRAPH), data) == bag(triple("b", "q", 1))


def test_ask() -> None:
    assert evaluate(Ask(match(X, "q", X)), {G1: DATA}) is True
    assert evaluate(Ask(match(X, "r", X)), {G1: DATA}) is False


def test_patterns_read_what_construct_makes() -> None:
    made = Construct((Template(Y, EX.r, X),), match(X, "q", Y))
    assert ask(pattern(X, "r", "a", made), DATA) == bag(solution(x="b"))


def test_streams_are_refused_and_so_are_unknown_graphs() -> None:
    windowed = pattern(X, "p", Y, SlidingWindow(StreamAccess(S1), 5, 5))
    with pytest.raises(QueryError, match="reads a stream"):
        ask(windowed, DATA)
    with pytest.raises(StreamError, match="no data"):
        ask(Join(Values((), ()), pattern(X, "p", Y, GraphAccess(EX.other))), DATA)


def test_plans_deeper_than_the_stack_are_evaluated() -> None:
    plan: Operator = match(X, "p", Y)
    for number in range(1500):
        plan = Filter(call("!=", Y, number + 5), plan)
    for _ in range(300):
        plan = LeftJoin(plan, match(X, "q", Z))
    joined: Operator = plan
    for _ in range(1100):
        joined = Join(joined, table(solution(x="a"), solution(x="b")))
    assert ask(Project((X, Y), joined), DATA) == bag(
        solution(x="a", y=1), solution(x="a", y=2), solution(x="b", y=2)
    )


def test_ten_thousand_rows_are_joined_without_trying_every_pair() -> None:
    """A hundred million comparisons would not go unnoticed."""
    size = 10_000
    left = Values((X, Y), tuple((term(i), term(i + 1)) for i in range(size)))
    right = Values((Y, Z), tuple((term(i), term(i - 1)) for i in range(size)))
    plan = Group((), (Binding(W, Count()),), Join(left, right))
    assert ask(plan, DATA) == bag(solution(w=size - 1))
