"""Join."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operator import Operator, check_input
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Join(Operator):
    """A ⋈ B: merge each compatible pair valid at the same instant; multiplicities multiply.

    Streaming SPARQL, Def. 10.  A basic graph pattern (Def. 11) is a join of patterns.
    """

    left: Operator
    right: Operator

    def __post_init__(self) -> None:
        check_input(self, "left")
        check_input(self, "right")

    @property
    def variables(self) -> frozenset[Variable]:
        return self.left.variables | self.right.variables

    @property
    def bound(self) -> frozenset[Variable]:
        return self.left.bound | self.right.bound
