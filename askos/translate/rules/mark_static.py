"""The static part of a plan."""

from __future__ import annotations

from askos.algebra import GraphAccess, Node, Operator, Payload, Static
from askos.algebra.expressions.instant import uses_instant
from askos.translate.rules.unnesting import streaming_part


def mark_static(plan: Operator) -> Operator:
    """A = static(A), for the largest parts A that read graphs, no stream and not the clock.

    C-SPARQL 2010, section 4, evaluates the static part of a query apart from the streaming one;
    CQELS 2011, section 4.3, materialises sub-queries over data sets.  A plan without streams is
    not marked: all of it is evaluated once.  Nor are the patterns of EXISTS, into which every
    solution puts its own values.

    Not for every operator of a plan, as other rules are: it looks from the top, since the largest
    parts are wanted.
    """
    new: dict[int, Operator] = {}

    def marked(child: Node) -> Node:
        if not isinstance(child, Operator):
            return child
        return new.get(id(child)) or (Static(child) if _is_static(child) else child)

    for node in reversed(streaming_part(plan)):
        new[id(node)] = node.map_children(marked)
    return new.get(id(plan), plan)


def _is_static(plan: Operator) -> bool:
    """Whether solutions change only with the graphs they come from."""
    if plan.payload is not Payload.SOLUTION or isinstance(plan, Static):
        return False
    return any(isinstance(node, GraphAccess) for node in plan.walk()) and not uses_instant(plan)
