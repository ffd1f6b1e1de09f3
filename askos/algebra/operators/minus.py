"""MINUS."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.node import check_variables
from askos.algebra.operator import Operator, check_input
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class Minus(Operator):
    """A ∖ B: μ of A wherever no compatible solution of B shares a bound variable with it.

    SPARQL 1.1, 18.5; the papers predate it.  Unlike an anti-join, a solution of B with nothing
    in common removes nothing.

    With `by`, only among solutions that agree on these variables, unbound being a value; then they
    are not what two solutions have in common.
    """

    left: Operator
    right: Operator
    by: tuple[Variable, ...] = ()

    def __post_init__(self) -> None:
        check_input(self, "left")
        check_input(self, "right")
        check_variables(self, "by")

    @property
    def variables(self) -> frozenset[Variable]:
        return self.left.variables

    @property
    def bound(self) -> frozenset[Variable]:
        return self.left.bound

    def label(self, names: Names) -> str:
        return f"BY {' '.join(n3(v) for v in self.by)}" if self.by else ""
