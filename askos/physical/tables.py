"""Tables: the parts of a plan that read no stream."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from askos.columns.batch import Batch
from askos.columns.ids import Ids
from askos.sweeparea import Base
from askos.terms import Variable

FIRST = ""
"""The version of a table that a query began with."""


class Tables(Protocol):
    """The tables of a plan, by number; of one that may be reloaded also later versions."""

    def __call__(self, number: int, version: str = FIRST) -> Base[Batch]:
        """The rows, by their key."""


def no_tables(number: int, version: str = FIRST) -> Base[Batch]:
    """Of a plan that has none."""
    raise TypeError(f"there is no table {number}")


def by(key: Sequence[Variable]) -> Callable[[Batch], list[Ids]]:
    """The columns by which a table is probed."""
    return lambda batch: [batch.column(variable) for variable in key]
