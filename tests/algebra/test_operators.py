"""Every operator on small literal inputs, mostly at one instant."""

from __future__ import annotations

from typing import Any

import pytest

from askos.algebra import (
    UNIT,
    AggregateClauses,
    AntiJoin,
    Ask,
    Avg,
    Bag,
    Binding,
    Clause,
    Construct,
    CopyNumber,
    Count,
    Describe,
    Distinct,
    Element,
    EmptyGraph,
    Extend,
    Filter,
    GraphAccess,
    Group,
    Join,
    Keyed,
    LeftJoin,
    MarkJoin,
    Minus,
    Operator,
    OrderBy,
    Path,
    Pattern,
    Project,
    Reduced,
    Ref,
    SemiJoin,
    Slice,
    SlidingWindow,
    SortKey,
    StreamAccess,
    Sum,
    Template,
    Union,
)
from askos.algebra.operators.paths import Link, ZeroOrMore
from askos.algebra.reference import Streams, evaluate, sequence
from askos.errors import StreamError
from askos.interval import Interval
from askos.terms import XSD, BNode, Literal, Solution, Triple, Variable, anonymous
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
    call,
    constant,
    forever,
    pattern,
    solution,
    stream,
    table,
    term,
    triple,
)

DATA: Streams = {
    S1: stream(("a", "p", 1, 0), ("a", "p", 1, 1), ("b", "p", 2, 2), ("a", "q", 3, 3)),
    G1: [triple("a", "r", "b"), triple("b", "r", "c"), triple("a", "r", "b")],
}


def at(plan: Operator, instant: int = 10) -> Bag:
    return evaluate(plan, DATA, instant)


# ---- patterns and sources -------------------------------------------------------------------


def test_a_stream_is_a_bag_and_a_graph_is_a_set() -> None:
    assert at(pattern("a", "p", X)) == bag(solution(x=1), solution(x=1))
    assert at(pattern("a", "r", X, GraphAccess(G1))) == bag(solution(x="b"))


def test_set_semantics_is_a_distinct_above_or_below_the_pattern() -> None:
    above = Distinct(pattern("a", "p", X))
    below = pattern("a", "p", X, Distinct(forever()))
    assert at(above) == at(below) == bag(solution(x=1))


def test_constants_match_by_term_not_by_value() -> None:
    data = {
        S1: [
            row
            for text in ("1", "01")
            for row in stream(("a", "p", Literal(text, datatype=XSD.integer), 0))
        ]
    }
    assert evaluate(pattern(X, "p", 1), data, 0) == bag(solution(x="a"))


def test_a_stream_without_a_window_is_valid_at_the_instant_of_arrival() -> None:
    raw = pattern(X, "p", Y, StreamAccess(S1))
    assert [sum(at(raw, t).values()) for t in range(4)] == [1, 1, 1, 0]


def test_a_reloaded_graph_is_valid_from_load_to_load() -> None:
    rows: list[Element | Triple] = [
        Element(triple("a", "r", "b"), Interval(5, 9)),
        triple("a", "r", "c"),
    ]
    plan = pattern("a", "r", X, GraphAccess(G1))
    both = bag(solution(x="b"), solution(x="c"))
    assert [evaluate(plan, {G1: rows}, t) == both for t in (4, 5, 8, 9)] == [
        False,
        True,
        True,
        False,
    ]


def test_a_blank_node_in_a_pattern_is_that_node_an_anonymous_variable_any() -> None:
    data = {G1: [Triple(BNode("n"), EX.p, term(1)), Triple(EX.a, EX.p, term(1))]}
    graph = GraphAccess(G1)
    assert len(evaluate(Pattern(BNode("n"), EX.p, X, graph), data, 0)) == 1
    some = Project((X,), Pattern(anonymous("n"), EX.p, X, graph))
    assert evaluate(some, data, 0) == bag(solution(x=1), solution(x=1))


def test_missing_data_is_an_error_that_names_the_source() -> None:
    with pytest.raises(StreamError, match=r"reads <http://example.org/stream2>.*\n.*stream1"):
        evaluate(pattern(X, "p", Y, forever(S2)), DATA, 0)
    with pytest.raises(StreamError, match="sources given: none"):
        evaluate(pattern(X, "p", Y), {}, 0)


def test_data_that_can_be_read_only_once_is_refused() -> None:
    rows: Any = {S1: iter(stream(("a", "p", 1, 0)))}
    with pytest.raises(StreamError, match="can be read only once"):
        evaluate(pattern(X, "p", Y), rows, 0)


def test_data_of_the_wrong_kind_is_refused() -> None:
    with pytest.raises(StreamError, match="not Stamped"):
        evaluate(pattern(X, "p", Y), {S1: [triple("a", "p", 1)]}, 0)
    with pytest.raises(StreamError, match="no static triple"):
        evaluate(pattern(X, "p", Y, GraphAccess(G1)), {G1: stream(("a", "p", 1, 0))}, 0)


