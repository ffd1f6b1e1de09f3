"""Filter."""

from __future__ import annotations

from askos.algebra import Filter
from askos.columns.batch import Batch
from askos.columns.expressions import compile_condition
from askos.physical.operator import Operator


class FilterOperator(Operator):
    """σ: the elements for which the condition is true; snapshot-equivalent to `algebra.Filter`.

    Streaming SPARQL, section 6: a stateless operator.
    """

    def __init__(self, plan: Filter) -> None:
        self._holds = compile_condition(plan.condition)

    def process(self, port: int, batch: Batch) -> Batch:
        return batch.where(self._holds(batch)) if len(batch) else batch
