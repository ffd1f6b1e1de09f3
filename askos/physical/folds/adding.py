"""COUNT, SUM and AVG: what elements add when they start, and take away when they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from askos.columns.batch import Batch
from askos.columns.dictionary import Dictionary
from askos.columns.ids import Ids
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
        self._summands, self._result = summands, result
        self._held: Column | None = None
        self._now: Column | None = None

    def step(self, step: Step, told: Ids) -> tuple[Ids, Dictionary]:
        groups = np.concatenate([step.started_group, step.ended_group])
        times = np.concatenate([step.started.ts, step.ended.te])
        gained = self._summands(step.started)
        lost = each(self._summands(step.ended), np.negative)
        return self.add(step, groups, times, concat([gained, lost]), told)

    def add(
        self, step: Step, groups: Ids, times: Ids, gained: Column, told: Ids
    ) -> tuple[Ids, Dictionary]:
        """The sums, where groups gain something at some times."""
        slots, parts, at = step.slots, [gained], [step.slots.at(groups, times)]
        if self._held is not None:
            parts.append(self._held)
            at.append(slots.first[: length(self._held)])
        where = np.concatenate(at)
        sums = each(concat(parts), lambda column: slots.summed(where, column))
        self._now = each(sums, lambda column: column[slots.last])
        return self._result(each(sums, lambda column: column[told]))

    def lose(self, groups: Ids, lost: Column) -> None:
        """What groups lose at the cut itself."""
        assert self._now is not None
        count = length(self._now)

        def scattered(column: Any) -> Any:
            total = np.zeros(count, column.dtype)
            np.subtract.at(total, groups, column)
            return total

        total = concat([self._now, each(lost, scattered)])
        self._now = each(total, lambda column: column[:count] + column[count:])

    def keep(self, groups: Ids, number: Ids) -> None:
        self._held = None if self._now is None else each(self._now, lambda column: column[groups])


def each(column: Column, change: Callable[[Any], Any]) -> Column:
    """The same change to all that adds up: one that commutes with addition."""
    return column.each(change) if isinstance(column, Sums) else change(column)


def concat(columns: Sequence[Column]) -> Column:
    """One after the other."""
    if isinstance(columns[0], Sums):
        return Sums.concat([column for column in columns if isinstance(column, Sums)])
    return np.concatenate([column for column in columns if not isinstance(column, Sums)])


def length(column: Column) -> int:
    """Of how many groups or elements these are sums."""
    return len(column)
