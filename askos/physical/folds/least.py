"""MIN, MAX and SAMPLE."""

from __future__ import annotations

from enum import Enum

import numpy as np

from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids
from askos.columns.least import can_be_least, least
from askos.columns.ranks import ranks
from askos.physical.folds.fold import Fold, Step
from askos.physical.folds.members import VALUE, Members, Valued


class Wanted(Enum):
    """Which of the values."""

    MIN = "min"
    MAX = "max"
    SAMPLE = "sample"
    LATEST = "latest"


class LeastFold(Fold):
    """The least or greatest value of every group, in the total order of terms.

    An error among the values makes MIN and MAX errors, since SPARQL's do not skip them: it comes
    before all values.  SAMPLE skips errors, and so does the latest of arrival times: they come
    after all.

    In memory: the elements that can still become the least, about ln n of n.  Cost: the ranks of
    these and of what starts, two scatters each, and a pass over the slots for each power of two.
    """

    def __init__(self, values: Valued, wanted: Wanted) -> None:
        self._members, self._wanted = Members(values), wanted

    def step(self, step: Step, told: Ids) -> tuple[Ids, Dictionary]:
        left, right = self._members.take(step)
        rows, group, slots = self._members.rows, self._members.group, step.slots
        ids = rows.column(VALUE)
        places, none = self._places(ids, rows.dictionary)
        found = least(left, right, places, len(slots), none)[told]
        values = np.zeros(none + 1, np.int64)  # of nothing, there is none
        values[places] = ids
        live = np.flatnonzero(rows.te > step.cut)
        live = live[can_be_least(group[live], rows.te[live], places[live])]
        self._members.leave(live, rows.te[live])
        return values[found], rows.dictionary

    def _places(self, ids: Ids, dictionary: Dictionary) -> tuple[Ids, int]:
        """Where each value stands, the wanted one first; and a place behind all of them."""
        found, errors = ranks(ids, dictionary), ids == 0  # an error is the least term
        last = int(found.max(initial=0)) + 1
        match self._wanted:
            case Wanted.MAX:
                found = np.where(errors, 0, last - found)
            case Wanted.LATEST:
                found = np.where(errors, last, last - 1 - found)
            case Wanted.SAMPLE:
                found = np.where(errors, last, found)
        return found, last + 1

    def keep(self, groups: Ids, number: Ids) -> None:
        self._members.renumber(number)
