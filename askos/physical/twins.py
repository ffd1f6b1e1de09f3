"""Which twin of a join runs: the columnar one, or the ordered one for small batches."""

from __future__ import annotations

from typing import Final

from askos.algebra import TRUE, Join, LeftJoin, Operator
from askos.physical.nodes import OrderedJoin, OrderedLeftJoin
from askos.physical.plan import Based

FEW: Final = 25
"""Rows a batch up to which the ordered twin is at least as fast; see benchmarks/twins.py."""


def twin(plan: Operator, rows: int | None) -> Operator:
    """An operator, or its ordered twin if no more than a few rows are expected a batch.

    The columnar one stays where the other has no advantage: beside a table, which is probed by
    columns, and under a condition, which is evaluated by columns.
    """
    if rows is None or rows > FEW or any(isinstance(below, Based) for below in plan.inputs):
        return plan
    match plan:
        case Join(left, right):
            return OrderedJoin(left, right)
        case LeftJoin(left, right, condition) if condition == TRUE:
            return OrderedLeftJoin(left, right)
    return plan
