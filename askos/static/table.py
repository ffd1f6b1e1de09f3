"""Bags of solutions as tables of term ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from operator import itemgetter
from typing import Any, Final, TypeAlias

from askos.static.interning import UNBOUND
from askos.terms import Variable

Row: TypeAlias = tuple[int, ...]
Mask: TypeAlias = tuple[bool, ...]
Rank: TypeAlias = tuple[int, ...]
Env: TypeAlias = Mapping[Variable, int]
"""Bindings from outside EXISTS, by which its pattern is evaluated."""

NO_ENV: Final[Env] = {}


@dataclass(frozen=True, slots=True)
class Table:
    """A bag of solutions: a row for each copy, UNBOUND where it does not bind a column.

    `optional` are the columns in which UNBOUND may occur: the others can be hashed in a join.
    `ranks`, if any, are the rows' places under an ORDER BY below.  Hash tables of the rows are
    kept: a part of EXISTS may be joined anew for every solution.
    """

    columns: tuple[Variable, ...]
    rows: Sequence[Row]
    optional: frozenset[Variable] = frozenset()
    ranks: Sequence[Rank] | None = None
    _kept: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    _places: dict[Variable, int] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def widened(
        self, columns: tuple[Variable, ...], rows: Sequence[Row], optional: frozenset[Variable]
    ) -> Table:
        """A table with these columns after those of this one, which tells the new one where they
        are: in a join of thousands, no table looks through all of them."""
        wide, places, width = (
            Table(self.columns + columns, rows, optional),
            self._places,
            self.width,
        )
        if not width or len(places) != width:  # nothing to share, or shared with another already
            places = dict(zip(self.columns, count()))
        places.update(zip(columns, count(width)))
        object.__setattr__(wide, "_places", places)
        return wide

    @property
    def width(self) -> int:
        """The number of columns."""
        return len(self.columns)

    @property
    def certain(self) -> frozenset[Variable]:
        """The columns that every row binds."""
        return frozenset(self.columns) - self.optional

    def place(self, variable: Variable) -> int | None:
        """The index of a column."""
        if len(self._places) < self.width:
            self._places.update(zip(self.columns, count()))
        place = self._places.get(variable)
        # A wider table may have added its own.
        return place if place is not None and place < self.width else None

    def binds(self, variable: Variable) -> bool:
        """Whether every row binds it."""
        return self.place(variable) is not None and variable not in self.optional

    def where(self, keep: Callable[[Row], bool]) -> Table:
        """The rows that `keep` agrees to; without ranks."""
        return replace(self, rows=[row for row in self.rows if keep(row)], ranks=None)

    def project(self, columns: Iterable[Variable]) -> Table:
        """These columns alone, as far as there are any; every copy stays, and so do ranks."""
        found = [(column, self.place(column)) for column in columns]
        kept = tuple(column for column, place in found if place is not None)
        if kept == self.columns:
            return self
        pick = picker([place for _, place in found if place is not None])
        return Table(kept, list(map(pick, self.rows)), self.optional & set(kept), self.ranks)

    def parts(self, indices: Sequence[int]) -> dict[Mask, list[Row]]:
        """The rows by which of the members at `indices` they bind; the parts are kept."""
        key = tuple(indices)
        if key not in self._kept:
            self._kept[key] = masks(self.rows, indices)
        parts: dict[Mask, list[Row]] = self._kept[key]
        return parts

    def hashed(
        self, indices: Sequence[int], mask: Mask, key: Sequence[int]
    ) -> dict[Row, list[Row]]:
        """One of these parts, by the members at `key`; the hash table is kept."""
        name = (tuple(indices), mask, tuple(key))
        if name not in self._kept:
            self._kept[name] = _hashed(self.parts(indices)[mask], picker(key))
        table: dict[Row, list[Row]] = self._kept[name]
        return table

    def aligned(self, columns: tuple[Variable, ...]) -> list[Row]:
        """The rows over `columns`, UNBOUND where this table has no such column."""
        if columns == self.columns:
            return list(self.rows)
        places = map(self.place, columns)
        pick = picker([-1 if place is None else place for place in places])
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


def masks(rows: Sequence[Row], indices: Sequence[int]) -> dict[Mask, list[Row]]:
    """The rows by which of the members at `indices` they bind."""
    if not indices:
        return {(): list(rows)} if rows else {}
    parts: dict[Mask, list[Row]] = {}
    for row in rows:
        parts.setdefault(tuple([row[i] != UNBOUND for i in indices]), []).append(row)
    return parts


def _hashed(rows: Sequence[Row], key: Callable[[Row], Row]) -> dict[Row, list[Row]]:
    table: dict[Row, list[Row]] = {}
    for row in rows:
        table.setdefault(key(row), []).append(row)
    return table
