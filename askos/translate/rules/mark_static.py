"""The static part of a plan."""

from __future__ import annotations

from askos.algebra import GraphAccess, Node, Operator, Payload, Static
from askos.algebra.expressions.instant import uses_instant
from askos.translate.rules.properties import reads_streams


def mark_static(plan: Operator) -> Operator:
    """A = static(A), for the largest parts A that read graphs, no stream and not the clock.

    C-SPARQL 2010, section 4, evaluates the static part of a query apart from the streaming one;
    CQELS 2011, section 4.3, materialises sub-queries over data sets.  A plan without streams is
    not marked: all of it is evaluated once.  Nor are the patterns of EXISTS, into which every
    solution puts its own values.

    Not for `transform`: it looks from a plan down, since the largest part is wanted.
    """
    if not reads_streams(plan):
        return plan
    return plan.map_children(_marked)


def _marked(child: Node) -> Node:
    if not isinstance(child, Operator):
        return child
    if is_static(child):
        return Static(child)
    return mark_static(child)


def is_static(plan: Operator) -> bool:
    """Whether the solutions change only with the graphs they come from."""
    if plan.payload is not Payload.SOLUTION or isinstance(plan, Static) or reads_streams(plan):
        return False
    return any(isinstance(node, GraphAccess) for node in plan.walk()) and not uses_instant(plan)
