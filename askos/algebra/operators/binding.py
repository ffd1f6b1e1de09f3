"""A variable and where its value comes from."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.aggregates import Aggregate, Count
from askos.algebra.expressions.expression import Constant, Expression, Ref
from askos.algebra.names import Names
from askos.algebra.node import Node, check_variable
from askos.errors import require
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class Binding(Node):
    """(e AS ?x), for an expression or an aggregate e; ?x stays unbound where e is an error."""

    variable: Variable
    value: Expression | Aggregate

    def __post_init__(self) -> None:
        check_variable(self)
        ok = isinstance(self.value, Expression | Aggregate)
        require(ok, f"Binding: {self.value!r} is neither an expression nor an aggregate")

    def text(self, names: Names) -> str:
        """As SPARQL writes it; a variable that stands for itself is written alone."""
        if self.value == Ref(self.variable):
            return n3(self.variable)
        return f"({self.value.text(names)} AS {n3(self.variable)})"


def never_fails(value: Expression | Aggregate, bound: frozenset[Variable]) -> bool:
    """Whether `value` is surely no error, given that `bound` are bound."""
    match value:
        case Constant() | Count():
            return True
        case Ref(variable):
            return variable in bound
    return False
