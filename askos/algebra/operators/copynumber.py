"""Telling equal solutions apart."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.node import check_variable
from askos.algebra.operator import Operator, check_input
from askos.errors import require
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class CopyNumber(Operator):
    """Bind ?x to 0, 1, .., n-1 in the n copies of each solution.

    Not in the papers.  It makes RAND(), UUID() and BNODE() functions of a solution: see `Keyed`.
    """

    variable: Variable
    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")
        check_variable(self)
        free = self.variable not in self.input.variables
        require(free, f"CopyNumber: ?{self.variable} is bound already")

    @property
    def variables(self) -> frozenset[Variable]:
        return self.input.variables | {self.variable}

    @property
    def bound(self) -> frozenset[Variable]:
        return self.input.bound | {self.variable}

    def label(self, names: Names) -> str:
        return n3(self.variable)
