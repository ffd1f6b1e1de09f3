"""Duplicate elimination where there are no duplicates."""

from __future__ import annotations

from askos.algebra import Distinct, Operator, Union
from askos.translate.rules.properties import is_set


def drop_distinct(plan: Operator) -> Operator:
    """δ(A) = A, if A is a set at every instant; δ(A ∪₊ A) = δ(A).

    Sets are: static graphs, δ, γ, patterns over sets (ν is injective), closures of paths, what
    only picks or extends solutions of a set, and joins of sets that bind all they may bind.
    """
    match plan:
        case Distinct(a) if is_set(a):
            return a
        case Distinct(Union(a, b)) if a == b:
            return drop_distinct(Distinct(a))
    return plan
