"""Projection."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.node import check_variables
from askos.algebra.operator import Operator, check_input
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class Project(Operator):
    """π: keep the named columns, in that order; multiplicities of what becomes equal add.

    Streaming SPARQL, section 4, "other operators".  Hidden arrival times end here.
    """

    columns: tuple[Variable, ...]
    input: Operator

    def __post_init__(self) -> None:
        check_variables(self, "columns")
        check_input(self, "input")

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(self.columns) & self.input.variables

    @property
    def bound(self) -> frozenset[Variable]:
        return frozenset(self.columns) & self.input.bound

    @property
    def raw(self) -> bool:
        return self.input.raw

    def label(self, names: Names) -> str:
        return " ".join(n3(v) for v in self.columns)
