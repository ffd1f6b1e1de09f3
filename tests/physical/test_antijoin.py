"""Anti-join: left elements where they have no partner."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import TRUE, AntiJoin, Expression
from askos.interval import FOREVER
from askos.physical import Cut
from askos.physical.antijoin import AntiJoinOperator
from tests.build import W, X, Y, Z, call, pattern, solution
from tests.columns.batches import Row
from tests.hosts.strategies import conditions
from tests.physical.runs import EACH, Delivery, cuts, keeps_the_law, law, step, two_sides

L, R = solution(x="a", y=1), solution(x="a", z=2)


def anti_join(condition: Expression = TRUE, cut: Cut = EACH) -> AntiJoinOperator:
    return AntiJoinOperator(AntiJoin(pattern(X, "p", Y), pattern(X, "q", Z), condition), cut)


def at_once(left: list[Row], right: list[Row], condition: Expression = TRUE) -> list[Row]:
    return step(anti_join(condition), FOREVER, left, right)


def test_a_left_element_stands_exactly_where_it_has_no_partner() -> None:
    got = at_once([(L, 0, 20)], [(R, 2, 5), (R, 5, 7), (R, 3, 4), (R, 15, 30)])
    assert got == [(L, 0, 2), (L, 7, 15)]


def test_a_left_element_that_always_has_a_partner_is_gone() -> None:
    assert at_once([(L, 3, 20), (L, 4, 5)], [(R, 0, FOREVER)]) == []


def test_partners_that_fail_the_condition_are_none_and_an_error_fails_it() -> None:
    assert at_once([(L, 0, 9)], [(solution(x="a", z=0), 0, 9)], call("<", Y, Z)) == [(L, 0, 9)]
    assert at_once([(L, 0, 9)], [(R, 2, 5)], call("<", W, Z)) == [(L, 0, 9)]


def test_copies_of_a_left_element_stay() -> None:
    assert at_once([(L, 0, 9)] * 2, [(R, 3, 9)]) == [(L, 0, 3)] * 2


def test_a_left_element_is_emitted_up_to_the_cut_and_continued() -> None:
    made = anti_join(cut=Cut((10,)))
    assert step(made, 25, [(L, 0, 40)]) == [(L, 0, 20)]
    assert step(made, 35, [], [(R, 33, 36)]) == [(L, 20, 30)]
    assert step(made, 45) == [(L, 30, 33), (L, 36, 40)]


def test_after_a_restart_it_knows_how_long_partners_last() -> None:
    first, again = anti_join(), anti_join()
    assert step(first, 5, [(L, 0, 40)], [(R, 3, 20)]) == [(L, 0, 3)]
    saved = first.snapshot()
    again.restore(saved.manifest, saved.runs.__getitem__)
    assert step(again, 30) == [(L, 20, 30)]


@given(two_sides(), st.just(TRUE) | conditions(), cuts())
def test_anti_join_keeps_the_law(delivery: Delivery, condition: Expression, cut: Cut) -> None:
    plan = AntiJoin(delivery.table(0), delivery.table(1), condition)
    meaning = law(lambda left, right: AntiJoin(left, right, condition))
    keeps_the_law(lambda: AntiJoinOperator(plan, cut), delivery, meaning, cut)
