"""What changes nothing."""

from __future__ import annotations

from askos.columns.batch import Batch
from askos.physical.operator import Operator


class SameOperator(Operator):
    """The elements as they are: REDUCED, which may drop copies and drops none, and ORDER BY, whose
    ranks only slices and reports use; snapshot-equivalent to `algebra.Reduced` and `OrderBy`.

    Streaming SPARQL, section 6, "other operators".  State: none.
    """

    def process(self, port: int, batch: Batch) -> Batch:
        return batch
