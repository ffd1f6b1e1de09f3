"""Filters below MINUS, semi- and anti-joins."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import AntiJoin, Filter, MarkJoin, Minus, Operator, SemiJoin


def push_filter_into_left_of_minus(plan: Operator) -> Operator:
    """σ_F(A ∖ B) = σ_F(A) ∖ B; the same for ⋉ and ▷, and for mark joins if F does not use the
    mark.

    No other guard: these yield solutions of A as they are.
    """
    match plan:
        case Filter(f, (Minus() | SemiJoin() | AntiJoin()) as kept):
            return replace(kept, left=push_filter_into_left_of_minus(Filter(f, kept.left)))
        case Filter(f, MarkJoin(variable=mark) as kept) if mark not in f.variables:
            return replace(kept, left=push_filter_into_left_of_minus(Filter(f, kept.left)))
    return plan
