"""Projections that hide nothing."""

from __future__ import annotations

from askos.algebra import Distinct, Node, Operator, OrderBy, Project, Reduced, Slice
from askos.translate.rules.properties import keeps_stamps, names


def drop_identity_project(plan: Operator) -> Operator:
    """π_V(A) = A, if V holds every variable that A mentions, arrival times are not kept, and
    the projection is not what the query answers.

    *Mentions*: EXISTS puts outer bindings in, and a projection keeps out those it does not name.
    A projection at the top, or with only modifiers above it, names the columns of the answer
    and their order; so the rule looks at projections from the operator above them.
    """
    if isinstance(plan, Project | Distinct | Reduced | OrderBy | Slice):
        return plan
    if not any(isinstance(child, Project) for child in plan.inputs):
        return plan
    return plan.map_children(_input_of)


def _input_of(child: Node) -> Node:
    match child:
        case Project(columns, a) if names(a) <= set(columns) and not keeps_stamps(a):
            return a
    return child
