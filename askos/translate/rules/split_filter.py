"""Conjunctions, taken apart."""

from __future__ import annotations

from askos.algebra import And, Filter, Operator


def split_filter(plan: Operator) -> Operator:
    """σ_{p ∧ q}(A) = σ_p(σ_q(A)).

    Also in three-valued logic: p ∧ q is true exactly where both are, and only true keeps.
    Groppe et al. 2007, section 4.2.
    """
    match plan:
        case Filter(And(p, q), a):
            return split_filter(Filter(p, split_filter(Filter(q, a))))
    return plan
