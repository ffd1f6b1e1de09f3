"""Union."""

from __future__ import annotations

from askos.columns.batch import Batch
from askos.physical.operator import Operator


class UnionOperator(Operator):
    """∪: the elements of both inputs; snapshot-equivalent to `algebra.Union`.

    Streaming SPARQL, section 6: a stateless operator.  Order is restored where it is needed, by
    the release heaps of the operators above.
    """

    def process(self, port: int, batch: Batch) -> Batch:
        return batch
