"""Filters below projections."""

from __future__ import annotations

from askos.algebra import Filter, Operator, Project


def push_filter_below_project(plan: Operator) -> Operator:
    """σ_F(π_V(A)) = π_V(σ_F(A)), if V holds every variable of F.

    Else the F below would see what the projection hides.  timestamp() does not move: arrival
    times end at a projection.
    """
    match plan:
        case Filter(f, Project(columns, a)) if f.variables <= set(columns) and not f.stamps:
            return Project(columns, Filter(f, a))
    return plan
