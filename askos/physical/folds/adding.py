"""COUNT, SUM and AVG: what elements add when they start, and take away when they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np

from askos.columns.batch import Batch
from askos.columns.dictionary import Dictionary
from askos.columns.ids import INTEGER, Ids, pack
from askos.columns.sums import Sums
from askos.physical.folds.fold import Fold, Step

Column: TypeAlias = Ids | Sums
"""What adds up: counts, or sums of numbers."""
Summands: TypeAlias = Callable[[Batch], Column]
Result: TypeAlias = Callable[[Any], tuple[Ids, Dictionary]]


class AddingFold(Fold):
    """A sum that follows elements in and out; exact, so that what leaves leaves no trace.

    Krämer's aggregation.  In memory: a sum for each group.  Cost: what starts and ends.
    """

    def __init__(self, summands: Summands, result: Result) -> None:
        self._summands, self.result = summands, result
        self._held: Column | None = None
        self._now: Column | None = None
        self.told: Column | None = None  # the sums of the last step

    def step(self, step: Step, told: Ids) -> tuple[Ids, Dictionary]:
        signs = step.signs
        gained = each(self._summands(step.moved), lambda column: column * signs)
        return self.add(step, step.slot, gained, told)

    def add(self, step: Step, slot: Ids, gained: Column, told: Ids) -> tuple[Ids, Dictionary]:
        """The sums, where groups gain something from some slots on."""
        slots = step.slots
        if self._held is None:
            sums = each(gained, lambda column: slots.summed(slot, column))
        else:
            where = np.concatenate([slots.first[: len(self._held)], slot])
            both = concat([self._held, gained])
            sums = each(both, lambda column: slots.summed(where, column))
        self._now = each(sums, lambda column: column[slots.last])
        self.told = sums if len(told) == len(sums) else each(sums, itemgetter(told))
        return self.result(self.told)

    def lose(self, groups: Ids, lost: Column) -> None:
        """What groups lose at the cut itself."""
        assert self._now is not None
        count = len(self._now)

        def scattered(column: Any) -> Any:
            total = np.zeros(count, column.dtype)
            np.subtract.at(total, groups, column)
            return total

        total = concat([self._now, each(lost, scattered)])
        self._now = each(total, lambda column: column[:count] + column[count:])

    def keep(self, groups: Ids, number: Ids) -> None:
        self._held = None if self._now is None else each(self._now, lambda column: column[groups])


class SameSumFold(Fold):
    """What else the sums of another fold are worth: AVG beside SUM.  That one comes before it."""

    def __init__(self, fold: AddingFold, result: Result) -> None:
        self._fold, self._result = fold, result

    def step(self, step: Step, told: Ids) -> tuple[Ids, Dictionary]:
        return self._result(self._fold.told)

    def keep(self, groups: Ids, number: Ids) -> None:
        pass


class CountFold(Fold):
    """COUNT(*): how many elements a group has, which it knows anyway."""

    def step(self, step: Step, told: Ids) -> tuple[Ids, Dictionary]:
        return pack(INTEGER, 0, step.size[told]), Dictionary()

    def keep(self, groups: Ids, number: Ids) -> None:
        pass


def each(column: Column, change: Callable[[Any], Any]) -> Column:
    """The same change to all that adds up: one that commutes with addition."""
    return column.each(change) if isinstance(column, Sums) else change(column)


def concat(columns: Sequence[Column]) -> Column:
    """One after the other."""
    if isinstance(columns[0], Sums):
        return Sums.concat([column for column in columns if isinstance(column, Sums)])
    return np.concatenate([column for column in columns if not isinstance(column, Sums)])
