"""Bags of solutions as tables: a column of term ids for each variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from askos.columns.keys import Index
from askos.static.interning import UNBOUND
from askos.terms import Variable

Ids: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Bound: TypeAlias = tuple[bool, ...]
Row: TypeAlias = tuple[int, ...]
Env: TypeAlias = Mapping[Variable, int]
"""Bindings from outside EXISTS, by which its pattern is evaluated."""

NO_ENV: Final[Env] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A bag of solutions: `size` rows, one for each copy, UNBOUND where it does not bind a column.

    `optional` are the columns in which UNBOUND may occur: the others are keys of a join.  `ranks`,
    if any, are the rows' places under an ORDER BY below, a column for each of its keys.  Indexes of
    the rows are kept: a part of EXISTS may be joined anew for every solution.
    """

    columns: tuple[Variable, ...]
    ids: tuple[Ids, ...]
    size: int
    optional: frozenset[Variable] = frozenset()
    ranks: tuple[Ids, ...] | None = None
    _kept: dict[object, Any] = field(default_factory=dict, init=False, repr=False)
    _places: dict[Variable, int] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(cls, columns: tuple[Variable, ...], rows: Sequence[Row]) -> Table:
        """A table of rows; what none of them leaves unbound is certain."""
        ids = np.array(rows, np.int64).reshape(len(rows), len(columns)).T
        return cls(columns, tuple(ids), len(rows), unbound(columns, ids))

    def widened(
        self,
        new: tuple[Variable, ...],
        ids: Iterable[Ids],
        size: int,
        optional: frozenset[Variable],
    ) -> Table:
        """A table with these columns after those of this one, which tells the new one where they
        are: in a join of thousands, no table looks through all of them."""
        wide, places, width = (
            Table(self.columns + new, tuple(ids), size, optional),
            self._places,
            self.width,
        )
        if not width or len(places) != width:  # nothing to share, or shared with another already
            places = dict(zip(self.columns, count()))
        places.update(zip(new, count(width)))
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

    def column(self, variable: Variable) -> Ids:
        """The ids of a column; UNBOUND throughout where there is none."""
        place = self.place(variable)
        return np.zeros(self.size, np.int64) if place is None else self.ids[place]

    def binds(self, variable: Variable) -> bool:
        """Whether every row binds it."""
        return self.place(variable) is not None and variable not in self.optional

    # ---- rows ---------------------------------------------------------------------------

    def take(self, rows: Ids) -> Table:
        """These rows, in this order; they keep their ranks."""
        ids = tuple([column[rows] for column in self.ids])
        ranks = None if self.ranks is None else tuple([rank[rows] for rank in self.ranks])
        return Table(self.columns, ids, len(rows), self.optional, ranks)

    def where(self, keep: Mask) -> Table:
        """The rows for which `keep` is true; without ranks."""
        return self.without_ranks().take(np.flatnonzero(keep))

    def project(self, columns: Iterable[Variable]) -> Table:
        """These columns alone, as far as there are any; every copy stays, and so do ranks."""
        found = [(column, self.place(column)) for column in columns]
        kept = tuple(column for column, place in found if place is not None)
        if kept == self.columns:
            return self
        ids = tuple(self.ids[place] for _, place in found if place is not None)
        return Table(kept, ids, self.size, self.optional & set(kept), self.ranks)

    def with_column(self, variable: Variable, ids: Ids) -> Table:
        """One more column; without ranks."""
        optional = self.optional | unbound((variable,), (ids,))
        return Table((*self.columns, variable), (*self.ids, ids), self.size, optional)

    def without_ranks(self) -> Table:
        """The same rows in no order."""
        return self if self.ranks is None else replace(self, ranks=None)

    # ---- what rows bind -----------------------------------------------------------------

    def parts(self, places: Sequence[int]) -> Mapping[Bound, Ids]:
        """The rows by which of the columns at `places` they bind; the parts are kept."""
        key = tuple(places)
        if key not in self._kept:
            self._kept[key] = _parts([self.ids[place] for place in places], self.size)
        parts: Mapping[Bound, Ids] = self._kept[key]
        return parts

    def index(self, places: Sequence[int], bound: Bound, key: Sequence[int]) -> Index:
        """One of these parts by the columns at `key`; the index is kept."""
        name = tuple(places), bound, tuple(key)
        if name not in self._kept:
            rows = self.parts(places)[bound]
            self._kept[name] = Index.of([self.ids[at][rows] for at in key], len(rows))
        index: Index = self._kept[name]
        return index


ONE_EMPTY_ROW: Final = Table((), (), 1)
NOTHING: Final = Table((), (), 0)


def together(tables: Sequence[Table]) -> Table:
    """All rows of some tables, UNBOUND where one has no such column; without ranks."""
    if len(tables) == 1:
        return tables[0].without_ranks()
    columns = tuple(dict.fromkeys(column for table in tables for column in table.columns))
    ids = [np.concatenate([table.column(column) for table in tables]) for column in columns]
    unsure = [column for column in columns if not all(table.binds(column) for table in tables)]
    return Table(columns, tuple(ids), sum(table.size for table in tables), frozenset(unsure))


def unbound(columns: Sequence[Variable], ids: Iterable[Ids]) -> frozenset[Variable]:
    """The columns that some row leaves unbound."""
    pairs = zip(columns, ids, strict=True)
    return frozenset(column for column, values in pairs if not values.all())


def _parts(columns: Sequence[Ids], size: int) -> Mapping[Bound, Ids]:
    if not size:
        return {}
    parts: dict[Bound, Ids] = {(): np.arange(size)}
    for column in columns:
        bound = column != UNBOUND
        halves = {
            (*before, value): rows[bound[rows] == value]
            for before, rows in parts.items()
            for value in (True, False)
        }
        parts = {key: rows for key, rows in halves.items() if len(rows)}
    return parts
