"""Telling equal solutions apart."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from askos.algebra import CopyNumber
from askos.columns.batch import Batch
from askos.columns.factorize import factorize
from askos.columns.hidden import numbers
from askos.columns.ids import Ids
from askos.columns.layers import layers
from askos.physical.operator import Operator, Progress
from askos.sweeparea import Fetch, Saved, SweepArea


class CopyNumberOperator(Operator):
    """Copy j of a solution, valid exactly while there are more than j copies of it; snapshot-
    equivalent to `algebra.CopyNumber`, where no arrival times order the copies.

    Not in the papers: δ for all copies, where δ gives the first.  A new element adds one copy
    wherever it is valid, with the number of those that are there already; nothing that was emitted
    is ever taken back.

    State: the elements that end after the watermark.  Cost: a sort of the batch, and of the
    elements with equal solutions that it meets.
    """

    def __init__(self, plan: CopyNumber) -> None:
        self._variable = plan.variable
        self._columns = tuple(sorted(plan.input.variables))
        self._elements = SweepArea[Batch](self._keys)

    def _keys(self, batch: Batch) -> list[Ids]:
        return [batch.column(variable) for variable in self._columns]

    def process(self, port: int, batch: Batch) -> Batch:
        batch = batch.project(self._columns)
        batch.meet(batch)
        codes, _ = factorize(self._keys(batch), len(batch))
        group, ts, te = self._known(batch, codes)
        copies = layers((group, ts, te), (codes, batch.ts, batch.te))
        self._elements.insert(batch)
        rows = batch.take(copies.row)
        columns = {**rows.columns, self._variable: numbers(copies.number)}
        return replace(rows, columns=columns, ts=copies.ts, te=copies.te)

    def _known(self, batch: Batch, codes: Ids) -> tuple[Ids, Ids, Ids]:
        """Solution, start and end of the stored elements that the batch meets, each once."""
        found = [np.empty((3, 0), np.int64)]
        for match in self._elements.query(batch):
            stored, first = np.unique(match.stored, return_index=True)
            group = codes[match.probe[first]]
            found.append(np.stack([group, match.rows.ts[stored], match.rows.te[stored]]))
        group, ts, te = np.concatenate(found, axis=1)
        return group, ts, te

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        self._elements.purge(watermark)
        return Batch.empty(), watermark

    def snapshot(self) -> Saved[Batch]:
        return self._elements.snapshot()

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._elements.restore(manifest, fetch)
