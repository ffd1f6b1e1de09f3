"""Which expressions depend on the report instant."""

from __future__ import annotations

from askos.algebra.expressions.call import Call
from askos.algebra.expressions.registry import Nature
from askos.algebra.node import Node


def uses_instant(node: Node) -> bool:
    """Whether NOW(), or a function like it, is called anywhere below."""
    return any(
        isinstance(part, Call) and part.function.nature is Nature.INSTANT for part in node.walk()
    )
