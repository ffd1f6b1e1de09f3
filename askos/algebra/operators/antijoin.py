"""Anti-join: the lonely part of a left join, and NOT EXISTS where it is a join in disguise."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operators.conditional import ConditionalJoin
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class AntiJoin(ConditionalJoin):
    """A ▷_p B: μ of A wherever no compatible partner in B satisfies p; multiplicities of A.

    Streaming SPARQL, Def. 13, second part: A ⟕_p B = σ_p(A ⋈ B) ∪₊ (A ▷_p B).
    """

    @property
    def variables(self) -> frozenset[Variable]:
        return self.left.variables
