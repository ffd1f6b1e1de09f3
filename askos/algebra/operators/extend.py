"""Extend: BIND, and expressions in SELECT."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.expression import Expression, check_expression
from askos.algebra.names import Names
from askos.algebra.node import check_variable
from askos.algebra.operator import Operator, check_input
from askos.algebra.operators.binding import Binding, never_fails
from askos.algebra.operators.filter import is_timeless
from askos.errors import require
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Extend(Operator):
    """Add ?x := e(μ, t) to each solution; unbound where e is an error.

    SPARQL 1.1, 18.5.
    """

    variable: Variable
    expression: Expression
    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")
        check_expression(self, "expression")
        check_variable(self)
        require(
            self.variable not in self.input.variables,
            f"Extend: ?{self.variable} is bound already",
            "choose a name that the pattern before does not use",
        )

    @property
    def variables(self) -> frozenset[Variable]:
        return self.input.variables | {self.variable}

    @property
    def bound(self) -> frozenset[Variable]:
        bound = self.input.bound  # asked once: in a chain of BINDs, twice would be exponential
        return bound | {self.variable} if never_fails(self.expression, bound) else bound

    @property
    def raw(self) -> bool:
        return self.input.raw and is_timeless(self.expression)

    def label(self, names: Names) -> str:
        return Binding(self.variable, self.expression).text(names)
