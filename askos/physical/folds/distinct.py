"""COUNT, SUM and AVG of distinct values."""

from __future__ import annotations

import numpy as np

from askos.columns.cover import Cover, cover
from askos.columns.dictionary import Dictionary
from askos.columns.factorize import factorize
from askos.columns.ids import Ids
from askos.physical.folds.adding import AddingFold, Result, Summands, concat, each
from askos.physical.folds.fold import Fold, Step
from askos.physical.folds.members import Members, Valued


class DistinctFold(Fold):
    """A sum over the distinct values of a group: each counts while any element with it is valid.

    In memory: for each group and value until when it counts.  Cost: a sort of these and of what
    starts.
    """

    def __init__(self, values: Valued, summands: Summands, result: Result) -> None:
        self._summands = summands
        self._sum = AddingFold(summands, result)
        self._members = Members(values)

    def step(self, step: Step, told: Ids) -> tuple[Ids, Dictionary]:
        before = len(self._members.rows)
        self._members.take(step)
        group, pieces = self._pieces(step)
        rows = self._members.rows.take(pieces.row)
        new, over = np.flatnonzero(pieces.row >= before), np.flatnonzero(pieces.te < step.cut)
        gained = self._summands(rows.take(new))
        lost = each(self._summands(rows.take(over)), np.negative)
        groups = np.concatenate([group[new], group[over]])
        times = np.concatenate([pieces.ts[new], pieces.te[over]])
        slot = step.slots.at(groups, times)
        found = self._sum.add(step, slot, concat([gained, lost]), told)
        at_cut = np.flatnonzero(pieces.te == step.cut)
        self._sum.lose(group[at_cut], self._summands(rows.take(at_cut)))
        live = np.flatnonzero(pieces.te > step.cut)
        self._members.leave(pieces.row[live], pieces.te[live])
        return found

    def _pieces(self, step: Step) -> tuple[Ids, Cover]:
        """When each value of a group is there, from the last cut on; and the groups.  A piece that
        goes on from before begins with a row from before: these come first."""
        rows, group = self._members.rows, self._members.group
        codes, _ = factorize([group, *rows.columns.values()], len(rows))
        pieces = cover(codes, np.maximum(rows.ts, step.until), rows.te)
        return group[pieces.row], pieces

    def keep(self, groups: Ids, number: Ids) -> None:
        self._sum.keep(groups, number)
        self._members.renumber(number)
