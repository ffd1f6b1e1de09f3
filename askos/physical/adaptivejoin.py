"""Join of several inputs, in an order that is chosen as they come."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from askos.columns.batch import Batch
from askos.columns.ids import Ids
from askos.physical.merge import Matched, Pairing
from askos.physical.nodes import AdaptiveJoin
from askos.physical.openarea import OpenArea
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Fetch, Match, Saved, SweepArea
from askos.sweeparea.runs import Probe

_SAMPLE: Final = 64  # rows of a batch that say how many partners it has


class AdaptiveJoinOperator(Operator):
    """A1 ⋈ A2 ⋈ …: merged combinations on the intersection of their intervals; snapshot-equivalent
    to `algebra.Join` in any order.

    CQELS, sections 3.3 and 4.4.  A batch of one input is routed through the SweepAreas of all
    others (Algorithm 1), next always through the one where fewest are found (Algorithm 2): so the
    left-deep data flow is chosen anew for every batch.  There is no intermediate state, so nothing
    has to be made again when it changes.  Unary operators come first by themselves: the rules push
    them below the joins, and what is left between two joins ends the chain.

    Departures: Algorithm 2 goes by card(rightChildOp, t), how many elements an input has.  Inputs
    with equally many may have many partners or none, so we count the partners of a sample of
    the batch, as the cost-based strategy of section 3.3 and its Example 1 do, and go by card where
    that is equal.  And a batch at a time.

    State: the elements of all inputs that end after the watermark.  Cost: what the flow finds on
    its way, and a search for the sample in each SweepArea that is left.
    """

    def __init__(self, plan: AdaptiveJoin) -> None:
        self._key = plan.key
        self._variables = [below.variables for below in plan.below]
        self._areas = [SweepArea[Batch](self._keys) for _ in plan.below]
        self._flows: dict[int, tuple[int, ...]] = {}  # the last one from each input
        self._switches = 0

    def _keys(self, batch: Batch) -> Sequence[Ids]:
        return [batch.column(variable) for variable in self._key]

    def open_on(self, port: int) -> None:
        self._areas[port] = OpenArea(self._keys)

    def process(self, port: int, batch: Batch) -> Batch:
        if not len(batch):
            return Batch.empty()
        probe = Probe.of(batch, self._keys(batch))
        found = self._routed(port, probe)
        self._areas[port].keep(probe)
        return found

    def _routed(self, port: int, probe: Probe[Batch]) -> Batch:
        """CQELS, Algorithm 1: `route`."""
        flow, left = [port], [n for n in range(len(self._areas)) if n != port]
        while left:
            place = self._next(flow, left, probe)
            flow.append(place)
            left.remove(place)
            found = self._met(flow, probe)
            if not len(found):
                break
            if left:
                probe = Probe.of(found, self._keys(found))
        self._note(tuple(flow))
        return found

    def _next(self, flow: Sequence[int], left: Sequence[int], probe: Probe[Batch]) -> int:
        """CQELS, Algorithm 2: `findNextOp`."""
        if len(left) == 1:
            return left[0]
        every = -(-len(probe.order) // _SAMPLE)
        sample = replace(probe, hashes=probe.hashes[::every], order=probe.order[::every])
        cards = {place: len(self._areas[place]) for place in left}
        return min(left, key=lambda place: (self._partners(flow, place, sample), cards[place]))

    def _partners(self, flow: Sequence[int], place: int, sample: Probe[Batch]) -> int:
        """How many of an input's elements are compatible with those of a sample, and overlap."""
        pairing, found = self._pairing(flow, place), 0
        for match in self._areas[place].matches(sample):
            found += _agreeing(pairing, sample.rows, match)
        return found

    def _met(self, flow: Sequence[int], probe: Probe[Batch]) -> Batch:
        """What the flow has found so far, with its partners in the last of its inputs."""
        matched: list[Matched] = [
            (probe.rows, match.probe, match.rows, match.stored, match.both)
            for match in self._areas[flow[-1]].matches(probe)
        ]
        return self._pairing(flow[:-1], flow[-1]).joined(matched)

    def _pairing(self, flow: Iterable[int], place: int) -> Pairing:
        """All but the key is compared: it may be unbound on the way."""
        known = frozenset().union(*(self._variables[number] for number in flow))
        shared = known & self._variables[place] - {*self._key}
        return Pairing(self._key, tuple(sorted(shared)))

    def _note(self, flow: tuple[int, ...]) -> None:
        """Count flows that are other than the one before, as far as both went."""
        before = self._flows.get(flow[0], flow)
        known = min(len(before), len(flow))
        self._switches += before[:known] != flow[:known]
        self._flows[flow[0]] = flow

    def take_switches(self) -> int:
        switches, self._switches = self._switches, 0
        return switches

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        for area in self._areas:
            area.purge(watermark)
        return Batch.empty(), watermark

    def snapshot(self) -> Saved[Batch]:
        return combine({f"input {n}": area.snapshot() for n, area in enumerate(self._areas)})

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        for number, area in enumerate(self._areas):
            area.restore(manifest[f"input {number}"], fetch)


def _agreeing(pairing: Pairing, rows: Batch, match: Match[Batch]) -> int:
    """How many of the pairs are compatible."""
    if not pairing.maybe:
        return len(match.probe)
    good = np.ones(len(match.probe), np.bool_)
    for variable in pairing.maybe:
        own = rows.column(variable)[match.probe]
        other = match.rows.column(variable)[match.stored]
        good &= (own == other) | (own == 0) | (other == 0)
    return int(good.sum())
