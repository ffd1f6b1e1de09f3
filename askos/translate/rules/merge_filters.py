"""Conjunctions, put together again."""

from __future__ import annotations

from askos.algebra import And, Filter, Operator
from askos.algebra.operators.filter import is_timeless


def merge_filters(plan: Operator) -> Operator:
    """σ_p(σ_q(A)) = σ_{q ∧ p}(A), if neither p nor q looks at the instant.

    The inverse of `split_filter`, once every part is where it can do most.  EXISTS and NOW()
    stay apart: they are decided in another way than the rest.
    """
    match plan:
        case Filter(p, Filter(q, a)) if is_timeless(p) and is_timeless(q):
            return Filter(And(q, p), a)
    return plan
