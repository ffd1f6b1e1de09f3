"""Projection."""

from __future__ import annotations

from askos.algebra import Project
from askos.columns.batch import Batch
from askos.columns.hidden import hidden, is_arrival
from askos.physical.operator import Operator


class ProjectOperator(Operator):
    """π: other columns, the same elements; snapshot-equivalent to `algebra.Project`.

    Streaming SPARQL, section 6: a stateless operator.  Arrival times end here.
    """

    def __init__(self, plan: Project) -> None:
        self._columns = plan.columns

    def process(self, port: int, batch: Batch) -> Batch:
        kept = (v for v in hidden(batch) if not is_arrival(v))
        return batch.project([*self._columns, *kept])
