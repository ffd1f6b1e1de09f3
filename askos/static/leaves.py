"""Leaves of a join: how a pattern or path extends rows by what it matches, through an index.

The indexes of a graph are the hash tables of an equi-join, built once for all queries: so a
table is joined to a leaf by looking up every row, and a leaf alone is the same from one row
that binds nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from askos.algebra.operators.pattern import Position
from askos.static.graph import Index, StaticGraph
from askos.static.interning import UNBOUND, Scratch
from askos.static.table import Row, Table, masks, picker
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Is:
    """A position whose term is known."""

    id: int


@dataclass(frozen=True, slots=True)
class At:
    """A position whose term is in a column of the row."""

    index: int


Place: TypeAlias = Is | At | None
"""Where the term of a position comes from; None: it is found by matching."""


@dataclass(frozen=True, slots=True)
class Leaf(ABC):
    """A pattern or a path over the triples of some graphs; of several, their bag."""

    positions: tuple[Position, ...]
    graphs: tuple[StaticGraph, ...]
    terms: Scratch

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables it binds."""
        return frozenset(p for p in self.positions if isinstance(p, Variable))

    @abstractmethod
    def extend(self, rows: Sequence[Row], places: Sequence[Place]) -> list[Row]:
        """Each row with the terms found for it at the positions without a place, appended in
        that order; as many times as it matches."""

    @abstractmethod
    def estimate(self, bound: frozenset[Variable] = frozenset()) -> float:
        """How many matches to expect for one binding of the variables `bound`."""

    def join(self, table: Table) -> Table:
        """`table` ⋈ this leaf."""
        named = (p for p in self.positions if isinstance(p, Variable))
        own = {v: table.place(v) for v in named}
        new = tuple(v for v, place in own.items() if place is None)
        unsure = {v: at for v, at in own.items() if at is not None and v in table.optional}
        rows = list[Row]()
        for mask, part in masks(table.rows, list(unsure.values())).items():
            free = {v for v, is_bound in zip(unsure, mask, strict=True) if not is_bound}
            rows += self._joined(part, table, free, new)
        return table.widened(new, rows, table.optional - own.keys())

    def _joined(
        self,
        rows: Sequence[Row],
        table: Table,
        free: set[Variable],
        new: tuple[Variable, ...],
    ) -> list[Row]:
        """Rows of `table` extended by the columns `new`, where those in `free` are unbound."""
        places = [self._place(p, table, free) for p in self.positions]
        found = [p for p, at in zip(self.positions, places, strict=True) if at is None]
        extended = self.extend(rows, places)
        if not free and len(found) == len(new):
            return extended
        width = table.width
        if len(set(found)) < len(found):
            extended = _agreeing(extended, width, found)
        where = {v: width + i for i, v in reversed(list(enumerate(found)))}
        order = [where.get(v, at) for at, v in enumerate(table.columns)]
        return list(map(picker([*order, *(where[v] for v in new)]), extended))

    def _place(self, position: Position, table: Table, free: set[Variable]) -> Place:
        if not isinstance(position, Variable):
            return Is(self.terms.intern(position))
        place = None if position in free else table.place(position)
        return None if place is None else At(place)


def _agreeing(rows: Sequence[Row], width: int, found: Sequence[Position]) -> list[Row]:
    """The rows in which a variable found twice has one value."""
    pairs = [
        (width + i, width + j)
        for j, later in enumerate(found)
        for i, earlier in enumerate(found[:j])
        if earlier == later
    ]
    return [row for row in rows if all(row[i] == row[j] for i, j in pairs)]


class PatternLeaf(Leaf):
    """ν: a triple pattern, by the index that starts with the positions known."""

    __slots__ = ()

    def extend(self, rows: Sequence[Row], places: Sequence[Place]) -> list[Row]:
        found = list[Row]()
        for graph in self.graphs:
            found += _extended(graph, rows, *places)
        return found

    def estimate(self, bound: frozenset[Variable] = frozenset()) -> float:
        return sum(_expected(graph, self.positions, self.terms, bound) for graph in self.graphs)


def _extended(
    graph: StaticGraph, rows: Sequence[Row], s: Place, p: Place, o: Place
) -> Sequence[Row]:
    match s, p, o:
        case None, None, None:
            return [row + triple for row in rows for triple in graph.ids]
        case _, None, None:
            return _pairs(rows, graph.index("spo"), s)
        case None, _, None:
            return _pairs(rows, graph.index("pso"), p)
        case None, None, _:
            return _pairs(rows, graph.index("osp"), o)
        case _, _, None:
            return _singles(rows, graph.index("pso"), p, s)
        case None, _, _:
            return _singles(rows, graph.index("pos"), p, o)
        case _, None, _:
            return _singles(rows, graph.index("osp"), o, s)
    of_s, of_p, of_o, known = getter(s), getter(p), getter(o), graph.ids
    return [row for row in rows if (of_s(row), of_p(row), of_o(row)) in known]


def _pairs(rows: Sequence[Row], index: Index, first: Place) -> list[Row]:
    of_first = getter(first)
    return [
        (*row, second, third)
        for row in rows
        for second, thirds in index.get(of_first(row), {}).items()
        for third in thirds
    ]


def _singles(rows: Sequence[Row], index: Index, first: Place, second: Place) -> list[Row]:
    of_first, of_second = getter(first), getter(second)
    if isinstance(first, Is):
        look_up = index.get(first.id, {}).get
        if isinstance(second, At):
            column = second.index
            return [(*row, third) for row in rows for third in look_up(row[column], ())]
        return [(*row, third) for row in rows for third in look_up(of_second(row), ())]
    return [
        (*row, third)
        for row in rows
        for third in index.get(of_first(row), {}).get(of_second(row), ())
    ]


def getter(place: Place) -> Callable[[Row], int]:
    """The function that takes the term of a known position out of a row."""
    match place:
        case Is(number):
            return lambda row: number
        case At(index):
            return lambda row: row[index]
    raise TypeError("a position without a place is not known")


def _expected(
    graph: StaticGraph,
    positions: Sequence[Position],
    terms: Scratch,
    bound: frozenset[Variable],
) -> float:
    """The triples that match the constants, spread evenly over the values of bound variables."""
    s, p, o = (UNBOUND if isinstance(x, Variable) else terms.intern(x) for x in positions)
    matches = float(graph.count(s, p, o))
    for position, order in zip(positions, ("spo", "pso", "osp"), strict=True):
        if position in bound:
            matches /= max(1, _values(graph, order, p))
    return matches


def _values(graph: StaticGraph, order: str, predicate: int) -> int:
    """How many terms occur where `order` starts, beside a predicate if one is given."""
    if predicate and order != "pso":
        beside = {"spo": "pso", "osp": "pos"}[order]
        return len(graph.index(beside).get(predicate, ()))
    return len(graph.index(order))
