"""Both twins of the left join: a handful of elements, and the law, step by step."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import TRUE, Expression, LeftJoin
from askos.interval import FOREVER
from askos.physical import Cut
from askos.physical.join import LEFT, RIGHT
from tests.build import W, X, Y, Z, call, pattern, solution
from tests.columns.batches import Row, batch
from tests.hosts.strategies import conditions
from tests.physical.runs import EACH, Delivery, cuts, keeps_the_law, law, step, two_sides
from tests.physical.test_operators import BOTH, A, B, L, R, to_pieces
from tests.physical.twins import LEFT_JOINS, MakeLeftJoin


@pytest.fixture(params=[*LEFT_JOINS.values()], ids=[*LEFT_JOINS])
def left_join(request: pytest.FixtureRequest) -> MakeLeftJoin:
    made: MakeLeftJoin = request.param
    return made


OPTIONAL = LeftJoin(A, B)


def at_once(
    left_join: MakeLeftJoin, *, left: list[Row], right: list[Row], condition: Expression = TRUE
) -> list[Row]:
    return step(left_join(LeftJoin(A, B, condition), EACH), FOREVER, left, right)


def test_a_left_element_without_partner_stands_alone(left_join: MakeLeftJoin) -> None:
    assert at_once(left_join, left=[(L, 0, 10)], right=[]) == [(L, 0, 10)]
    assert at_once(left_join, left=[(L, 0, 10)], right=[(solution(x="b", z=1), 0, 9)]) == [
        (L, 0, 10)
    ]


def test_a_left_element_stands_alone_exactly_in_the_gaps(left_join: MakeLeftJoin) -> None:
    got = at_once(left_join, left=[(L, 0, 20)], right=[(R, 2, 5), (R, 8, 9), (R, 15, 30)])
    alone = [(L, 0, 2), (L, 5, 8), (L, 9, 15)]
    assert got == sorted([*alone, (BOTH, 2, 5), (BOTH, 8, 9), (BOTH, 15, 20)], key=lambda r: r[1])


def test_partners_that_touch_leave_no_gap(left_join: MakeLeftJoin) -> None:
    assert at_once(left_join, left=[(L, 0, 9)], right=[(R, 0, 5), (R, 5, 9)]) == [
        (BOTH, 0, 5),
        (BOTH, 5, 9),
    ]


def test_a_partner_that_only_touches_is_none(left_join: MakeLeftJoin) -> None:
    assert at_once(left_join, left=[(L, 5, 9)], right=[(R, 0, 5), (R, 9, 12)]) == [(L, 5, 9)]


def test_a_partner_that_ends_inside_a_longer_one_opens_no_gap(left_join: MakeLeftJoin) -> None:
    got = at_once(left_join, left=[(L, 0, 20)], right=[(R, 2, 15), (R, 3, 5), (R, 6, 7)])
    assert [row for row in got if row[0] == L] == [(L, 0, 2), (L, 15, 20)]
    assert len(got) == 5


def test_a_condition_turns_partners_into_gaps(left_join: MakeLeftJoin) -> None:
    got = at_once(
        left_join,
        left=[(L, 0, 10)],
        right=[(solution(x="a", z=0), 0, 10), (solution(x="a", z=5), 4, 6)],
        condition=call("<", Y, Z),
    )
    assert got == [(L, 0, 4), (solution(x="a", y=1, z=5), 4, 6), (L, 6, 10)]


def test_a_condition_that_is_an_error_turns_partners_into_gaps(left_join: MakeLeftJoin) -> None:
    got = at_once(left_join, left=[(L, 0, 9)], right=[(R, 2, 5)], condition=call("<", W, Z))
    assert to_pieces(got) == [(L, 0, 9)]


def test_copies_of_a_left_element_each_stand_alone(left_join: MakeLeftJoin) -> None:
    got = at_once(left_join, left=[(L, 0, 9)] * 2, right=[(R, 3, 5)])
    assert got == [(L, 0, 3)] * 2 + [(BOTH, 3, 5)] * 2 + [(L, 5, 9)] * 2


def test_copies_of_a_partner_join_twice_and_cover_once(left_join: MakeLeftJoin) -> None:
    got = at_once(left_join, left=[(L, 0, 9)], right=[(R, 3, 5)] * 2)
    assert got == [(L, 0, 3), (BOTH, 3, 5), (BOTH, 3, 5), (L, 5, 9)]


def test_a_left_element_is_emitted_alone_up_to_the_cut_and_continued(
    left_join: MakeLeftJoin,
) -> None:
    made = left_join(OPTIONAL, Cut((10,)))
    assert step(made, 9, [(L, 0, 40)]) == []
    assert step(made, 25) == [(L, 0, 20)]
    assert step(made, 29) == []
    assert step(made, 30) == [(L, 20, 30)]
    assert step(made, 39, [], [(R, 33, 36)]) == []
    assert step(made, 45) == [(L, 30, 33), (BOTH, 33, 36), (L, 36, 40)]


def test_a_partner_that_outlives_the_cut_is_emitted_to_its_end_and_only_once(
    left_join: MakeLeftJoin,
) -> None:
    made = left_join(OPTIONAL, EACH)
    assert step(made, 5, [(L, 0, 20)], [(R, 2, 15)]) == [(L, 0, 2), (BOTH, 2, 15)]
    assert step(made, 12) == []
    assert step(made, 18) == [(L, 15, 18)]
    assert step(made, FOREVER) == [(L, 18, 20)]


def test_a_left_element_that_is_covered_to_its_end_joins_further_partners(
    left_join: MakeLeftJoin,
) -> None:
    made = left_join(OPTIONAL, EACH)
    assert step(made, 5, [(L, 0, 20)], [(R, 0, 30)]) == [(BOTH, 0, 20)]
    assert step(made, 12, [], [(R, 7, 9)]) == [(BOTH, 7, 9)]


def test_a_left_element_finds_partners_that_came_long_before(left_join: MakeLeftJoin) -> None:
    made = left_join(OPTIONAL, EACH)
    assert step(made, 10, [], [(R, 2, 30)]) == []
    assert step(made, 20, [(L, 12, 40)]) == [(BOTH, 12, 30)]
    assert step(made, 35) == [(L, 30, 35)]


def test_a_left_element_finds_partners_that_come_long_after(left_join: MakeLeftJoin) -> None:
    made = left_join(OPTIONAL, EACH)
    assert step(made, 10, [(L, 0, 40)]) == [(L, 0, 10)]
    assert step(made, 20, [], [(R, 12, 14), (R, 13, 50)]) == [
        (L, 10, 12),
        (BOTH, 12, 14),
        (BOTH, 13, 40),
    ]
    assert step(made, FOREVER) == []
    assert not made.snapshot().runs


def test_output_is_in_order_and_progress_is_the_cut_and_never_falls(
    left_join: MakeLeftJoin,
) -> None:
    made, last = left_join(OPTIONAL, Cut((10,))), 0
    made.process(LEFT, batch((L, 0, 35), (solution(x="b", y=1), 3, 4), (L, 21, 23)))
    made.process(RIGHT, batch((R, 2, 5), (R, 22, 50)))
    for watermark, cut in ((5, 0), (13, 10), (19, 10), (40, 40), (41, 40), (FOREVER, FOREVER)):
        out, progress = made.advance(watermark)
        assert progress == cut
        assert out.ts.tolist() == sorted(out.ts.tolist())
        assert not len(out) or last <= out.ts.min() <= out.ts.max() < cut
        last = progress


def test_a_left_join_with_nothing_certain_in_common_compares_pair_by_pair(
    left_join: MakeLeftJoin,
) -> None:
    right = LeftJoin(pattern(Z, "s", W), pattern(Z, "t", X))
    made = left_join(LeftJoin(A, right), EACH)
    some, other = (solution(z="c", w=1, x=x) for x in ("a", "b"))
    free = solution(z="c", w=1)
    got = step(made, FOREVER, [(L, 0, 9)], [(some, 0, 3), (other, 0, 9), (free, 6, 9)])
    merged = L | free
    assert got == [(merged, 0, 3), (L, 3, 6), (merged, 6, 9)]


def test_left_join_keeps_the_law(left_join: MakeLeftJoin) -> None:
    @given(two_sides(), st.just(TRUE) | conditions(), cuts())
    def check(delivery: Delivery, condition: Expression, cut: Cut) -> None:
        plan = LeftJoin(delivery.table(0), delivery.table(1), condition)
        meaning = law(lambda left, right: LeftJoin(left, right, condition))
        keeps_the_law(lambda: left_join(plan, cut), delivery, meaning, cut)

    check()
