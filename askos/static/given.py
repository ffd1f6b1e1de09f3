"""Leaves whose rows come from elsewhere: an operator over streams, at one instant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from askos.algebra import Operator, Payload
from askos.algebra.names import Names
from askos.static.graph import StaticGraph
from askos.static.interning import Terms
from askos.static.table import Table
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Leaf(Operator):
    """A leaf that stands for rows from elsewhere, by its number: a bag of solutions or triples."""

    number: int
    columns: tuple[Variable, ...]
    certain: tuple[Variable, ...]
    triples: bool = False

    @property
    def payload(self) -> Payload:
        return Payload.TRIPLE if self.triples else Payload.SOLUTION

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset() if self.triples else frozenset(self.columns)

    @property
    def bound(self) -> frozenset[Variable]:
        return frozenset() if self.triples else frozenset(self.certain)

    def label(self, names: Names) -> str:
        return str(self.number)


@dataclass(frozen=True, slots=True)
class Given(Leaf):
    """Rows that are known already."""


@dataclass(frozen=True, slots=True)
class Data:
    """The rows of all leaves, by number; their ids are those of `terms`.

    A bag of triples is several graphs: what occurs twice is in two of them.
    """

    terms: Terms
    tables: Mapping[int, Table] = field(default_factory=dict)
    graphs: Mapping[int, tuple[StaticGraph, ...]] = field(default_factory=dict)
