"""Semi-join: left elements where they have a partner."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import TRUE, Expression, LeftJoin, SemiJoin
from askos.interval import FOREVER
from askos.physical import Cut
from askos.physical.semijoin import SemiJoinOperator
from tests.build import X, Y, Z, call, pattern, solution
from tests.columns.batches import Row, batch
from tests.hosts.strategies import conditions
from tests.physical.runs import EACH, Delivery, cuts, keeps_the_law, law, step, two_sides

L, R = solution(x="a", y=1), solution(x="a", z=2)


def semi_join(condition: Expression = TRUE, cut: Cut = EACH) -> SemiJoinOperator:
    return SemiJoinOperator(SemiJoin(pattern(X, "p", Y), pattern(X, "q", Z), condition), cut)


def at_once(left: list[Row], right: list[Row], condition: Expression = TRUE) -> list[Row]:
    return step(semi_join(condition), FOREVER, left, right)


def test_a_left_element_stands_exactly_where_it_has_partners() -> None:
    got = at_once([(L, 0, 20)], [(R, 2, 5), (R, 5, 7), (R, 3, 4), (R, 15, 30)])
    assert got == [(L, 2, 7), (L, 15, 20)]


def test_a_left_element_without_partner_is_gone() -> None:
    assert at_once([(L, 0, 20)], [(solution(x="b", z=2), 0, 20), (R, 20, 30)]) == []


def test_copies_of_a_left_element_stay_and_copies_of_a_partner_count_once() -> None:
    assert at_once([(L, 0, 9)] * 2, [(R, 3, 5)] * 3) == [(L, 3, 5)] * 2


def test_the_condition_sees_the_merged_pair() -> None:
    right = [(solution(x="a", z=1), 0, 4), (solution(x="a", z=2), 3, 9)]
    assert at_once([(L, 0, 9)], right, call("<", Y, Z)) == [(L, 3, 9)]


def test_variables_that_only_may_be_bound_are_compared_pair_by_pair() -> None:
    right = LeftJoin(pattern(X, "q", Z), pattern(X, "r", Y))
    made = SemiJoinOperator(SemiJoin(pattern(X, "p", Y), right), EACH)
    other, same = R | solution(y=2), R | solution(y=1)
    got = step(made, FOREVER, [(L, 0, 20)], [(other, 0, 20), (same, 2, 5), (R, 9, 12)])
    assert got == [(L, 2, 5), (L, 9, 12)]


def test_what_is_known_to_be_covered_is_emitted_at_once_and_only_once() -> None:
    made = semi_join()
    assert step(made, 5, [(L, 0, 40)], [(R, 2, 15)]) == [(L, 2, 15)]
    assert step(made, 12, [], [(R, 7, 20)]) == [(L, 15, 20)]
    assert step(made, 30) == []
    assert step(made, FOREVER, [], [(R, 35, FOREVER)]) == [(L, 35, 40)]
    assert not made.snapshot().runs


def test_of_partners_only_what_tells_them_apart_is_kept() -> None:
    made = semi_join()
    made.process(1, batch((solution(x="a", z=1), 3, 9), (solution(x="a", z=2), 5, 12)))
    (run,) = made.snapshot().runs.values()
    assert (list(run.columns), run.ts.tolist(), run.te.tolist()) == ([X], [3], [12])


def test_progress_is_the_cut() -> None:
    made = semi_join(cut=Cut((10,)))
    assert [made.advance(w)[1] for w in (5, 13, 19, 40, FOREVER)] == [0, 10, 10, 40, FOREVER]


@given(two_sides(), st.just(TRUE) | conditions(), cuts())
def test_semi_join_keeps_the_law(delivery: Delivery, condition: Expression, cut: Cut) -> None:
    plan = SemiJoin(delivery.table(0), delivery.table(1), condition)
    meaning = law(lambda left, right: SemiJoin(left, right, condition))
    keeps_the_law(lambda: SemiJoinOperator(plan, cut), delivery, meaning, cut)
