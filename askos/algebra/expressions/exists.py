"""EXISTS {P}: a boolean that depends on the graph, and so on the instant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from askos.algebra.expressions.expression import FALSE, TRUE, Expression, Scope
from askos.algebra.expressions.timestamp import Timestamp
from askos.algebra.names import Names
from askos.algebra.node import Node, parts_of
from askos.algebra.operator import Operator, check_input
from askos.terms import Term, Variable


@dataclass(frozen=True, slots=True)
class Exists(Expression):
    """EXISTS {P}: whether P, with the solution's bindings substituted, has any solution.

    SPARQL 1.1, 18.6.  Anywhere in an expression; NOT EXISTS is Not of it.
    """

    pattern: Operator

    def __post_init__(self) -> None:
        check_input(self, "pattern")

    def evaluate(self, scope: Scope) -> Term:
        return (TRUE if scope.exists(self.pattern, scope.solution) else FALSE).term

    @property
    def variables(self) -> frozenset[Variable]:
        """Every variable the pattern mentions: any of them may be substituted."""
        return frozenset(mentioned(self.pattern))

    @property
    def stamps(self) -> frozenset[Variable]:
        inner = (node for node in self.pattern.walk() if isinstance(node, Timestamp))
        return frozenset(node.variable for node in inner)

    def text(self, names: Names) -> str:
        # The pattern is a plan; `explain` prints it below the operator.
        return "EXISTS {…}"


def mentioned(plan: Node) -> Iterator[Variable]:
    """The variables in any field of any node of a plan, with repetitions."""
    for node in plan.walk():
        for part in parts_of(node):
            value = getattr(node, part)
            for member in value if isinstance(value, tuple) else (value,):
                if isinstance(member, Variable):
                    yield member
