"""Duplicate elimination."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from askos.algebra import Distinct
from askos.algebra.operator import Payload
from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.cover import as_set, cover
from askos.columns.ids import Ids
from askos.columns.mark import mark
from askos.physical.operator import Opened, Operator, Progress
from askos.sweeparea import Fetch, Saved, SweepArea
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
        batch = as_set(batch, self._columns)
        if base is not None:
            batch = _new(batch, base)
        found = [
            (match.probe, match.rows.ts[match.stored], match.rows.te[match.stored])
            for match in self.query(batch)
        ]
        if found:
            covered = cover(*(np.concatenate(column) for column in zip(*found, strict=True)))
            parts = mark(np.arange(len(batch)), batch.ts, batch.te, covered)
            batch = parts.of(batch, ~parts.inside)
        self.insert(batch)
        return batch


def _new(batch: Batch, base: Opened) -> Batch:
    """What is not there always."""
    new = np.ones(len(batch), np.bool_)
    for match in base().query(batch):
        new[match.probe] = False
    return batch.where(new)
