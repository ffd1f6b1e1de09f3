"""Join, one element at a time."""

from __future__ import annotations

from askos.columns.batch import Batch
from askos.physical.join import LEFT
from askos.physical.merge import Pairing
from askos.physical.nodes import OrderedJoin
from askos.physical.onebyone import OneByOneOperator
from askos.physical.operator import Progress


class OrderedJoinOperator(OneByOneOperator):
    """⋈: merged pairs on the intersection of their intervals; snapshot-equivalent to
    `algebra.Join`, and the twin of `JoinOperator` for small batches.

    Krämer's symmetric join, which Streaming SPARQL, section 6, takes for granted: an element
    queries the SweepArea of the other input and enters its own, and results leave H in order.
    Departures: SweepAreas are purged by the watermark and not by every element, since elements come
    in any order within it; for the same reason H is released up to the watermark.

    State: the elements of both inputs that end after the watermark, and the results that start at
    or after it.
    """

    def __init__(self, plan: OrderedJoin) -> None:
        super().__init__(Pairing.of(plan.left, plan.right))

    def process(self, port: int, batch: Batch) -> Batch:
        mine, others = self._areas[port], self._areas[1 - port]
        for e in self._form.entries(batch):
            for other in others.query(e):
                left, right = (e, other) if port == LEFT else (other, e)
                merged = self._merge(left, right)
                if merged is not None:
                    self._results.insert(merged)
            mine.insert(e)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        return self._release(watermark)
