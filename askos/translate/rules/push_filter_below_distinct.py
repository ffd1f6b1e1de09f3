"""Filters below duplicate elimination."""

from __future__ import annotations

from askos.algebra import Distinct, Filter, Operator


def push_filter_below_distinct(plan: Operator) -> Operator:
    """σ_F(δ(A)) = δ(σ_F(A)), if F does not use timestamp().

    Of several copies δ keeps the latest arrival time; F below would see the others too.
    """
    match plan:
        case Filter(f, Distinct(a)) if not f.stamps:
            return Distinct(Filter(f, a))
    return plan
