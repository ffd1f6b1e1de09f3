"""EXISTS as a column."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import Exists, Group, MarkJoin, Node, Operator, Ref
from askos.terms import Variable
from askos.translate.rules.properties import keeps_stamps
from askos.translate.rules.unnest_exists import pair, unnest_exists
from askos.translate.rules.unnesting import (
    READERS,
    Fresh,
    hidden,
    outside_exists,
    own_exists,
    replaced,
)


def mark_exists(plan: Operator, fresh: Fresh | None = None) -> Operator:
    """σ_{e(EXISTS σ_p(B))}(A) = π_A(σ_{e(?m)}(M)), where M is A with ?m marking who has a partner
    in B that satisfies p, if B is positive and ?m is new; the same for BIND, sort keys, groups
    and C-SPARQL's aggregates.

    Positive as in `unnest_exists`, which is tried first.  Only where a stream is read: static
    plans are evaluated as they are.  Not over arrival times, which end at the projection.

    Not for every operator of a plan, as other rules are: ?m must be new to all of it, and inside
    EXISTS the projection would keep outer values out.
    """
    fresh = fresh or Fresh(plan)
    return outside_exists(plan, lambda node: _marked(unnest_exists(node), fresh))


def _marked(plan: Operator, fresh: Fresh) -> Operator:
    if not isinstance(plan, READERS) or not can_hide(plan):
        return plan
    below, marks = plan.input, dict[Node, Variable]()
    for exists in own_exists(plan):
        partner = pair(exists.pattern)
        if partner:
            marks[exists] = fresh("mark")
            below = MarkJoin(below, *partner, variable=marks[exists])
    if not marks:
        return plan

    def mark(node: Node) -> Node | None:
        return Ref(marks[node]) if isinstance(node, Exists) and node in marks else None

    return hidden(replace(replaced(plan, mark), input=below), plan.variables)


def can_hide(plan: Operator) -> bool:
    """Whether further columns of an operator's input can be hidden above it again."""
    return isinstance(plan, Group) or not any(keeps_stamps(child) for child in plan.inputs)
