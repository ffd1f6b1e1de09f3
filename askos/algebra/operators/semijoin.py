"""Semi-join: EXISTS, where it is a join in disguise."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operators.conditional import ConditionalJoin
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class SemiJoin(ConditionalJoin):
    """A ⋉_p B: μ of A wherever some compatible partner in B satisfies p; multiplicities of A.

    Not in the papers: what EXISTS amounts to if its pattern does not see the outer bindings
    except by joining.
    """

    @property
    def variables(self) -> frozenset[Variable]:
        return self.left.variables
