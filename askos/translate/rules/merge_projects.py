"""Projections of projections."""

from __future__ import annotations

from askos.algebra import Operator, Project


def merge_projects(plan: Operator) -> Operator:
    """π_V(π_U(A)) = π_V(A), if V ⊆ U.

    Else a column of V that U hides would appear.
    """
    match plan:
        case Project(v, Project(u, a)) if set(v) <= set(u):
            return Project(v, a)
    return plan
