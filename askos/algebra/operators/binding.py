"""A variable and where its value comes from."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.aggregates import Aggregate
from askos.algebra.expressions.expression import Constant, Expression, Ref
from askos.algebra.names import Names
from askos.algebra.node import Node
from askos.errors import require
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class Binding(Node):
    """(e AS ?x), for an expression or an aggregate e; ?x stays unbound where e is an error."""

    variable: Variable
    value: Expression | Aggregate

    def __post_init__(self) -> None:
        ok = isinstance(self.variable, Variable)
        require(ok, f"Binding: {self.variable!r} is not a variable")
        ok = isinstance(self.value, Expression | Aggregate)
        require(ok, f"Binding: {self.value!r} is neither an expression nor an aggregate")

    def text(self, names: Names) -> str:
        """As SPARQL writes it; a variable that stands for itself is written alone."""
        if self.value == Ref(self.variable):
            return n3(self.variable)
        return f"({self.value.text(names)} AS {n3(self.variable)})"


def never_fails(expression: Expression, bound: frozenset[Variable]) -> bool:
    """Whether `expression` surely has a value, given that `bound` are bound."""
    match expression:
        case Constant():
            return True
        case Ref(variable):
            return variable in bound
    return False
