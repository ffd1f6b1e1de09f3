"""Conjunctions, taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askos.algebra import And, Expression, Filter, Operator
from askos.algebra.chains import WIDE
from askos.algebra.expressions.logic import conjunction, conjuncts
from askos.algebra.operators.filter import is_timeless


def split_filter(plan: Operator) -> Operator:
    """σ_{p ∧ q}(A) = σ_p(σ_q(A)).

    Also in three-valued logic: p ∧ q is true exactly where both are, and only true keeps.
    Groppe et al. 2007, section 4.2.  Of a wide conjunction, what has the same variables stays
    together: it goes the same way.  If that is not enough to make few of them, all of it does.
    """
    match plan:
        case Filter(And() as condition, a):
            parts = conjuncts(condition)
            if len(parts) > WIDE:
                parts = [conjunction(same) for same in _alike(parts)]
            if 1 < len(parts) <= WIDE:
                return filtered(parts[::-1], a)
    return plan


def filtered(conditions: Sequence[Expression], plan: Operator) -> Operator:
    """`plan` where all conditions hold: a filter each, the first of them the lowest; one filter
    for all if they are many."""
    if len(conditions) > WIDE:
        return Filter(conjunction(conditions), plan)
    for condition in conditions:
        plan = Filter(condition, plan)
    return plan


def _alike(conditions: Iterable[Expression]) -> Iterable[list[Expression]]:
    """By what they look at; those that look at the instant, each for itself."""
    found: dict[object, list[Expression]] = {}
    for condition in conditions:
        alone = None if is_timeless(condition) else condition
        found.setdefault((condition.variables, condition.stamps, alone), []).append(condition)
    return found.values()
