"""Duplicate elimination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from askos.algebra import Distinct
from askos.algebra.operator import Payload
from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.cover import cover
from askos.columns.factorize import factorize
from askos.columns.ids import Ids, Mask
from askos.columns.mark import mark
from askos.columns.segments import changes
from askos.physical.operator import Opened, Operator, Progress
from askos.sweeparea import Fetch, Match, Saved, SweepArea
from askos.sweeparea.runs import Probe
from askos.terms import Variable


class DistinctOperator(Operator):
    """δ: every row once at any instant; snapshot-equivalent to `algebra.Distinct`.

    Streaming SPARQL, section 6, lists it as stateful; Krämer's duplicate elimination.  Of each
    element it emits at once the parts of its interval that nothing emitted covers yet.  Which of
    several copies gives a part depends on which came first; the sum of the parts does not.

    Over a stream S beside static rows G, δ(S ∪ G) = δ(G) ∪ (δ(S) ▷ G): this gives the part of the
    stream, and G is a base, whose own δ is evaluated once.

    State: the emitted pieces that end after the watermark; they are disjoint, so no more than
    the elements.  Cost: a sort of the batch, and per row of it the pieces it meets.
    """

    def __init__(self, plan: Distinct) -> None:
        triples = plan.payload is Payload.TRIPLE
        self._emitted = Emitted(TRIPLE if triples else tuple(sorted(plan.variables)))
        self._base: Opened | None = None

    def rest_on(self, port: int, base: Opened) -> None:
        self._base = base

    def process(self, port: int, batch: Batch) -> Batch:
        return self._emitted.add(batch, self._base)

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        self._emitted.purge(watermark)
        return Batch.empty(), watermark

    def snapshot(self) -> Saved[Batch]:
        return self._emitted.snapshot()

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._emitted.restore(manifest, fetch)


class Emitted(SweepArea[Batch]):
    """What has been emitted of rows, each once at any instant."""

    def __init__(self, columns: Sequence[Variable]) -> None:
        self._columns = columns
        super().__init__(self._row)

    def _row(self, batch: Batch) -> list[Ids]:
        return [batch.column(variable) for variable in self._columns]

    def add(self, batch: Batch, base: Opened | None = None) -> Batch:
        """The parts of rows that nothing covers yet; from now on, these do.  What is in the base is
        there always."""
        batch = batch.project(self._columns)
        if base is not None:
            batch = _new(batch, base)
        batch.meet(batch)  # from here on equal ids are equal terms
        probe = Probe.of(batch, self._row(batch))
        new = self.uncovered(probe)
        if new is None:
            new = self._without_covered(self._once(probe))
        self.keep(new)
        return new.rows

    def _without_covered(self, probe: Probe[Batch]) -> Probe[Batch]:
        matches = list(self.matches(probe))
        return self._chosen(probe, *_uncovered(probe.rows, matches)) if matches else probe

    def _once(self, probe: Probe[Batch]) -> Probe[Batch]:
        """Every row once at any instant: most are alone with their hash."""
        batch = probe.rows
        same = probe.hashes[1:] == probe.hashes[:-1]
        if not same.any():
            return probe
        tied = np.zeros(len(batch), np.bool_)
        tied[1:] = same
        tied[:-1] |= same
        rows, alone = probe.order[tied], probe.order[~tied]
        once = cover(_codes(probe, tied), batch.ts[rows], batch.te[rows])
        return self._chosen(probe, *_joined(batch, alone, rows[once.row], once.ts, once.te))

    def _chosen(self, probe: Probe[Batch], rows: Ids, ts: Ids, te: Ids) -> Probe[Batch]:
        """Some of the rows, on other intervals."""
        batch = probe.rows.take_on(rows, ts, te)
        return Probe.hashed(batch, self._row(batch), probe.by_row[rows])


def _codes(probe: Probe[Batch], tied: Mask) -> Ids:
    """A number for each distinct row of those that share a hash: but for collisions, its hash's."""
    rows, new = probe.order[tied], changes(probe.hashes[tied])
    keys = [key[rows] for key in probe.keys]
    if any((changes(key) & ~new).any() for key in keys):
        return factorize(keys, len(rows))[0]
    return np.cumsum(new) - 1


Parts: TypeAlias = tuple[Ids, Ids, Ids]
"""Rows and intervals."""


def _joined(batch: Batch, whole: Ids, rows: Ids, ts: Ids, te: Ids) -> Parts:
    """Rows as they are, and others on the intervals given."""
    return (
        np.concatenate([whole, rows]),
        np.concatenate([batch.ts[whole], ts]),
        np.concatenate([batch.te[whole], te]),
    )


def _uncovered(batch: Batch, matches: Sequence[Match[Batch]]) -> Parts:
    """The parts of rows that their partners do not cover."""
    met = np.concatenate([match.probe for match in matches])
    ts = np.concatenate([match.rows.ts[match.stored] for match in matches])
    te = np.concatenate([match.rows.te[match.stored] for match in matches])
    alone = np.ones(len(batch), np.bool_)
    alone[met] = False
    touched = np.flatnonzero(~alone)
    if len(touched) == len(met):
        gaps = _beside(batch, met, ts, te)
    else:
        parts = mark(touched, batch.ts[touched], batch.te[touched], cover(met, ts, te))
        free = np.flatnonzero(~parts.inside)
        gaps = touched[parts.row[free]], parts.ts[free], parts.te[free]
    return _joined(batch, np.flatnonzero(alone), *gaps)


def _beside(batch: Batch, rows: Ids, ts: Ids, te: Ids) -> Parts:
    """What lies before and after the one piece that covers a part of each row."""
    starts, ends = batch.ts[rows], batch.te[rows]
    before, after = np.flatnonzero(starts < ts), np.flatnonzero(te < ends)
    return (
        np.concatenate([rows[before], rows[after]]),
        np.concatenate([starts[before], te[after]]),
        np.concatenate([ts[before], ends[after]]),
    )


def _new(batch: Batch, base: Opened) -> Batch:
    """What is not there always."""
    new = np.ones(len(batch), np.bool_)
    for match in base().query(batch):
        new[match.probe] = False
    return batch.where(new)
