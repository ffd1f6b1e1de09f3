"""C-SPARQL's AGGREGATE."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from askos.algebra import AggregateClauses, Clause, Ref
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.expressions import compile_value
from askos.columns.factorize import factorize
from askos.columns.segments import numbered, search
from askos.physical.cut import Cut
from askos.physical.folds import compile_fold
from askos.physical.groups import Groups
from askos.physical.operator import Operator, Progress, combine
from askos.physical.passing import Passing
from askos.sweeparea import Fetch, Saved


class AggregateClausesOperator(Operator):
    """Every element with the aggregates of its groups, cut where one of these changes; snapshot-
    equivalent to `algebra.AggregateClauses`.

    C-SPARQL 2010, section 3.1; the groups are those of `GroupOperator`.  All clauses see the same
    elements.

    State: elements that start at or after the cut, and those that end at or after it.  Cost: that
    of the groups, and every element once for each piece of its group that it meets: a change of a
    group is a change of all its elements.
    """

    def __init__(self, plan: AggregateClauses, coder: Coder, cut: Cut) -> None:
        self._clauses, self._coder, self._cut = plan.clauses, coder, cut
        self._until = 0
        self._passing = Passing()
        self._groups: list[Groups] | None = None

    def process(self, port: int, batch: Batch) -> Batch:
        self._passing.insert(batch)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        before = self._passing.live()
        started, ended = self._passing.step(cut)
        rows = Batch.concat([before, started])
        new = rows if self._groups is None else started
        self._groups = self._groups or [_groups(clause, self._coder) for clause in self._clauses]
        found = rows.with_interval(np.maximum(rows.ts, self._until), np.minimum(rows.te, cut))
        for clause, groups in zip(self._clauses, self._groups, strict=True):
            found = _extended(found, clause, groups.step(new, ended, self._until, cut))
        self._until = cut
        return found.sorted(), cut

    def snapshot(self) -> Saved[Batch]:
        return combine(self._passing.snapshot(), until=self._until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._passing.restore(manifest, fetch)
        self._until = manifest["until"]
        self._groups = None


def _groups(clause: Clause, coder: Coder) -> Groups:
    keys = {variable: compile_value(Ref(variable), coder) for variable in clause.by}
    return Groups(keys, {clause.variable: compile_fold(clause.aggregate, coder)})


def _extended(rows: Batch, clause: Clause, pieces: Batch) -> Batch:
    """Each row with the value of its group, which has one all the while that the row is valid."""
    both = [np.concatenate([pieces.column(v), rows.column(v)]) for v in clause.by]
    codes, _ = factorize(both, len(pieces) + len(rows))
    groups, group = codes[: len(pieces)], codes[len(pieces) :]
    low = search(groups, pieces.te, group, rows.ts, "right")
    high = search(groups, pieces.ts, group, rows.te, "left")
    row, place = numbered(high - low)
    piece = low[row] + place
    found = rows.take(row)
    return replace(
        found,
        columns={**found.columns, clause.variable: pieces.column(clause.variable)[piece]},
        ts=np.maximum(found.ts, pieces.ts[piece]),
        te=np.minimum(found.te, pieces.te[piece]),
        dictionary=found.dictionary | pieces.dictionary,
    )
