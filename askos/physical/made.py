"""Operators in a stage: each as it is, or as a Snapshot of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askos.algebra import Exists, Node, Operator, Payload
from askos.algebra.expressions.instant import uses_instant
from askos.algebra.placement import TRIPLE, inputs_below, leaves_below, own_patterns, ranking
from askos.physical.offers import OFFERS
from askos.physical.plan import Snapshot
from askos.static.given import Given
from askos.terms import Variable


def made(plan: Operator, inputs: Sequence[Operator]) -> Operator:
    """The operator over what its inputs have become: itself, or a Snapshot of it."""
    if is_plain(plan):
        return with_inputs(plan, inputs)
    outside, inside = inputs_below(plan), leaves_below(plan)
    given = {id(node): Given(number, *shape(node)) for number, node in enumerate(outside)}
    leaves = {
        id(node): Given(number, *shape(node)) for number, node in enumerate(inside, len(outside))
    }

    def over(node: Node, known: Mapping[int, Given]) -> Node:
        within = leaves if isinstance(node, Exists) else known
        return known.get(id(node)) or node.map_children(lambda child: over(child, within))

    return Snapshot(
        plan.map_children(lambda child: over(child, given)), tuple(inputs), uses_now(plan)
    )


def is_plain(plan: Operator) -> bool:
    """Whether the operator runs as it is: it has a kernel, and neither EXISTS nor NOW()."""
    offer = OFFERS[type(plan)]
    native = offer.make is not None and offer.native(plan)
    return native and not any(own_patterns(plan)) and not uses_now(plan)


def uses_now(plan: Operator) -> bool:
    """Whether an expression of the operator itself, or of those it ranks by, depends on the
    report instant."""
    nodes = ranking(plan) or (plan,)
    own = (child for node in nodes for child in node.children if not isinstance(child, Operator))
    return any(uses_instant(child) for child in own)


def with_inputs(plan: Operator, inputs: Sequence[Operator]) -> Operator:
    """`plan` over other inputs."""
    new = iter(inputs)
    return plan.map_children(lambda child: next(new) if isinstance(child, Operator) else child)


def shape(plan: Operator) -> tuple[tuple[Variable, ...], tuple[Variable, ...], bool]:
    """Columns, those that are surely bound, and whether they are those of triples."""
    if plan.payload is Payload.TRIPLE:
        return TRIPLE, TRIPLE, True
    return tuple(sorted(plan.variables)), tuple(sorted(plan.bound)), False
