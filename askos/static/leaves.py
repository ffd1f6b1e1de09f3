"""Leaves of a join: how a pattern or path extends rows by what it matches, through an index.

The orders of a graph are the indexes of an equi-join, built once for all queries: so a table is
joined to a leaf by looking up all its rows at once, and a leaf alone is the same from one row that
binds nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from askos.algebra.operators.pattern import Position
from askos.columns.keys import Known
from askos.static.graph import StaticGraph
from askos.static.interning import UNBOUND
from askos.static.table import Ids, Table, together
from askos.terms import Variable

BLOCK: Final = 64
"""Rows to begin with where few solutions are enough."""


def doubling(size: int) -> Iterator[slice]:
    """All places up to `size`, some, then twice as many, and so on."""
    start, length = 0, BLOCK
    while start < size:
        yield slice(start, min(start + length, size))
        start, length = start + length, 2 * length


@dataclass(frozen=True, slots=True)
class Leaf(ABC):
    """A pattern or a path over the triples of some graphs; of several, their bag."""

    positions: tuple[Position, ...]
    ids: tuple[int, ...]  # of the positions, UNBOUND for a variable
    graphs: tuple[StaticGraph, ...]

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables it binds."""
        return frozenset(p for p in self.positions if isinstance(p, Variable))

    @abstractmethod
    def extend(self, known: Sequence[Known | None], count: int) -> tuple[Ids, list[Ids]]:
        """For `count` rows with the terms known at each position, None where they are to be found:
        the row of each match, and the terms found for it, position by position."""

    @abstractmethod
    def estimate(self, bound: frozenset[Variable] = frozenset()) -> float:
        """How many matches to expect for one binding of the variables `bound`."""

    def join(self, table: Table) -> Table:
        """`table` ⋈ this leaf."""
        named = (p for p in self.positions if isinstance(p, Variable))
        own = {v: table.place(v) for v in named}
        new = tuple(v for v, place in own.items() if place is None)
        unsure = {v: at for v, at in own.items() if at is not None and v in table.optional}
        if not unsure:
            return self._joined(table, frozenset(), new)
        parts = list[Table]()
        for bound, rows in table.parts(list(unsure.values())).items():
            free = frozenset(v for v, is_bound in zip(unsure, bound, strict=True) if not is_bound)
            parts.append(self._joined(table.take(rows), free, new))
        return together(parts) if parts else self._joined(table, frozenset(), new)

    def blocks(self, table: Table) -> Iterator[Table]:
        """`table` ⋈ this leaf, some rows, then twice as many, and so on: for who needs but few."""
        joined = self.join(table)
        return (
            joined.take(np.arange(*some.indices(joined.size))) for some in doubling(joined.size)
        )

    def _joined(self, table: Table, free: frozenset[Variable], new: tuple[Variable, ...]) -> Table:
        """The rows of `table`, which leave those in `free` unbound, with the columns `new`."""
        known = [self._known(place, table, free) for place in range(len(self.positions))]
        rows, columns = self.extend(known, table.size)
        names = [p for p, value in zip(self.positions, known, strict=True) if value is None]
        found = dict(zip(reversed(names), reversed(columns), strict=True))
        if len(found) < len(names):
            agree = _agreeing(names, columns, found)
            rows, found = rows[agree], {v: column[agree] for v, column in found.items()}
        mine = zip(table.columns, table.ids, strict=True)
        ids = [found[v] if v in free else column[rows] for v, column in mine]
        optional = table.optional - self.variables
        return table.widened(new, [*ids, *(found[v] for v in new)], len(rows), optional)

    def _known(self, place: int, table: Table, free: frozenset[Variable]) -> Known | None:
        position = self.positions[place]
        if not isinstance(position, Variable):
            return self.ids[place]
        column = None if position in free else table.place(position)
        if column is None:
            return None
        return int(table.ids[column][0]) if table.size == 1 else table.ids[column]


def _agreeing(names: Iterable[Position], columns: Iterable[Ids], found: dict[Position, Ids]) -> Ids:
    """The rows in which a variable found twice has one value."""
    same = [column == found[name] for name, column in zip(names, columns, strict=True)]
    return np.flatnonzero(np.logical_and.reduce(same))


@dataclass(frozen=True, slots=True)
class PatternLeaf(Leaf):
    """ν: a triple pattern, by the order that starts with the positions known; of the matches of a
    row, those `within` some places."""

    within: slice | None = None

    def extend(self, known: Sequence[Known | None], count: int) -> tuple[Ids, list[Ids]]:
        parts = [graph.match(known, count, self.within) for graph in self.graphs]
        if len(parts) == 1:
            return parts[0]
        width = sum(value is None for value in known)
        nothing = np.zeros(0, np.int64)
        rows = np.concatenate([nothing, *(rows for rows, _ in parts)])
        found = [np.concatenate([nothing, *(f[i] for _, f in parts)]) for i in range(width)]
        return rows, found

    def blocks(self, table: Table) -> Iterator[Table]:
        """Of one row, only the matches that are asked for are looked at."""
        if table.size != 1:
            yield from Leaf.blocks(self, table)
            return
        known = [self._known(place, table, frozenset()) for place in range(3)]
        for graph in self.graphs:
            for some in doubling(graph.count(*(int(x or UNBOUND) for x in known))):
                yield replace(self, graphs=(graph,), within=some).join(table)

    def estimate(self, bound: frozenset[Variable] = frozenset()) -> float:
        return sum(self._expected(graph, bound) for graph in self.graphs)

    def _expected(self, graph: StaticGraph, bound: frozenset[Variable]) -> float:
        """The triples that match the constants, spread evenly over values of bound variables."""
        s, p, o = self.ids
        matches = float(graph.count(s, p, o))
        for place, position in enumerate(self.positions):
            if position in bound:
                matches /= max(1, graph.values(place, p))
        return matches
