"""Join."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from askos.algebra import Join
from askos.columns.batch import Batch
from askos.physical.merge import Matched, Pairing
from askos.physical.nodes import ScanJoin
from askos.physical.openarea import OpenArea
from askos.physical.operator import Opened, Operator, Progress, combine
from askos.physical.plan import is_static
from askos.sweeparea import Fetch, Match, Saved, SweepArea
from askos.sweeparea.runs import Probe

LEFT, RIGHT = 0, 1


class JoinOperator(Operator):
    """⋈: merged pairs on the intersection of their intervals; snapshot-equivalent to
    `algebra.Join`.

    Streaming SPARQL, section 6, lists it as stateful and prints the left join alone; this is
    Krämer's: symmetric, each input probes the other's SweepArea and enters its own.  Departures:
    a batch at a time, in any order within the watermark, and no heap H of results, since whoever
    needs order has a release heap of its own.

    Groppe et al., section 5.2: by hash of the key; as a ScanJoin the nested loops, all pairs.

    A side may rest on a table, which is probed like the other's elements; where a side is nothing
    but a table, the other one need not wait for it, and is not kept.

    A pair of a positive and a negative element is a negative one, so both inputs may have open ends
    (see `openends`), and its pairs then have.

    State: the elements of both inputs that end after the watermark.
    """

    def __init__(self, plan: Join | ScanJoin) -> None:
        pairing = Pairing.of(plan.left, plan.right)
        self._pairing = pairing.unkeyed if isinstance(plan, ScanJoin) else pairing
        keys = self._pairing.keys
        self._areas = [SweepArea[Batch](keys), SweepArea[Batch](keys, late=True)]
        self._bases: list[Opened | None] = [None, None]
        self._static = (is_static(plan.left), is_static(plan.right))

    def rest_on(self, port: int, base: Opened) -> None:
        self._bases[port] = base

    def open_on(self, port: int) -> None:
        self._areas[port] = OpenArea(self._pairing.keys)

    def process(self, port: int, batch: Batch) -> Batch:
        if not len(batch):
            return Batch.empty()
        probe, matched = Probe.of(batch, self._pairing.keys(batch)), list[Matched]()
        for match in self._partners(1 - port, probe):
            if port == LEFT:
                matched.append((batch, match.probe, match.rows, match.stored, match.both))
            else:
                matched.append((match.rows, match.stored, batch, match.probe, match.both))
        if not self._static[1 - port]:
            self._areas[port].keep(probe)
        return self._pairing.joined(matched)

    def _partners(self, side: int, probe: Probe[Batch]) -> Iterator[Match[Batch]]:
        """What of one input has the keys of the other's rows."""
        yield from self._areas[side].matches(probe)
        base = self._bases[side]
        if base is not None:
            yield from base().query(probe.rows)

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
