"""Grouping and aggregation."""

from __future__ import annotations

from askos.algebra import Aggregate, Expression, Group
from askos.columns.coder import Coder
from askos.columns.expressions import compile_value
from askos.physical.cut import Cut
from askos.physical.folds import compile_folds
from askos.physical.grouping import GroupingOperator
from askos.physical.groups import Groups


class GroupOperator(GroupingOperator):
    """γ: per group, pieces on which its bag of solutions is constant; snapshot-equivalent to
    `algebra.Group`, for all aggregates of SPARQL.

    Streaming SPARQL names aggregation as future work; this is Krämer's, as one sweep: elements
    add when they start and subtract when they end.  Between two events of a group lies a piece.
    Each aggregate has a fold: see `askos.physical.folds`.
    """

    def __init__(self, plan: Group, coder: Coder, cut: Cut) -> None:
        super().__init__(cut)
        self._plan, self._coder = plan, coder

    def make(self) -> Groups:
        keys = {
            key.variable: compile_value(key.value, self._coder)
            for key in self._plan.keys
            if isinstance(key.value, Expression)
        }
        aggregates = {
            made.variable: made.value
            for made in self._plan.aggregates
            if isinstance(made.value, Aggregate)
        }
        return Groups(keys, compile_folds(aggregates, self._coder))
