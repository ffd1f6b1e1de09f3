"""What joins with a condition have in common."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.expression import TRUE, Expression, check_expression
from askos.algebra.names import Names
from askos.algebra.operator import Operator, check_input
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class ConditionalJoin(Operator):
    """Solutions of the left that look for compatible partners on the right; the condition sees
    the merged pair, and every solution of the left keeps what it binds."""

    left: Operator
    right: Operator
    condition: Expression = TRUE

    def __post_init__(self) -> None:
        check_input(self, "left")
        check_input(self, "right")
        check_expression(self, "condition")

    @property
    def bound(self) -> frozenset[Variable]:
        return self.left.bound

    def label(self, names: Names) -> str:
        return "" if self.condition == TRUE else self.condition.text(names)
