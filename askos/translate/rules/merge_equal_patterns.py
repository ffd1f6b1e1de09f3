"""The same pattern twice in a group."""

from __future__ import annotations

from askos.algebra import Join, Operator
from askos.algebra.chains import members
from askos.translate.rules.properties import is_ranked, is_set


def merge_equal_patterns(plan: Operator) -> Operator:
    """A ⋈ .. ⋈ A = A ⋈ .., if A is a set and binds every variable it may bind.

    A solution of A is then compatible with itself alone, once.  In a bag it meets every copy
    of itself: two triples give four solutions.  With unbound variables it meets others.
    """
    match plan:
        case Join(a, b):
            seen = frozenset(members(a, Join))
            kept = _without(b, seen)
            if kept is None and not is_ranked(a):
                return a
            return plan if kept is b or kept is None else Join(a, kept)
    return plan


def _without(plan: Operator, seen: frozenset[Operator]) -> Operator | None:
    """`plan` without those of its members that are `seen` and may go; None if all may."""
    match plan:
        case Join(a, b):
            left, right = _without(a, seen), _without(b, seen)
            if left is a and right is b:
                return plan
            return Join(left, right) if left and right else left or right
    repeated = plan in seen and is_set(plan) and plan.bound == plan.variables
    return None if repeated else plan
