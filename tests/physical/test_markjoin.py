"""Mark join: left elements, and whether they have a partner."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import TRUE, Expression, MarkJoin
from askos.interval import FOREVER
from askos.physical import Cut
from askos.physical.markjoin import MarkJoinOperator
from askos.terms import Variable
from tests.build import X, Y, Z, call, pattern, solution
from tests.hosts.strategies import conditions
from tests.physical.runs import EACH, Delivery, cuts, keeps_the_law, law, step, two_sides

M = Variable("m")
L, R = solution(x="a", y=1), solution(x="a", z=2)
YES, NO = L | solution(m=True), L | solution(m=False)


def made(cut: Cut = EACH, condition: Expression = TRUE) -> MarkJoinOperator:
    plan = MarkJoin(pattern(X, "p", Y), pattern(X, "q", Z), condition, variable=M)
    return MarkJoinOperator(plan, cut)


def test_an_element_is_cut_where_its_mark_changes() -> None:
    join = made()
    got = step(join, FOREVER, [(L, 0, 20)], [(R, 2, 5), (R, 4, 7), (R, 15, 30)])
    assert got == [(NO, 0, 2), (YES, 2, 7), (NO, 7, 15), (YES, 15, 20)]


def test_a_mark_is_false_where_the_condition_fails() -> None:
    join = made(condition=call(">", Y, Z))
    assert step(join, FOREVER, [(L, 0, 9)], [(R, 0, 5)]) == [(NO, 0, 9)]


def test_copies_are_all_marked() -> None:
    join = made()
    assert step(join, FOREVER, [(L, 0, 9)] * 2, [(R, 0, 9)] * 2) == [(YES, 0, 9)] * 2


def test_false_is_told_up_to_the_cut_and_true_as_long_as_it_is_known_to_last() -> None:
    join = made(Cut((10,)))
    assert step(join, 15, [(L, 0, 50)], [(R, 5, 25)]) == [(NO, 0, 5), (YES, 5, 25)]
    assert step(join, 20) == []
    assert step(join, 30) == [(NO, 25, 30)]


@given(two_sides(), st.just(TRUE) | conditions(), cuts())
def test_mark_join_keeps_the_law(delivery: Delivery, condition: Expression, cut: Cut) -> None:
    meaning = law(lambda left, right: MarkJoin(left, right, condition, variable=M))
    plan = MarkJoin(delivery.table(0), delivery.table(1), condition, variable=M)
    keeps_the_law(lambda: MarkJoinOperator(plan, cut), delivery, meaning, cut)
