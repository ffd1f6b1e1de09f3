"""How many exchanges a plan needs, by the variables its operators can be spread over."""

from __future__ import annotations

from collections.abc import Set
from typing import TypeAlias

from askos.algebra import (
    AntiJoin,
    Group,
    Join,
    LeftJoin,
    MarkJoin,
    Minus,
    Operator,
    Payload,
    Ref,
    SemiJoin,
    StreamAccess,
    Union,
    Values,
    Window,
)
from askos.algebra.operators.filter import Filter
from askos.algebra.operators.pattern import Pattern
from askos.algebra.operators.project import Project
from askos.terms import Variable

Keys: TypeAlias = frozenset[Variable] | None
"""The variables that may still be the key of all operators met; None while any will do."""


def exchanges(plan: Operator) -> int:
    """The number of times that rows have to be spread anew between operators with state.

    Operators with state can run side by side as long as some variable is a key of all of them:
    equal keys meet in one place.  So a star of joins on ?turbine needs none.  What reads no
    stream is evaluated once, before.
    """
    return _fragment(plan, streaming(plan))[0]


def streaming(plan: Operator) -> Set[int]:
    """The nodes of a plan, by identity, that read a stream themselves or below."""
    found: set[int] = set()
    for node in reversed(list(plan.walk())):
        if isinstance(node, StreamAccess) or any(id(child) in found for child in node.children):
            found.add(id(node))
    return found


def _fragment(plan: Operator, streams: Set[int]) -> tuple[int, Keys]:
    if id(plan) not in streams or _is_stateless(plan):
        return 0, None
    below = [_fragment(child, streams) for child in plan.inputs]
    match plan:
        case Join(a, b) | LeftJoin(a, b) | SemiJoin(a, b) | AntiJoin(a, b):
            return _fused(plan, below, a.bound & b.bound)
        case MarkJoin(a, b) | Minus(a, b):
            return _fused(plan, below, a.bound & b.bound)
        case Group():
            return _fused(plan, below, plain_keys(plan))
        case Union():
            first = next((keys for _, keys in below if keys is not None), frozenset[Variable]())
            return _fused(plan, below, first)
    return below[0]


def plain_keys(plan: Group) -> frozenset[Variable]:
    """The keys that are variables standing for themselves."""
    return frozenset(key.variable for key in plan.keys if key.value == Ref(key.variable))


def _fused(
    plan: Operator, inputs: list[tuple[int, Keys]], keys: frozenset[Variable]
) -> tuple[int, Keys]:
    count = 0
    for child, (before, theirs) in zip(plan.inputs, inputs, strict=True):
        common = keys if theirs is None else keys & theirs & child.variables
        fits = bool(common) or theirs is None or not (keys or theirs)
        count += before if fits else before + 1
        keys = common if fits else keys
    return count, keys


def _is_stateless(plan: Operator) -> bool:
    """Whether what becomes of an element depends on it alone."""
    if plan.payload is Payload.TRIPLE:
        return True
    match plan:
        case Pattern():
            return True
        case Filter() | Project() | Window():
            return _is_stateless(plan.input)
        case Union(a, b):
            return _is_stateless(a) and _is_stateless(b)
        case Join(a, Values()) | Join(Values(), a):
            return _is_stateless(a)
    return False
