"""Left join: OPTIONAL."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.expression import TRUE, Expression, check_expression
from askos.algebra.names import Names
from askos.algebra.operator import Operator, check_input
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class LeftJoin(Operator):
    """A ⟕_p B: joined pairs that satisfy p, and μ of A alone wherever no partner does.

    Streaming SPARQL, Def. 13.  p is the filter directly inside OPTIONAL's braces, and sees the
    merged solution.  μ stands alone on exactly the instants without a partner, not on all or
    none of its validity.
    """

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
