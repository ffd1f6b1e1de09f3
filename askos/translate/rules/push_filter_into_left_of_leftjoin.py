"""Filters below OPTIONAL."""

from __future__ import annotations

from askos.algebra import Filter, LeftJoin, Operator
from askos.translate.rules.push_filter_into_join import may_move


def push_filter_into_left_of_leftjoin(plan: Operator) -> Operator:
    """σ_F(A ⟕_p B) = σ_F(A) ⟕_p B, if A binds every variable of F that B may bind.

    Never to the right: a solution of A that loses its partners stays, alone.
    """
    match plan:
        case Filter(f, LeftJoin(a, b, p)) if may_move(f, a, b):
            return LeftJoin(push_filter_into_left_of_leftjoin(Filter(f, a)), b, p)
    return plan
