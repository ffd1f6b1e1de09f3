"""Filters below joins."""

from __future__ import annotations

from askos.algebra import Expression, Filter, Join, Operator
from askos.algebra.operators.filter import is_timeless


def push_filter_into_join(plan: Operator) -> Operator:
    """σ_F(A ⋈ B) = σ_F(A) ⋈ B, if A binds every variable of F that B may bind.

    *Binds*, not *mentions*: under OPTIONAL, B could supply the value.  A timestamp() that B may
    raise does not move.  Where both sides bind all of F, both are filtered: F sees the same
    values, and each side keeps less.
    """
    match plan:
        case Filter(f, Join(a, b)):
            left, right = may_move(f, a, b), may_move(f, b, a)
            if left and right and f.variables and f.variables <= a.bound & b.bound:
                right = is_timeless(f)  # EXISTS is too dear to be asked twice
            elif left:
                right = False
            if left or right:
                return Join(_into(f, a) if left else a, _into(f, b) if right else b)
    return plan


def _into(f: Expression, plan: Operator) -> Operator:
    return push_filter_into_join(Filter(f, plan))


def may_move(f: Expression, to: Operator, past: Operator) -> bool:
    """Whether F has the same value on a solution of `to`, merged with one of `past` or not."""
    return f.variables & past.variables <= to.bound and f.stamps.isdisjoint(past.variables)
