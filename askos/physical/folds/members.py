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

    def take(self, step: Step) -> int:
        """Those that start join them; how many were here before."""
        before = len(self.rows)
        started = self._values(step.started)
        self.rows.meet(started)
        self.group = np.concatenate([self.group, step.group[: step.begun]])
        self.rows = Batch.concat([self.rows, started])
        return before

    def leave(self, kept: Ids, te: Ids) -> None:
        """Only these go on, each until another end."""
        self.group = self.group[kept]
        rows = self.rows.take(kept)
        self.rows = replace(rows, te=te).compact()

    def renumber(self, number: Ids) -> None:
        """Groups have other numbers from now on."""
        self.group = number[self.group]