def test_an_instant_is_a_whole_number_of_milliseconds() -> None:
    with pytest.raises(StreamError, match="instant -1 is not an instant"):
        at(UNIT, -1)


# ---- joins ----------------------------------------------------------------------------------


def test_join_multiplies_and_union_adds() -> None:
    two = table(solution(x=1), solution(x=1))
    three = table(solution(x=1), solution(x=1), solution(x=1))
    assert at(Join(two, three))[solution(x=1)] == 6
    assert at(Union(two, three))[solution(x=1)] == 5


def test_join_drops_pairs_whose_intervals_only_touch() -> None:
    first = pattern(X, "p", Y, SlidingWindow(StreamAccess(S1), 3, 1))
    second = pattern(X, "q", Z, SlidingWindow(StreamAccess(S1), 3, 1))
    data = {S1: stream(("a", "p", 1, 0), ("a", "q", 2, 3))}
    assert all(not evaluate(Join(first, second), data, t) for t in range(10))


def test_unbound_variables_are_compatible_with_anything() -> None:
    left, right = table(solution(x=1)), table(solution(x=1, y=2), solution(y=3))
    assert at(Join(left, right)) == bag(solution(x=1, y=2), solution(x=1, y=3))


def test_a_left_joins_condition_sees_both_sides() -> None:
    left = table(solution(x=1, y=5), solution(x=2, y=5))
    right = table(solution(x=1, z=4), solution(x=2, z=6))
    plan = LeftJoin(left, right, call("<", Y, Z))
    assert at(plan) == bag(solution(x=1, y=5), solution(x=2, y=5, z=6))


def test_an_error_in_a_left_joins_condition_leaves_the_left_alone() -> None:
    plan = LeftJoin(table(solution(x=1)), table(solution(x=1, z=4)), call("<", Y, Z))
    assert at(plan) == bag(solution(x=1))


def test_semi_and_anti_join_part_the_left() -> None:
    left = table(solution(x=1), solution(x=1), solution(x=2))
    right = table(solution(x=1, y=1), solution(x=1, y=2))
    assert at(SemiJoin(left, right)) == bag(solution(x=1), solution(x=1))
    assert at(AntiJoin(left, right)) == bag(solution(x=2))
    assert at(SemiJoin(left, right, call("=", Y, 3))) == bag()


def test_a_mark_join_says_who_has_a_partner() -> None:
    left = table(solution(x=1), solution(x=1), solution(x=2))
    right = table(solution(x=1, y=1), solution(x=1, y=2))
    no = solution(x=2, w=False)
    assert at(MarkJoin(left, right, variable=W)) == bag(*[solution(x=1, w=True)] * 2, no)
    error = call("<", Z, 3)
    assert at(MarkJoin(left, right, error, variable=W)) == bag(*[solution(x=1, w=False)] * 2, no)


def test_minus_by_group_removes_only_inside_a_group() -> None:
    left = table(solution(x=1, y=1), solution(x=2, y=1), solution(y=1), solution(x=3))
    right = table(solution(x=1, y=1), solution(y=1), solution(x=3))
    kept = bag(solution(x=2, y=1), solution(x=3))
    assert at(Minus(left, right, by=(X,))) == kept
    assert at(Minus(left, right)) == bag()


def test_minus_removes_only_what_shares_a_bound_variable() -> None:
    left = table(solution(x=1), solution(x=2))
    assert at(Minus(left, table(solution(x=1, z=9)))) == bag(solution(x=2))
    assert at(Minus(left, table(solution(y=1)))) == at(left)
    assert at(Minus(left, UNIT)) == at(left)
    assert at(AntiJoin(left, UNIT)) == bag()


# ---- filters and extensions -----------------------------------------------------------------


def test_a_filter_keeps_neither_false_nor_errors() -> None:
    rows = table(solution(x=1), solution(x=5), solution(y=1), solution(x="a"))
    assert at(Filter(call("<", X, 3), rows)) == bag(solution(x=1))


def test_extend_leaves_an_error_unbound() -> None:
    rows = table(solution(x=1), solution(x="a"))
    plan = Extend(W, call("+", X, 1), rows)
    assert at(plan) == bag(solution(x=1, w=2), solution(x="a"))


def test_projection_adds_up_what_becomes_equal() -> None:
    assert at(Project((X,), pattern(X, "p", Y)))[solution(x="a")] == 2
    assert at(Project((), pattern(X, "p", Y))) == bag(*[Solution()] * 3)


def test_reduced_is_the_identity() -> None:
    assert at(Reduced(pattern(X, "p", Y))) == at(pattern(X, "p", Y))


