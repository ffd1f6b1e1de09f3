"""MINUS."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operator import Operator, check_input
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Minus(Operator):
    """A ∖ B: μ of A wherever no compatible solution of B shares a bound variable with it.

    SPARQL 1.1, 18.5; the papers predate it.  Unlike an anti-join, a solution of B with nothing
    in common removes nothing.
    """

    left: Operator
    right: Operator

    def __post_init__(self) -> None:
        check_input(self, "left")
        check_input(self, "right")

    @property
    def variables(self) -> frozenset[Variable]:
        return self.left.variables

    @property
    def bound(self) -> frozenset[Variable]:
        return self.left.bound
