"""Telling equal solutions apart."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.node import check_variable, check_variables
from askos.algebra.operator import Operator, check_input
from askos.algebra.operators.distinct import latest
from askos.errors import require
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class CopyNumber(Operator):
    """Bind ?x to 0, 1, .., n-1 in the n copies of each solution.

    Not in the papers.  It makes RAND(), UUID() and BNODE() functions of a solution: see `Keyed`.
    `times` are columns of arrival times: copies may differ in them, and come in their order.
    """

    variable: Variable
    input: Operator
    times: tuple[Variable, ...] = ()

    def __post_init__(self) -> None:
        check_input(self, "input")
        check_variable(self)
        check_variables(self, "times")
        free = self.variable not in self.input.variables
        require(free, f"CopyNumber: ?{self.variable} is bound already")

    @property
    def variables(self) -> frozenset[Variable]:
        return self.input.variables | {self.variable}

    @property
    def bound(self) -> frozenset[Variable]:
        return self.input.bound | {self.variable}

    def label(self, names: Names) -> str:
        return f"{n3(self.variable)} {latest(self.times)}".rstrip()
