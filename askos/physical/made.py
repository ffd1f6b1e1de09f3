"""Operators in a stage: each as it is, or as a Snapshot of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askos.algebra import (
    Distinct,
    Exists,
    Node,
    Operator,
    OrderBy,
    Payload,
    Project,
    Reduced,
    Slice,
    Static,
)
from askos.algebra.expressions.instant import uses_instant
from askos.algebra.placement import TRIPLE, inputs_below, leaves_below, own_patterns, ranking
from askos.physical.nodes import Snapshot, Top
from askos.physical.offers import OFFERS
from askos.static.given import Given
from askos.terms import Variable


def made(plan: Operator, inputs: Sequence[Operator]) -> Operator:
    """The operator over what its inputs have become: itself, or a Snapshot of it; a slice with what
    it ranks by, as one."""
    if isinstance(plan, Slice) and (found := top(plan, inputs)):
        return found
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


def top(plan: Slice, inputs: Sequence[Operator]) -> Top | None:
    """The slice and what it ranks by as one operator, where there is a kernel for it: not for
    slices of slices, nor for copies that their arrival times order."""
    chain = ranking(plan) or (plan,)
    order = chain[-1] if isinstance(chain[-1], OrderBy) else None
    between = [node for node in chain[1:] if not isinstance(node, Reduced | Static | OrderBy)]
    match between:
        case [] | [Project()] | [Distinct(times=())] | [Distinct(times=()), Project()]:
            known = not plan.times and not leaves_below(plan) and not uses_now(plan)
        case _:
            known = False
    if not known:
        return None
    columns, certain, _ = shape(plan)
    return Top(
        plan.offset,
        plan.limit,
        order.keys if order else (),
        columns,
        certain,
        tuple(inputs),
        plan.by,
        any(isinstance(node, Distinct) for node in between),
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
