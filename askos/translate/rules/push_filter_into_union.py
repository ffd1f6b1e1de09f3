"""Filters below UNION."""

from __future__ import annotations

from askos.algebra import Filter, Operator, Union


def push_filter_into_union(plan: Operator) -> Operator:
    """σ_F(A ∪₊ B) = σ_F(A) ∪₊ σ_F(B)."""
    match plan:
        case Filter(f, Union(a, b)):
            return Union(push_filter_into_union(Filter(f, a)), push_filter_into_union(Filter(f, b)))
    return plan
