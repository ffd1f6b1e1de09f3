"""Semi-join: EXISTS, where it is a join in disguise."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.expression import TRUE, Expression, check_expression
from askos.algebra.names import Names
from askos.algebra.operator import Operator, check_input
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class PartnerTest(Operator):
    """Keeps solutions of the left for having, or for lacking, a partner on the right."""

    left: Operator
    right: Operator
    condition: Expression = TRUE

    def __post_init__(self) -> None:
        check_input(self, "left")
        check_input(self, "right")
        check_expression(self, "condition")

    @property
    def variables(self) -> frozenset[Variable]:
        return self.left.variables

    @property
    def bound(self) -> frozenset[Variable]:
        return self.left.bound

    def label(self, names: Names) -> str:
        return "" if self.condition == TRUE else self.condition.text(names)


@dataclass(frozen=True, slots=True)
class SemiJoin(PartnerTest):
    """A ⋉_p B: μ of A wherever some compatible partner in B satisfies p; multiplicities of A.

    Not in the papers: what EXISTS amounts to if its pattern does not see the outer bindings
    except by joining.
    """
