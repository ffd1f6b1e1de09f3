"""Join."""

from __future__ import annotations

from typing import Any

from askos.algebra import Join
from askos.columns.batch import Batch
from askos.physical.merge import Pairing
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Fetch, Saved, SweepArea

LEFT, RIGHT = 0, 1


class JoinOperator(Operator):
    """⋈: merged pairs on the intersection of their intervals; snapshot-equivalent to
    `algebra.Join`.

    Streaming SPARQL, section 6, lists it as stateful and prints the left join alone; this is
    Krämer's: symmetric, each input probes the other's SweepArea and enters its own.  Departures:
    a batch at a time, in any order within the watermark, and no heap H of results, since whoever
    needs order has a release heap of its own.

    State: the elements of both inputs that end after the watermark.
    """

    def __init__(self, plan: Join) -> None:
        self._pairing = Pairing.of(plan.left, plan.right)
        self._areas = tuple(SweepArea[Batch](self._pairing.keys) for _ in (LEFT, RIGHT))

    def process(self, port: int, batch: Batch) -> Batch:
        other = self._areas[1 - port]
        merged = []
        for match in other.query(batch):
            mine, theirs = (batch, match.probe), (match.run.rows, match.stored)
            left, right = (mine, theirs) if port == LEFT else (theirs, mine)
            merged.append(self._pairing.join(*left, *right)[0])
        self._areas[port].insert(batch)
        return Batch.concat(merged)

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        for area in self._areas:
            area.purge(watermark)
        return Batch.empty(), watermark

    def snapshot(self) -> Saved[Batch]:
        left, right = self._areas
        return combine({"left": left.snapshot(), "right": right.snapshot()})

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        for area, side in zip(self._areas, ("left", "right"), strict=True):
            area.restore(manifest[side], fetch)
