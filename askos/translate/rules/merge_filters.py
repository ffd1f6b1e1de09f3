"""Conjunctions, put together again."""

from __future__ import annotations

from askos.algebra import Filter, Operator
from askos.algebra.expressions.logic import conjunction, conjuncts
from askos.algebra.operators.filter import is_timeless


def merge_filters(plan: Operator) -> Operator:
    """σ_p(σ_q(A)) = σ_{p ∧ q}(A), if neither p nor q looks at the instant.

    The inverse of `split_filter`, once every part is where it can do most.  EXISTS and NOW()
    stay apart: they are decided in another way than the rest.  What is asked twice is asked once.
    """
    match plan:
        case Filter(p, Filter(q, a)) if is_timeless(p) and is_timeless(q):
            return Filter(conjunction(list(dict.fromkeys(conjuncts(p) + conjuncts(q)))), a)
    return plan
