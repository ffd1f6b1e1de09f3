"""The left join against the reference, step by step; its examples are in test_operators."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import TRUE, Expression, LeftJoin
from askos.physical import Cut
from askos.physical.leftjoin import LeftJoinOperator
from tests.hosts.strategies import conditions
from tests.physical.runs import Delivery, cuts, keeps_the_law, law, two_sides


@given(two_sides(), st.just(TRUE) | conditions(), cuts())
def test_left_join_keeps_the_law(delivery: Delivery, condition: Expression, cut: Cut) -> None:
    plan = LeftJoin(delivery.table(0), delivery.table(1), condition)
    meaning = law(lambda left, right: LeftJoin(left, right, condition))
    keeps_the_law(lambda: LeftJoinOperator(plan, cut), delivery, meaning, cut)
