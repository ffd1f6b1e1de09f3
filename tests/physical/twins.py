"""Both twins of the joins, to be tested alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from askos.algebra import Join, LeftJoin
from askos.physical import Cut, Operator
from askos.physical.join import JoinOperator
from askos.physical.leftjoin import LeftJoinOperator
from askos.physical.nodes import OrderedJoin, OrderedLeftJoin
from askos.physical.orderedjoin import OrderedJoinOperator
from askos.physical.orderedleftjoin import OrderedLeftJoinOperator

MakeJoin: TypeAlias = Callable[[Join], Operator]
MakeLeftJoin: TypeAlias = Callable[[LeftJoin, Cut], Operator]


def _ordered_join(plan: Join) -> Operator:
    return OrderedJoinOperator(OrderedJoin(plan.left, plan.right))


def _ordered_left_join(plan: LeftJoin, cut: Cut) -> Operator:
    return OrderedLeftJoinOperator(OrderedLeftJoin(plan.left, plan.right, plan.condition), cut)


JOINS: Final[dict[str, MakeJoin]] = {"columnar": JoinOperator, "ordered": _ordered_join}
LEFT_JOINS: Final[dict[str, MakeLeftJoin]] = {
    "columnar": LeftJoinOperator,
    "ordered": _ordered_left_join,
}
