"""The condition of a left, semi- or anti-join, where only one side is concerned."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import (
    TRUE,
    And,
    AntiJoin,
    Expression,
    Filter,
    LeftJoin,
    MarkJoin,
    Operator,
    SemiJoin,
)
from askos.translate.rules.push_filter_into_join import may_move


def push_condition_into_right(plan: Operator) -> Operator:
    """A ⟕_{p ∧ q} B = A ⟕_p σ_q(B), if B binds every variable of q that A may bind; the same
    for ⋉, ▷ and mark joins.

    q is then decided by the partner alone, and a partner that fails it is none.  Never to the
    left: there a solution would be lost instead of standing alone.
    """
    match plan:
        case LeftJoin(a, b, p) | SemiJoin(a, b, p) | AntiJoin(a, b, p) | MarkJoin(a, b, p):
            stay: list[Expression] = []
            for q in conjuncts(p):
                if q != TRUE and may_move(q, b, a):
                    b = Filter(q, b)
                else:
                    stay.append(q)
            if b is not plan.right:
                return replace(plan, right=b, condition=conjunction(stay))
    return plan


def conjuncts(p: Expression) -> list[Expression]:
    """p as a conjunction, taken apart."""
    match p:
        case And(left, right):
            return conjuncts(left) + conjuncts(right)
    return [p]


def conjunction(parts: list[Expression]) -> Expression:
    """All of `parts`; true if there are none."""
    if not parts:
        return TRUE
    whole, *others = parts
    for part in others:
        whole = And(whole, part)
    return whole
