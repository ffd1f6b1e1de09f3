"""REDUCED."""

from __future__ import annotations

from askos.algebra import Operator, Reduced


def drop_reduced(plan: Operator) -> Operator:
    """reduced(A) = A: it permits dropping duplicates, and we drop none."""
    return plan.input if isinstance(plan, Reduced) else plan
