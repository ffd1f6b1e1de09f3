"""Where ends are open in a plan, and where pieces are made."""

from __future__ import annotations

from collections.abc import Sequence, Set

from askos.algebra import Join, Operator, Union
from askos.physical.made import is_plain, with_inputs
from askos.physical.nodes import AdaptiveJoin, ScanJoin
from askos.physical.offers import OFFERS
from askos.physical.openends import OpenEnds, Pieces
from askos.physical.plan import Based, Port


def takes_open(plan: Operator) -> Sequence[bool]:
    """Which inputs of an operator may have open ends; nothing where none may."""
    offer = OFFERS[type(plan)]
    if not is_plain(plan):
        return ()
    return (True,) * len(plan.inputs) if offer.linear else offer.open_ends(plan)


def is_open(plan: Operator, ports: Set[int]) -> bool:
    """Whether what a plan gives has open ends; `ports` are those through which such come."""
    match plan:
        case OpenEnds():
            return True
        case Port():
            return plan.number in ports
        case Based() | Join() | ScanJoin() | AdaptiveJoin():
            return any(is_open(below, ports) for below in plan.inputs)
    offer = OFFERS.get(type(plan))
    return offer is not None and offer.linear and any(is_open(b, ports) for b in plan.inputs)


def in_pieces(plan: Operator, ports: Set[int]) -> Operator:
    """The plan with all ends known: pieces of a union are those of what has open ends in it, and
    who opens ends can give pieces as well."""
    if not is_open(plan, ports):
        return plan
    match plan:
        case OpenEnds():
            return plan.input
        case Union():
            return with_inputs(plan, [in_pieces(below, ports) for below in plan.inputs])
    return Pieces(plan)