def test_an_order_inside_a_join_changes_nothing() -> None:
    ranked = Reduced(OrderBy((SortKey(Ref(Y)),), pattern(X, "p", Y)))
    assert at(Join(ranked, UNIT)) == at(pattern(X, "p", Y))


def test_the_empty_group_holds_one_solution_that_binds_nothing() -> None:
    assert at(UNIT) == bag(Solution())


def test_copy_numbers_tell_equal_solutions_apart() -> None:
    plan = CopyNumber(W, table(solution(x=1), solution(x=1), solution(x=2)))
    assert at(plan) == bag(solution(x=1, w=0), solution(x=1, w=1), solution(x=2, w=0))


def test_keyed_functions_differ_by_copy_and_repeat_by_run() -> None:
    copy = anonymous("copy")
    rows = CopyNumber(copy, table(solution(x=1), solution(x=1), solution(x=2)))
    plan = Project((Y,), Extend(Y, Keyed("RAND", (), "q/1", (X, copy)), Project((X, copy), rows)))
    assert len(at(plan)) == 3
    assert at(plan) == at(plan, 99)


def test_two_labelled_blank_nodes_of_one_solution_are_one() -> None:
    copy = anonymous("copy")
    label = (constant(Literal("l")),)
    node = Keyed("BNODE", label, "q", (X, copy))
    rows = CopyNumber(copy, Project((X,), table(solution(x=1), solution(x=1))))
    plan = Extend(Z, node, Extend(Y, node, rows))
    found = at(Project((Y, Z), plan))
    assert len(found) == 2
    assert all(mu[Y] == mu[Z] for mu in found if isinstance(mu, Solution))


# ---- groups ---------------------------------------------------------------------------------


def count_by(*keys: Variable, input: Operator) -> Group:
    return Group(tuple(Binding(v, Ref(v)) for v in keys), (Binding(W, Count()),), input)


def test_groups_have_keys_and_unbound_is_a_key() -> None:
    rows = table(solution(x=1), solution(x=1, y=1), solution(y=2))
    assert at(count_by(X, input=rows)) == bag(solution(x=1, w=2), solution(w=1))


def test_without_keys_there_is_one_group_even_of_nothing() -> None:
    assert at(count_by(input=table())) == bag(solution(w=0))
    assert at(count_by(X, input=table())) == bag()


def test_a_key_may_be_an_expression_and_an_error_is_unbound() -> None:
    rows = table(solution(x=1), solution(x=3), solution(x="a"))
    keys = (Binding(Y, call("<", X, 2)),)
    plan = Group(keys, (Binding(W, Count(Ref(X))),), rows)
    assert at(plan) == bag(solution(y=True, w=1), solution(y=False, w=1), solution(w=1))


def test_an_aggregate_that_is_an_error_stays_unbound() -> None:
    rows = table(solution(x=1), solution(x="a"))
    plan = Group((), (Binding(W, Sum(Ref(X))), Binding(Z, Count(Ref(X)))), rows)
    assert at(plan) == bag(solution(z=2))


def test_csparql_aggregates_extend_the_solutions_of_where() -> None:
    """C-SPARQL 2010, 2.2: every clause sees all solutions, whatever other filters say."""
    rows = table(solution(x="a", y=1), solution(x="a", y=3), solution(x="b", y=5), solution(y=7))
    clauses = AggregateClauses(
        (Clause(Z, Count(), (X,)), Clause(W, Avg(Ref(Y)))), Project((X, Y), rows)
    )
    mean = Literal("4.0", datatype=XSD.decimal)
    everything = [
        solution(x="a", y=1, z=2, w=mean),
        solution(x="a", y=3, z=2, w=mean),
        solution(x="b", y=5, z=1, w=mean),
        solution(y=7, z=1, w=mean),
    ]
    assert at(clauses) == bag(*everything)
    assert at(Filter(call(">", Z, 1), clauses)) == bag(*everything[:2])


# ---- sequences ------------------------------------------------------------------------------


def names(plan: Operator) -> list[str]:
    rows = sequence(plan, DATA, 10)
    return [str(mu[X]).removeprefix(str(EX)) for mu in rows if isinstance(mu, Solution)]


def test_order_by_ranks_and_ties_follow_the_total_order() -> None:
    rows = table(solution(x="c", y=1), solution(x="b", y=2), solution(x="a", y=2))
    assert names(OrderBy((SortKey(Ref(Y)),), rows)) == ["c", "a", "b"]
    assert names(OrderBy((SortKey(Ref(Y), True),), rows)) == ["a", "b", "c"]


