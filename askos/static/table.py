"""Bags of solutions as tables of term ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Final, TypeAlias

from askos.static.interning import UNBOUND
from askos.terms import Variable

Row: TypeAlias = tuple[int, ...]
Rank: TypeAlias = tuple[int, ...]
Env: TypeAlias = Mapping[Variable, int]
"""Bindings from outside EXISTS, by which its pattern is evaluated."""

NO_ENV: Final[Env] = {}


@dataclass(frozen=True, slots=True)
class Table:
    """A bag of solutions: a row for each copy, UNBOUND where it does not bind a column.

    `optional` are the columns in which UNBOUND may occur: the others can be hashed in a join.
    `ranks`, if any, are the rows' places under an ORDER BY below.
    """

    columns: tuple[Variable, ...]
    rows: Sequence[Row]
    optional: frozenset[Variable] = frozenset()
    ranks: Sequence[Rank] | None = None

    @property
    def certain(self) -> frozenset[Variable]:
        """The columns that every row binds."""
        return frozenset(self.columns) - self.optional

    def place(self, variable: Variable) -> int | None:
        """The index of a column."""
        return self.columns.index(variable) if variable in self.columns else None

    def where(self, keep: Callable[[Row], bool]) -> Table:
        """The rows that `keep` agrees to; without ranks."""
        return replace(self, rows=[row for row in self.rows if keep(row)], ranks=None)

    def project(self, columns: Iterable[Variable]) -> Table:
        """These columns alone, as far as there are any; every copy stays, and so do ranks."""
        kept = tuple(column for column in columns if column in self.columns)
        if kept == self.columns:
            return self
        pick = picker([self.columns.index(column) for column in kept])
        return Table(kept, list(map(pick, self.rows)), self.optional & set(kept), self.ranks)

    def aligned(self, columns: tuple[Variable, ...]) -> list[Row]:
        """The rows over `columns`, UNBOUND where this table has no such column."""
        if columns == self.columns:
            return list(self.rows)
        pick = picker([self.columns.index(c) if c in self.columns else -1 for c in columns])
        return [pick((*row, UNBOUND)) for row in self.rows]


ONE_EMPTY_ROW: Final = Table((), ((),))
NOTHING: Final = Table((), ())


def picker(indices: Sequence[int]) -> Callable[[Row], Row]:
    """The function that takes the members at `indices` out of a row."""
    match indices:
        case []:
            return lambda row: ()
        case [index]:
            return lambda row: (row[index],)
    if list(indices) == list(range(len(indices))):
        end = len(indices)
        return lambda row: row[:end]
    return itemgetter(*indices)


def masks(rows: Iterable[Row], indices: Sequence[int]) -> dict[tuple[bool, ...], list[Row]]:
    """The rows by which of the members at `indices` they bind."""
    parts: dict[tuple[bool, ...], list[Row]] = {}
    for row in rows:
        parts.setdefault(tuple([row[i] != UNBOUND for i in indices]), []).append(row)
    return parts
