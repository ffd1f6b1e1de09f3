"""Projection."""

from __future__ import annotations

from askos.algebra import Project
from askos.columns.batch import Batch
from askos.physical.operator import Operator


class ProjectOperator(Operator):
    """π: other columns, the same elements; snapshot-equivalent to `algebra.Project`.

    Streaming SPARQL, section 6: a stateless operator.
    """

    def __init__(self, plan: Project) -> None:
        self._columns = plan.columns

    def process(self, port: int, batch: Batch) -> Batch:
        return batch.project(self._columns)
