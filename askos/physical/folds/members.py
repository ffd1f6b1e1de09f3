"""Elements of groups, as the values that an aggregate is made of."""

from __future__ import annotations

from collections.abc import Callable
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

    def take(self, step: Step) -> None:
        """Those that start join them, behind those that are there."""
        started = self._values(step.started)
        self.rows.meet(started)
        self.group = np.concatenate([self.group, step.group[: step.begun]])
        self.rows = Batch.concat([self.rows, started])

    def leave(self, kept: Ids, te: Ids) -> None:
        """Only these go on, each until another end."""
        self.group = self.group[kept]
        self.rows = self.rows.take_on(kept, self.rows.ts[kept], te).compact()

    def renumber(self, number: Ids) -> None:
        """Groups have other numbers from now on."""
        self.group = number[self.group]
