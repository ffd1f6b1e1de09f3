"""What the operators do with a handful of elements (semantics, sections 3 and 5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Avg,
    Binding,
    Call,
    Count,
    Filter,
    Group,
    LeftJoin,
    Project,
    Ref,
    Sum,
    Union,
    first_difference,
)
from askos.columns import Batch
from askos.columns.coalesce import coalesce
from askos.interval import FOREVER
from askos.physical import Cut, Operator
from askos.physical.exchange import split
from askos.physical.filter import FilterOperator
from askos.physical.fragment import operator
from askos.physical.group import GroupOperator
from askos.physical.pattern import PatternOperator
from askos.physical.timing import Timing
from askos.terms import Solution, Term, Variable
from tests.build import EX, W, X, Y, Z, call, constant, pattern, solution
from tests.columns.batches import CODER, Row, as_elements, batch, rows
from tests.physical.runs import EACH, ordered, step

A, B = pattern(X, "p", Y), pattern(X, "q", Z)

L, R = solution(x="a", y=1), solution(x="a", z=2)
BOTH = solution(x="a", y=1, z=2)


def to_pieces(given: list[Row]) -> list[Row]:
    return ordered(coalesce(batch(*given)))


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


def test_sums_and_averages_are_each_of_its_own_expression() -> None:
    plan = Group(
        (),
        (
            Binding(M, Avg(Ref(Y))),
            Binding(N, Sum(call("*", Ref(Y), constant(10)))),
            Binding(S, Sum(Ref(Y))),
            Binding(W, Avg(call("*", Ref(Y), constant(10)))),
        ),
        A,
    )
    made = GroupOperator(plan, CODER, Cut((10,)))
    step(made, 10, [(a(1), 0, 20), (a(2), 0, 20)])
    ((mu, start, end),) = step(made, 20, [(a(6), 10, 20)])
    assert (start, end) == (10, 20)
    assert [str(mu[variable]) for variable in (M, N, S, W)] == ["3.0", "90", "9", "30.0"]


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
