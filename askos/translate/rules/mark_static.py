"""The static part of a plan."""

from __future__ import annotations

from collections.abc import Set

from askos.algebra import Exists, GraphAccess, Operator, Payload, Static
from askos.algebra.expressions.instant import uses_instant
from askos.translate.exchanges import streaming


def mark_static(plan: Operator) -> Operator:
    """A = static(A), for the largest parts A that read graphs, no stream and not the clock.

    C-SPARQL 2010, section 4, evaluates the static part of a query apart from the streaming one;
    CQELS 2011, section 4.3, materialises sub-queries over data sets.  A plan without streams is
    not marked: all of it is evaluated once.  Nor are the patterns of EXISTS, into which every
    solution puts its own values.

    Not for every operator of a plan, as other rules are: it looks from the top, since the largest
    parts are wanted.
    """
    parts = _static_parts(plan)
    return plan.transform(lambda node: Static(node) if id(node) in parts else node)


def _static_parts(plan: Operator) -> Set[int]:
    """The largest static parts, by identity; with a stack of its own, for plans are deep."""
    streams, parts = streaming(plan), set[int]()
    todo = [plan] if id(plan) in streams else []
    while todo:
        for child in todo.pop().inputs:
            if id(child) in streams:
                todo.append(child)
            elif _is_static(child):
                parts.add(id(child))
    inside = (
        node for exists in plan.walk() if isinstance(exists, Exists) for node in exists.walk()
    )
    return parts.difference(map(id, inside))


def _is_static(plan: Operator) -> bool:
    """Whether solutions without a stream change only with the graphs they come from."""
    if plan.payload is not Payload.SOLUTION or isinstance(plan, Static):
        return False
    return any(isinstance(node, GraphAccess) for node in plan.walk()) and not uses_instant(plan)
