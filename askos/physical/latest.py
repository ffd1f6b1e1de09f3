"""Duplicate elimination that keeps arrival times."""

from __future__ import annotations

from askos.algebra import Distinct, Ref
from askos.columns.coder import Coder
from askos.columns.expressions import compile_value
from askos.physical.cut import Cut
from askos.physical.folds.compile import values_of
from askos.physical.folds.least import LeastFold, Wanted
from askos.physical.grouping import GroupingOperator
from askos.physical.groups import Groups


class LatestOperator(GroupingOperator):
    """δ over rows with columns of arrival times: every row once at any instant, with the latest of
    each; snapshot-equivalent to `algebra.Distinct` with `times`.

    Semantics, section 3, set semantics and timestamp(): rows are groups, and their times are
    maxima, which fall when the latest copy ends.
    """

    def __init__(self, plan: Distinct, coder: Coder, cut: Cut) -> None:
        super().__init__(cut)
        self._rows, self._times = sorted(plan.variables - {*plan.times}), plan.times
        self._coder = coder

    def make(self) -> Groups:
        keys = {v: compile_value(Ref(v), self._coder) for v in self._rows}
        times = {v: LeastFold(values_of(Ref(v), self._coder), Wanted.LATEST) for v in self._times}
        return Groups(keys, times, always=False)
