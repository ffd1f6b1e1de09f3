"""EXISTS in the conditions of joins."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import TRUE, AntiJoin, Extend, Join, LeftJoin, Operator, Project, Union
from askos.algebra.expressions.logic import conjuncts
from askos.algebra.operators.conditional import ConditionalJoin
from askos.terms import Variable
from askos.translate.rules.properties import has_exists, keeps_stamps
from askos.translate.rules.split_filter import filtered
from askos.translate.rules.unnesting import Fresh, hidden, number_of, outside_exists


def lift_exists(plan: Operator, fresh: Fresh | None = None) -> Operator:
    """A ⟕_p B = σ_p(A ⋈ B) ∪₊ (A ▷_p B), and A ▷_p B = A ▷_n π_n(σ_p(A ⋈ B)), if p has an EXISTS
    and n numbers the solutions of A; the same for ⋉ and mark joins.

    Streaming SPARQL, Def. 13.  Equal solutions have equal numbers, unbound being a value, so a
    solution finds its own pairs and no other's.  Then EXISTS stands in a filter, where it sees the
    solutions of one input.  Only where a stream is read; not where arrival times are kept, which
    end at the projection that hides n.

    Not for every operator of a plan, as other rules are: what it names must be new to all of it.
    """
    fresh = fresh or Fresh(plan)

    def rule(node: Operator) -> Operator:
        if not isinstance(node, ConditionalJoin) or not has_exists(node.condition):
            return node
        if any(keeps_stamps(child) for child in node.inputs):
            return node
        number = fresh("number")
        return hidden(lifted(node, number, only=True), node.variables)

    return outside_exists(plan, rule)


def lifted(plan: ConditionalJoin, number: Variable, *, only: bool = False) -> Operator:
    """The same join without a condition, beside `number`; with `only` its right side is cut down
    to it, which would keep out what EXISTS puts in."""
    left = Extend(number, number_of(sorted(plan.left.variables)), plan.left)
    pairs = filtered(conjuncts(plan.condition), Join(left, plan.right))
    right = Project((number,), pairs) if only else pairs
    if isinstance(plan, LeftJoin):
        return Union(pairs, AntiJoin(left, right))
    return replace(plan, left=left, right=right, condition=TRUE)
