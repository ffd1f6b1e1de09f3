"""How deep a plan may be."""

from __future__ import annotations

from typing import Final

from askos.algebra.operator import Operator
from askos.algebra.placement import own_patterns
from askos.errors import UnsupportedError

DEPTH: Final = 200
"""How many operators may stand above one another in a plan that hosts run."""


def check_depth(plan: Operator) -> None:
    """Refuse a plan that is too deep, before anything starts."""
    found = depth(plan)
    if found > DEPTH:
        raise UnsupportedError(
            f"the plan is {found} operators deep, and hosts take {DEPTH}",
            hint="split the query in two, one reading what the other publishes",
        )


def depth(plan: Operator) -> int:
    """How many operators stand above one another, EXISTS included.

    With a list of its own: a plan may be deeper than Python's stack.
    """
    deepest, level = 0, [plan]
    while level:
        deepest += 1
        below = {id(n): n for node in level for n in (*node.inputs, *own_patterns(node))}
        level = list(below.values())
    return deepest
