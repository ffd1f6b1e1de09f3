"""MINUS: only solutions that share a bound variable can remove."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import LeftJoin, Minus
from askos.algebra import Operator as Plan
from askos.interval import FOREVER
from askos.physical import Cut
from askos.physical.minus import MinusOperator
from askos.terms import Variable
from tests.build import W, X, Y, Z, pattern, solution
from tests.columns.batches import Row
from tests.physical.runs import EACH, Delivery, cuts, keeps_the_law, law, step, two_sides

A, B = pattern(X, "p", Y), pattern(X, "q", Z)
MAYBE_X = LeftJoin(pattern(Z, "s", W), pattern(Z, "t", X))
L, R = solution(x="a", y=1), solution(x="a", z=2)


def at_once(left: Plan, right: Plan, these: list[Row], those: list[Row]) -> list[Row]:
    return step(MinusOperator(Minus(left, right), EACH), FOREVER, these, those)


def test_an_element_stands_exactly_where_nothing_removes_it() -> None:
    got = at_once(A, B, [(L, 0, 20)] * 2, [(R, 2, 5), (R, 15, 30), (solution(x="b", z=1), 0, 20)])
    assert got == [(L, 0, 2)] * 2 + [(L, 5, 15)] * 2


def test_patterns_with_no_common_variable_remove_nothing() -> None:
    made = MinusOperator(Minus(A, pattern(Z, "q", W)), EACH)
    assert step(made, 5, [(L, 0, 9)], [(solution(z="a", w=1), 0, 9)]) == [(L, 0, 5)]
    assert all(run.columns.keys() == {X, Y} for run in made.snapshot().runs.values())


def test_a_solution_that_leaves_the_common_variable_unbound_removes_nothing() -> None:
    free = solution(z="c", w=1)
    other, same = free | solution(x="b"), free | solution(x="a")
    got = at_once(A, MAYBE_X, [(L, 0, 9)], [(free, 0, 9), (other, 0, 9), (same, 4, 6)])
    assert got == [(L, 0, 4), (L, 6, 9)]


def test_which_variables_count_is_asked_pair_by_pair() -> None:
    """?y is bound on both sides, ?x on the left only: that suffices."""
    left = LeftJoin(pattern(W, "s", Y), pattern(W, "t", X))
    right = LeftJoin(pattern(Z, "s", Y), pattern(Z, "t", X))
    got = at_once(
        left, right, [(solution(w="w", x="a", y=1), 0, 9)], [(solution(z="z", y=1), 3, 9)]
    )
    assert got == [(solution(w="w", x="a", y=1), 0, 3)]


def test_variables_of_by_must_agree_and_do_not_count() -> None:
    made = MinusOperator(Minus(A, B, (X,)), EACH)
    assert step(made, FOREVER, [(L, 0, 9)], [(R, 2, 5)]) == [(L, 0, 9)]
    other = pattern(X, "r", Y)
    for right, wanted in ((L, [(L, 0, 2), (L, 5, 9)]), (solution(x="b", y=1), [(L, 0, 9)])):
        made = MinusOperator(Minus(A, other, (X,)), EACH)
        assert step(made, FOREVER, [(L, 0, 9)], [(right, 2, 5)]) == wanted


@given(two_sides(), cuts(), st.sampled_from([(), (X,), (X, Z)]))
def test_minus_keeps_the_law(delivery: Delivery, cut: Cut, by: tuple[Variable, ...]) -> None:
    plan = Minus(delivery.table(0), delivery.table(1), by)
    meaning = law(lambda left, right: Minus(left, right, by))
    keeps_the_law(lambda: MinusOperator(plan, cut), delivery, meaning, cut)