def test_unbound_sorts_first_and_errors_are_unbound() -> None:
    rows = table(solution(x="c", y=1), solution(x="b"), solution(x="a", y="iri"))
    assert names(OrderBy((SortKey(call("+", Y, 1)),), rows))[-1] == "c"
    assert names(OrderBy((SortKey(Ref(Y)),), rows))[0] == "b"


def test_slices_keep_the_rank_through_projection_and_distinct() -> None:
    rows = table(
        solution(x="a", y=3), solution(x="b", y=2), solution(x="c", y=1), solution(x="a", y=0)
    )
    ranked = OrderBy((SortKey(Ref(Y)),), rows)
    assert names(Slice(0, 2, Project((X,), ranked))) == ["a", "c"]
    assert names(Slice(1, None, Distinct(Project((X,), ranked)))) == ["c", "b"]
    assert names(Slice(1, 1, Reduced(Project((X,), ranked)))) == ["c"]
    assert names(Slice(0, 0, ranked)) == []


def test_ties_of_a_slice_do_not_depend_on_what_is_projected_away() -> None:
    rows = table(solution(x="b", y=1, z=1), solution(x="a", y=1, z=2))
    ranked = OrderBy((SortKey(Ref(Y)),), rows)
    assert names(Slice(0, 1, Project((X,), ranked))) == ["a"]


def test_a_slice_by_group_counts_in_every_group() -> None:
    rows = table(solution(x="a", y=3), solution(x="b", y=2), solution(x="a", y=1), solution(y=4))
    last = Slice(0, 1, OrderBy((SortKey(Ref(Y), True),), rows), by=(X,))
    assert at(last) == bag(solution(x="a", y=3), solution(x="b", y=2), solution(y=4))
    assert at(Slice(1, None, rows, by=(X,))) == bag(solution(x="a", y=3))
    assert at(Slice(1, None, rows, by=(W,))) == at(Slice(1, None, rows))


def test_a_slice_can_be_joined() -> None:
    one = Slice(0, 1, OrderBy((SortKey(Ref(Y)),), pattern(X, "p", Y)))
    assert at(Join(one, pattern(X, "q", Z))) == bag(solution(x="a", y=1, z=3))


# ---- query forms ----------------------------------------------------------------------------


def test_ask_answers_at_every_instant() -> None:
    plan = Ask(pattern(X, "q", Y, SlidingWindow(StreamAccess(S1), 5, 5)))
    assert [evaluate(plan, DATA, t) for t in (2, 3, 5)] == [bag(False), bag(True), bag(False)]


def test_construct_makes_a_set_and_leaves_out_impossible_triples() -> None:
    template = (Template(X, EX.made, Y), Template(Y, EX.back, X), Template(X, EX.none, Z))
    plan = Construct(template, pattern(X, "p", Y))
    assert at(plan) == bag(triple("a", "made", 1), triple("b", "made", 2))


def test_blank_nodes_of_a_template_are_new_for_every_copy_of_a_solution() -> None:
    node = BNode("n")
    template = (Template(X, EX.has, node), Template(node, EX.value, Y))
    plan = Construct(template, pattern(X, "p", Y), "q")
    assert len(at(plan)) == 6
    assert at(plan) == at(plan, 99)
    assert at(plan) != at(Construct(template, pattern(X, "p", Y), "another"))


def test_describe_follows_blank_nodes() -> None:
    node, deeper = BNode("n"), BNode("m")
    graph = [
        Triple(EX.a, EX.p, node),
        Triple(node, EX.p, deeper),
        Triple(deeper, EX.p, node),
        Triple(EX.c, EX.p, EX.a),
    ]
    plan = Describe((EX.a,), UNIT, GraphAccess(G1))
    assert evaluate(plan, {G1: graph}, 0) == bag(*graph[:3])


def test_describe_takes_resources_from_solutions_valid_at_the_time() -> None:
    plan = Describe((X, Z), pattern(X, "q", Y), GraphAccess(G1))
    assert at(plan, 3) == bag(triple("a", "r", "b"))
    assert at(plan, 2) == bag()
    named = Describe((EX.b, X), pattern(X, "q", Y), GraphAccess(G1))
    assert at(named, 2) == bag(triple("b", "r", "c"))


def test_an_empty_graph_has_no_triples_but_a_path_of_zero_length() -> None:
    assert at(pattern(X, "p", Y, EmptyGraph())) == bag()
    nowhere = Path(EX.a, ZeroOrMore(Link(EX.p)), X, EmptyGraph())
    assert at(nowhere) == bag(solution(x="a"))


def test_distinct_merges_the_triples_of_several_sources() -> None:
    both = Distinct(Union(forever(), GraphAccess(G1)))
    data: Streams = {
        S1: stream(("a", "r", "b", 0), ("a", "r", "b", 1)),
        G1: [triple("a", "r", "b")],
    }
    assert evaluate(both, data, 5) == bag(triple("a", "r", "b"))
