"""Elements of groups, as the values that an aggregate is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np

from askos.columns.batch import Batch
from askos.columns.ids import Ids
from askos.physical.folds.fold import Step
from askos.terms import Variable

VALUE: Final = Variable(" value")
"""The column of values; 0 where an expression has none."""

Valued: TypeAlias = Callable[[Batch], Batch]
"""The values of elements as columns, with their intervals."""


class Members:
    """Elements of groups, as values: those that are valid at the cut stay, in memory."""

    def __init__(self, values: Valued) -> None:
        self._values = values
        self.rows = Batch.empty()
        self.group: Ids = np.empty(0, np.int64)

    def take(self, step: Step) -> tuple[Ids, Ids]:
        """Those that start join them; the slots that each has in the step, from one to another."""
        started = self._values(step.started)
        left = np.concatenate([step.slots.first[self.group], step.slot[: step.begun]])
        self.rows.meet(started)
        self.group = np.concatenate([self.group, step.group[: step.begun]])
        self.rows = Batch.concat([self.rows, started])
        right = step.slots.last[self.group] + 1
        ended = np.flatnonzero(self.rows.te < step.cut)
        if len(ended):
            right[ended] = step.slots.at(self.group[ended], self.rows.te[ended])
        return left, right

    def leave(self, kept: Ids, te: Ids) -> None:
        """Only these go on, each until another end."""
        self.group = self.group[kept]
        rows = self.rows.take(kept)
        self.rows = replace(rows, te=te).compact()

    def renumber(self, number: Ids) -> None:
        """Groups have other numbers from now on."""
        self.group = number[self.group]
