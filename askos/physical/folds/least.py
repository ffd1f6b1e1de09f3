"""MIN, MAX and SAMPLE."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

import numpy as np

from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids
from askos.columns.least import can_be_least, least
from askos.columns.ranks import ranks, span
from askos.physical.folds.fold import Fold, Step
from askos.physical.folds.members import VALUE, Members, Valued


class Wanted(Enum):
    """Which of the values."""

    MIN = "min"
    MAX = "max"
    SAMPLE = "sample"
    LATEST = "latest"


@dataclass(frozen=True, slots=True, eq=False)
class _Ranks:
    """Where each id stands, and a place behind all of them."""

    ids: Ids
    places: Ids
    none: int

    def values(self, places: Ids) -> Ids:
        """The ids that stand there; of nothing, there is none."""
        known = np.zeros(self.none + 1, np.int64)
        known[self.places] = self.ids
        return known[places]


@dataclass(frozen=True, slots=True, eq=False)
class _Sizes:
    """The same of ids that order as their numbers do, or the other way round: how far they are from
    the first, or from the last."""

    first: int
    last: int
    ids: Ids
    down: bool

    @property
    def none(self) -> int:
        return self.last - self.first + 1

    @property
    def places(self) -> Ids:
        return self.last - self.ids if self.down else self.ids - self.first

    def values(self, places: Ids) -> Ids:
        """As `_Ranks` has them."""
        found = self.last - places if self.down else self.first + places
        return np.where(places == self.none, 0, found)


_Placed: TypeAlias = _Ranks | _Sizes


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
        self._members.take(step)
        rows, group, slots = self._members.rows, self._members.group, step.slots
        placed = self._placed(rows.column(VALUE), rows.dictionary)
        places = placed.places
        left, right = slots.ranges(group, rows.te, step.slot[: step.begun], step.cut)
        found = least(left, right, places, len(slots), placed.none)
        if len(told) < len(found):
            found = found[told]
        live = can_be_least(group, rows.te, places, step.cut).nonzero()[0]
        self._members.leave(live, rows.te[live])
        return placed.values(found), rows.dictionary

    def _placed(self, ids: Ids, dictionary: Dictionary) -> _Placed:
        """Where each value stands, the wanted one first."""
        ends = span(ids)
        if ends is not None:  # then none is an error
            return _Sizes(*ends, ids, down=self._wanted in (Wanted.MAX, Wanted.LATEST))
        found, errors = ranks(ids, dictionary), ids == 0  # an error is the least term
        last = int(found.max(initial=0)) + 1
        match self._wanted:
            case Wanted.MAX:
                found = np.where(errors, 0, last - found)
            case Wanted.LATEST:
                found = np.where(errors, last, last - 1 - found)
            case Wanted.SAMPLE:
                found = np.where(errors, last, found)
        return _Ranks(ids, found, last + 1)

    def keep(self, groups: Ids, number: Ids) -> None:
        self._members.renumber(number)
