"""What the operators do with a handful of elements (semantics, sections 3 and 5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    TRUE,
    Avg,
    Binding,
    Call,
    Count,
    Expression,
    Filter,
    Group,
    Join,
    LeftJoin,
    Project,
    Ref,
    Sum,
    Union,
    first_difference,
)
from askos.columns import Batch, coalesce
from askos.interval import FOREVER
from askos.physical import Cut, Operator
from askos.physical.exchange import split
from askos.physical.filter import FilterOperator
from askos.physical.fragment import operator
from askos.physical.group import GroupOperator
from askos.physical.join import LEFT, RIGHT, JoinOperator
from askos.physical.leftjoin import LeftJoinOperator
from askos.physical.pattern import PatternOperator
from askos.physical.timing import Timing
from askos.terms import XSD, Literal, Solution, Term, Variable
from tests.build import EX, W, X, Y, Z, call, constant, pattern, solution
from tests.columns.batches import CODER, Row, as_elements, batch, rows
from tests.physical.runs import EACH, ordered, step

A, B = pattern(X, "p", Y), pattern(X, "q", Z)

# ---- join ------------------------------------------------------------------------------------

L, R = solution(x="a", y=1), solution(x="a", z=2)
BOTH = solution(x="a", y=1, z=2)


def join() -> JoinOperator:
    return JoinOperator(Join(A, B))


def test_join_merges_pairs_on_the_intersection_of_their_intervals() -> None:
    assert step(join(), 0, [(L, 0, 10)], [(R, 5, 20)]) == [(BOTH, 5, 10)]


def test_join_drops_pairs_whose_intervals_only_touch() -> None:
    assert step(join(), 0, [(L, 0, 5)], [(R, 5, 20)]) == []


def test_join_multiplies_multiplicities() -> None:
    assert step(join(), 0, [(L, 0, 9)] * 2, [(R, 0, 9)] * 3) == [(BOTH, 0, 9)] * 6


def test_join_leaves_incompatible_solutions_alone() -> None:
    assert step(join(), 0, [(L, 0, 9)], [(solution(x="b", z=2), 0, 9)]) == []


def test_join_finds_partners_whichever_side_comes_first() -> None:
    for first, second in ((LEFT, RIGHT), (RIGHT, LEFT)):
        made = join()
        sides = {LEFT: batch((L, 0, 9)), RIGHT: batch((R, 3, 12))}
        assert not len(made.process(first, sides[first]))
        made.advance(3)
        assert rows(made.process(second, sides[second])) == [(BOTH, 3, 9)]


def test_join_forgets_what_has_ended() -> None:
    made = join()
    step(made, 0, [(L, 0, 5)], [(R, 0, 5)])
    assert made.advance(5)[1] == 5
    assert not made.snapshot().runs


def test_join_keys_are_only_what_is_certainly_bound() -> None:
    plan = Join(LeftJoin(A, B), pattern(X, "r", Z))
    made = JoinOperator(plan)
    left = [(L, 0, 9), (BOTH, 0, 9), (solution(x="a", y=1, z=3), 0, 9)]
    assert step(made, 0, left, [(R, 0, 9)]) == [(BOTH, 0, 9)] * 2


def test_join_takes_a_binding_from_the_side_that_has_it() -> None:
    made = JoinOperator(Join(pattern(X, "r", Z), LeftJoin(A, B)))
    assert step(made, 0, [(R, 0, 9)], [(L, 0, 9)]) == [(BOTH, 0, 9)]


def test_join_without_common_variables_is_the_product() -> None:
    made = JoinOperator(Join(pattern(X, "p", 1), pattern(Y, "p", 2)))
    left, right = (solution(x="a"), 0, 9), (solution(y="b"), 0, 9)
    assert step(made, 0, [left], [right]) == [(solution(x="a", y="b"), 0, 9)]


def test_join_matches_terms_not_values() -> None:
    one, also = (Literal(text, datatype=XSD.integer) for text in ("1", "01"))
    made = JoinOperator(Join(A, pattern(Z, "q", Y)))
    left, right = (solution(x="a", y=one), 0, 9), (solution(z="a", y=also), 0, 9)
    assert step(made, 0, [left], [right]) == []


# ---- left join -------------------------------------------------------------------------------


def left_join(condition: Expression = TRUE, cut: Cut = EACH) -> LeftJoinOperator:
    return LeftJoinOperator(LeftJoin(A, B, condition), cut)


def at_once(*, left: list[Row], right: list[Row], condition: Expression = TRUE) -> list[Row]:
    return step(left_join(condition), FOREVER, left, right)


def test_a_left_element_without_partner_stands_alone() -> None:
    assert at_once(left=[(L, 0, 10)], right=[]) == [(L, 0, 10)]
    assert at_once(left=[(L, 0, 10)], right=[(solution(x="b", z=1), 0, 9)]) == [(L, 0, 10)]


def test_a_left_element_stands_alone_exactly_in_the_gaps() -> None:
    got = at_once(left=[(L, 0, 20)], right=[(R, 2, 5), (R, 8, 9), (R, 15, 30)])
    alone = [(L, 0, 2), (L, 5, 8), (L, 9, 15)]
    assert got == sorted([*alone, (BOTH, 2, 5), (BOTH, 8, 9), (BOTH, 15, 20)], key=lambda r: r[1])


def test_partners_that_touch_leave_no_gap() -> None:
    assert at_once(left=[(L, 0, 9)], right=[(R, 0, 5), (R, 5, 9)]) == [(BOTH, 0, 5), (BOTH, 5, 9)]


def test_a_partner_that_only_touches_is_none() -> None:
    assert at_once(left=[(L, 5, 9)], right=[(R, 0, 5), (R, 9, 12)]) == [(L, 5, 9)]


def test_a_partner_that_ends_inside_a_longer_one_opens_no_gap() -> None:
    got = at_once(left=[(L, 0, 20)], right=[(R, 2, 15), (R, 3, 5), (R, 6, 7)])
    assert [row for row in got if row[0] == L] == [(L, 0, 2), (L, 15, 20)]
    assert len(got) == 5


def test_a_condition_turns_partners_into_gaps() -> None:
    got = at_once(
        left=[(L, 0, 10)],
        right=[(solution(x="a", z=0), 0, 10), (solution(x="a", z=5), 4, 6)],
        condition=call("<", Y, Z),
    )
    assert got == [(L, 0, 4), (solution(x="a", y=1, z=5), 4, 6), (L, 6, 10)]


def test_a_condition_that_is_an_error_turns_partners_into_gaps() -> None:
    got = at_once(left=[(L, 0, 9)], right=[(R, 2, 5)], condition=call("<", W, Z))
    assert to_pieces(got) == [(L, 0, 9)]


def to_pieces(given: list[Row]) -> list[Row]:
    return ordered(coalesce(batch(*given)))


def test_copies_of_a_left_element_each_stand_alone() -> None:
    got = at_once(left=[(L, 0, 9)] * 2, right=[(R, 3, 5)])
    assert got == [(L, 0, 3)] * 2 + [(BOTH, 3, 5)] * 2 + [(L, 5, 9)] * 2


def test_copies_of_a_partner_join_twice_and_cover_once() -> None:
    got = at_once(left=[(L, 0, 9)], right=[(R, 3, 5)] * 2)
    assert got == [(L, 0, 3), (BOTH, 3, 5), (BOTH, 3, 5), (L, 5, 9)]


def test_a_left_element_is_emitted_alone_up_to_the_cut_and_continued() -> None:
    made = left_join(cut=Cut((10,)))
    assert step(made, 9, [(L, 0, 40)]) == []
    assert step(made, 25) == [(L, 0, 20)]
    assert step(made, 29) == []
    assert step(made, 30) == [(L, 20, 30)]
    assert step(made, 39, [], [(R, 33, 36)]) == []
    assert step(made, 45) == [(L, 30, 33), (BOTH, 33, 36), (L, 36, 40)]


def test_a_partner_that_outlives_the_cut_is_emitted_to_its_end_and_only_once() -> None:
    made = left_join()
    assert step(made, 5, [(L, 0, 20)], [(R, 2, 15)]) == [(L, 0, 2), (BOTH, 2, 15)]
    assert step(made, 12) == []
    assert step(made, 18) == [(L, 15, 18)]
    assert step(made, FOREVER) == [(L, 18, 20)]


def test_a_left_element_that_is_covered_to_its_end_joins_further_partners() -> None:
    made = left_join()
    assert step(made, 5, [(L, 0, 20)], [(R, 0, 30)]) == [(BOTH, 0, 20)]
    assert step(made, 12, [], [(R, 7, 9)]) == [(BOTH, 7, 9)]


def test_a_left_element_finds_partners_that_came_long_before() -> None:
    made = left_join()
    assert step(made, 10, [], [(R, 2, 30)]) == []
    assert step(made, 20, [(L, 12, 40)]) == [(BOTH, 12, 30)]
    assert step(made, 35) == [(L, 30, 35)]


def test_a_left_element_finds_partners_that_come_long_after() -> None:
    made = left_join()
    assert step(made, 10, [(L, 0, 40)]) == [(L, 0, 10)]
    assert step(made, 20, [], [(R, 12, 14), (R, 13, 50)]) == [
        (L, 10, 12),
        (BOTH, 12, 14),
        (BOTH, 13, 40),
    ]
    assert step(made, FOREVER) == []
    assert not made.snapshot().runs


def test_output_is_in_order_and_progress_is_the_cut_and_never_falls() -> None:
    made, last = left_join(cut=Cut((10,))), 0
    made.process(LEFT, batch((L, 0, 35), (solution(x="b", y=1), 3, 4), (L, 21, 23)))
    made.process(RIGHT, batch((R, 2, 5), (R, 22, 50)))
    for watermark, cut in ((5, 0), (13, 10), (19, 10), (40, 40), (41, 40), (FOREVER, FOREVER)):
        out, progress = made.advance(watermark)
        assert progress == cut
        assert out.ts.tolist() == sorted(out.ts.tolist())
        assert not len(out) or last <= out.ts.min() <= out.ts.max() < cut
        last = progress


def test_a_left_join_with_nothing_certain_in_common_compares_pair_by_pair() -> None:
    right = LeftJoin(pattern(Z, "s", W), pattern(Z, "t", X))
    made = LeftJoinOperator(LeftJoin(A, right), EACH)
    some, other = (solution(z="c", w=1, x=x) for x in ("a", "b"))
    free = solution(z="c", w=1)
    got = step(made, FOREVER, [(L, 0, 9)], [(some, 0, 3), (other, 0, 9), (free, 6, 9)])
    merged = L | free
    assert got == [(merged, 0, 3), (L, 3, 6), (merged, 6, 9)]


# ---- group -----------------------------------------------------------------------------------

N, S, M = (Variable(name) for name in "nsm")


def group(*keys: Variable, cut: Cut = EACH) -> GroupOperator:
    made = (Binding(N, Count()), Binding(S, Sum(Ref(Y))), Binding(M, Avg(Ref(Y))))
    return GroupOperator(Group(tuple(Binding(v, Ref(v)) for v in keys), made, A), CODER, cut)


def counted(given: list[Row]) -> list[tuple[Term | None, int, int, int]]:
    """Key, count, start and end of each piece."""
    return [(mu.get(X), int(str(mu[N])), start, end) for mu, start, end in given]


def a(y: object) -> Solution:
    return solution(x="a", y=y)


def test_a_group_has_a_piece_between_any_two_of_its_events() -> None:
    got = step(group(X), FOREVER, [(a(1), 0, 10), (a(2), 5, 20), (a(3), 5, 10)])
    assert counted(got) == [(EX.a, 1, 0, 5), (EX.a, 3, 5, 10), (EX.a, 1, 10, 20)]
    assert [str(mu[S]) for mu, _, _ in got] == ["1", "6", "2"]
    assert [str(mu[M]) for mu, _, _ in got] == ["1.0", "2.0", "2.0"]


def test_the_last_piece_is_emitted_up_to_the_cut_and_goes_on_from_there() -> None:
    made = group(X, cut=Cut((10,)))
    assert counted(step(made, 9, [(a(1), 0, 100)])) == []
    assert counted(step(made, 25)) == [(EX.a, 1, 0, 20)]
    assert counted(step(made, 32, [(a(1), 27, 100)])) == [(EX.a, 1, 20, 27), (EX.a, 2, 27, 30)]
    assert counted(step(made, FOREVER)) == [(EX.a, 2, 30, 100)]


def test_an_empty_group_vanishes() -> None:
    made = group(X)
    assert counted(step(made, 5, [(a(1), 0, 3)])) == [(EX.a, 1, 0, 3)]
    assert step(made, 10) == []
    assert counted(step(made, FOREVER, [(a(1), 12, 15)])) == [(EX.a, 1, 12, 15)]
    assert not made.snapshot().runs


def test_without_keys_there_is_one_group_from_0_on() -> None:
    made = group()
    got = step(made, 10, [(a(5), 3, 6)])
    assert [(str(mu[N]), str(mu[S]), str(mu[M]), start, end) for mu, start, end in got] == [
        ("0", "0", "0", 0, 3),
        ("1", "5", "5.0", 3, 6),
        ("0", "0", "0", 6, 10),
    ]
    assert counted(step(made, FOREVER)) == [(None, 0, 10, FOREVER)]


def test_without_keys_there_is_one_group_even_if_nothing_ever_comes() -> None:
    made = GroupOperator(Group((), (Binding(N, Count()),), A), CODER, Cut((10,)))
    assert rows(made.advance(5)[0]) == []
    assert rows(made.advance(15)[0]) == [(solution(n=0), 0, 10)]
    assert rows(made.advance(FOREVER)[0]) == [(solution(n=0), 10, FOREVER)]


def test_unbound_is_a_key_like_others() -> None:
    made = GroupOperator(
        Group((Binding(Z, Ref(Z)),), (Binding(N, Count()),), LeftJoin(A, B)), CODER, EACH
    )
    got = step(made, FOREVER, [(L, 0, 5), (solution(x="b", y=2), 0, 5), (BOTH, 0, 5)])
    assert got == [(solution(n=1, z=2), 0, 5), (solution(n=2), 0, 5)]


def test_a_key_that_is_an_error_is_unbound() -> None:
    key = Binding(W, Call("+", (Ref(Y), constant(1))))
    made = GroupOperator(Group((key,), (Binding(N, Count()),), A), CODER, EACH)
    got = step(made, FOREVER, [(a(1), 0, 5), (a("b"), 0, 5), (a("c"), 0, 5)])
    assert got == [(solution(n=1, w=2), 0, 5), (solution(n=2), 0, 5)]


def test_an_error_makes_the_sum_unbound_and_only_while_it_lasts() -> None:
    got = step(group(X), FOREVER, [(a(1), 0, 10), (a("b"), 3, 6)])
    assert [mu.get(S) for mu, _, _ in got] == [constant(1).term, None, constant(1).term]
    assert counted(got) == [(EX.a, 1, 0, 3), (EX.a, 2, 3, 6), (EX.a, 1, 6, 10)]


def test_count_counts_values_that_are_no_errors() -> None:
    plan = Group((), (Binding(N, Count(Ref(Z))), Binding(W, Count())), LeftJoin(A, B))
    got = step(GroupOperator(plan, CODER, EACH), 5, [(L, 0, 5), (BOTH, 0, 5)])
    assert got == [(solution(n=1, w=2), 0, 5)]


def test_a_group_without_aggregates_is_there_while_it_has_members() -> None:
    plan = Group((Binding(X, Ref(X)),), (), A)
    got = step(GroupOperator(plan, CODER, EACH), 9, [(a(1), 0, 5), (a(2), 3, 7)])
    assert to_pieces(got) == [(solution(x="a"), 0, 7)]


def test_group_output_is_in_order_and_progress_is_the_cut() -> None:
    made, last = group(X, cut=Cut((10,), origin=4)), 0
    made.process(0, batch((a(1), 0, 30), (solution(x="b", y=1), 3, 17), (a(2), 21, 23)))
    for watermark, cut in ((3, 0), (4, 4), (13, 4), (14, 14), (29, 24), (FOREVER, FOREVER)):
        out, progress = made.advance(watermark)
        assert progress == cut
        assert out.ts.tolist() == sorted(out.ts.tolist())
        assert not len(out) or last <= out.ts.min() <= out.te.max() <= cut
        last = progress


# ---- without state ---------------------------------------------------------------------------


def test_union_passes_the_elements_of_both() -> None:
    made = operator(Union(A, B), CODER, Timing(EACH))
    assert step(made, 0, [(L, 0, 5)], [(R, 0, 5)]) == [(L, 0, 5), (R, 0, 5)]


def test_project_keeps_copies() -> None:
    made = operator(Project((X,), A), CODER, Timing(EACH))
    assert step(made, 0, [(a(1), 0, 5), (a(2), 0, 5)]) == [(solution(x="a"), 0, 5)] * 2


def test_filter_keeps_what_is_true() -> None:
    made = FilterOperator(Filter(call("<", Y, 3), A))
    assert step(made, 0, [(a(1), 0, 5), (a(4), 0, 5), (a("b"), 0, 5)]) == [(a(1), 0, 5)]
    assert made.advance(7)[1] == 7


def test_pattern_binds_compares_and_keeps_copies() -> None:
    triples = batch(
        (solution(s="a", p="p", o="a"), 0, 1),
        (solution(s="a", p="p", o="b"), 1, 2),
        (solution(s="a", p="q", o="a"), 2, 3),
        (solution(s="a", p="p", o="a"), 3, 4),
    )
    same = PatternOperator(pattern(X, "p", X), CODER)
    assert rows(same.process(0, triples)) == [(solution(x="a"), 0, 1), (solution(x="a"), 3, 4)]
    constants = PatternOperator(pattern("a", "p", "b"), CODER)
    assert rows(constants.process(0, triples)) == [(solution(), 1, 2)]
    free = PatternOperator(pattern(X, Y, Z), CODER)
    assert len(free.process(0, triples)) == 4


def test_an_operator_without_input_says_so() -> None:
    with pytest.raises(TypeError, match="takes no input"):
        Operator().process(0, Batch.empty())
    with pytest.raises(TypeError, match="no physical operator"):
        operator(pattern(X, "p", Y).input.inputs[0], CODER, Timing(EACH))


# ---- coalesce, exchange, cut -----------------------------------------------------------------


def test_coalesce_joins_pieces_that_touch() -> None:
    pieces = [(L, 0, 5), (R, 5, 9), (L, 5, 7), (L, 8, 9)]
    assert to_pieces(pieces) == [(L, 0, 7), (R, 5, 9), (L, 8, 9)]


def test_coalesce_keeps_copies() -> None:
    assert to_pieces([(L, 0, 5)] * 2) == [(L, 0, 5)] * 2
    assert len(to_pieces([(L, 0, 5), (L, 0, 5), (L, 5, 9)])) == 2


def test_coalesce_leaves_alone_what_does_not_touch() -> None:
    for apart in ([], [(L, 0, 5)], [(L, 0, 5), (L, 6, 9)], [(L, 0, 5), (R, 5, 9)]):
        whole = batch(*apart)
        assert coalesce(whole) is whole


def pieces() -> st.SearchStrategy[list[Row]]:
    row = st.builds(
        lambda mu, start, length: (mu, start, start + length),
        st.sampled_from([L, R, solution()]),
        st.integers(0, 6),
        st.integers(1, 4),
    )
    return st.lists(row, max_size=9)


@given(pieces())
def test_coalescing_changes_no_snapshot(given: list[Row]) -> None:
    joined = to_pieces(given)
    assert len(joined) <= len(given)
    assert first_difference(as_elements(given), as_elements(joined)) is None


@given(pieces(), st.sampled_from([(), (X,), (X, Z)]), st.integers(1, 5))
def test_an_exchange_loses_nothing_and_sends_equal_keys_to_one_bucket(
    given: list[Row], key: tuple[Variable, ...], buckets: int
) -> None:
    parts = list(split(batch(*given), key, buckets))
    assert ordered(Batch.concat([part for _, part in parts])) == ordered(batch(*given))
    homes: dict[Solution, int] = {}
    for bucket, part in parts:
        assert 0 <= bucket < buckets
        for mu, _, _ in rows(part):
            assert homes.setdefault(mu.project(key), bucket) == bucket
    assert key or all(bucket == 0 for bucket, _ in parts)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(0, 9))
def test_the_cut_is_the_last_boundary_or_the_next_one_of_the_grid(
    periods: list[int], origin: int
) -> None:
    cut, grid = Cut(tuple(periods), origin), Cut(tuple(periods), origin, grid=True)
    steps = {origin + k * period for period in periods for k in range(60)}
    for time in range(40):
        assert cut(time) == max((t for t in steps if t <= time), default=0)
        assert grid(time) == min(t for t in steps if t >= time)
    assert cut(FOREVER) == FOREVER
