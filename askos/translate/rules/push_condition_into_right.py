"""The condition of a left, semi- or anti-join, where only one side is concerned."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from operator import not_

from askos.algebra import (
    TRUE,
    AntiJoin,
    LeftJoin,
    MarkJoin,
    Operator,
    SemiJoin,
)
from askos.algebra.expressions.logic import conjunction, conjuncts
from askos.translate.rules.push_filter_into_join import Side, may_move
from askos.translate.rules.split_filter import filtered


def push_condition_into_right(plan: Operator) -> Operator:
    """A ⟕_{p ∧ q} B = A ⟕_p σ_q(B), if B binds every variable of q that A may bind; the same
    for ⋉, ▷ and mark joins.

    q is then decided by the partner alone, and a partner that fails it is none.  Never to the
    left: there a solution would be lost instead of standing alone.
    """
    match plan:
        case LeftJoin(a, b, p) | SemiJoin(a, b, p) | AntiJoin(a, b, p) | MarkJoin(a, b, p):
            parts = conjuncts(p)
            to, past = Side.of(b), Side.of(a)
            goes = [q != TRUE and may_move(q, to, past) for q in parts]
            if any(goes):
                stay = conjunction(list(compress(parts, map(not_, goes))))
                right = filtered(list(compress(parts, goes)), b)
                return replace(plan, right=right, condition=stay)
    return plan
