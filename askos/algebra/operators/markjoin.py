"""Mark join: EXISTS as a column."""

from __future__ import annotations

from dataclasses import dataclass, field

from askos.algebra.names import Names
from askos.algebra.node import check_variable
from askos.algebra.operators.conditional import ConditionalJoin
from askos.errors import require
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class MarkJoin(ConditionalJoin):
    """A ⋈_{?m := p} B: μ of A with ?m true wherever some compatible partner in B satisfies p, and
    false elsewhere; multiplicities of A.

    Not in the papers: what EXISTS anywhere in an expression amounts to, as A ⋉_p B does where it
    is a filter.  A partner for which p is an error does not satisfy it.
    """

    variable: Variable = field(kw_only=True)

    def __post_init__(self) -> None:
        super(MarkJoin, self).__post_init__()
        check_variable(self)
        free = self.variable not in self.left.variables
        require(free, f"MarkJoin: ?{self.variable} is bound already")

    @property
    def variables(self) -> frozenset[Variable]:
        return self.left.variables | {self.variable}

    @property
    def bound(self) -> frozenset[Variable]:
        return self.left.bound | {self.variable}

    def label(self, names: Names) -> str:
        condition = super(MarkJoin, self).label(names)
        return f"{n3(self.variable)} := {condition or 'true'}"
