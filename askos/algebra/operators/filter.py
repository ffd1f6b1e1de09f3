"""Filter."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.exists import Exists
from askos.algebra.expressions.expression import Expression, check_expression
from askos.algebra.expressions.instant import uses_instant
from askos.algebra.names import Names
from askos.algebra.operator import Operator, check_input
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Filter(Operator):
    """σ_p: the solutions for which p(μ, t) is true; false and errors drop.

    Streaming SPARQL, Def. 8.  p may hold EXISTS and NOW(), whence the t.  HAVING is a filter
    over a group.
    """

    condition: Expression
    input: Operator

    def __post_init__(self) -> None:
        check_expression(self, "condition")
        check_input(self, "input")

    @property
    def variables(self) -> frozenset[Variable]:
        return self.input.variables

    @property
    def bound(self) -> frozenset[Variable]:
        return self.input.bound

    @property
    def raw(self) -> bool:
        return self.input.raw and is_timeless(self.condition)

    def label(self, names: Names) -> str:
        return self.condition.text(names)


def is_timeless(expression: Expression) -> bool:
    """Whether the value depends on the solution alone, and not on the instant."""
    return not uses_instant(expression) and not any(
        isinstance(node, Exists) for node in expression.walk()
    )
