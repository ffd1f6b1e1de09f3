"""Orders nobody can see."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import Distinct, Operator, OrderBy, Project, Reduced, Slice, Static
from askos.translate.rules.properties import is_ranked


def drop_order(plan: Operator) -> Operator:
    """order_k(A) = A under any operator that forgets ranks.

    ORDER BY ranks solutions and changes no bag.  Ranks pass through projection, DISTINCT and
    REDUCED to a slice or the report; what lies below anything else may be unordered.  An order
    below a slice decides what the slice holds, and stays.
    """
    if isinstance(plan, Project | Distinct | Reduced | Slice | Static):
        return plan
    if not any(is_ranked(child) for child in plan.inputs):
        return plan
    return plan.map_children(lambda node: _unordered(node) if isinstance(node, Operator) else node)


def _unordered(child: Operator) -> Operator:
    match child:
        case OrderBy(input=a):
            return _unordered(a)
        case Project(input=a) | Distinct(input=a) | Reduced(input=a):
            below = _unordered(a)
            return child if below is a else replace(child, input=below)
    return child
