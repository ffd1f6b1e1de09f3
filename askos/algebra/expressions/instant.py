"""Which expressions depend on the report instant."""

from __future__ import annotations

from askos.algebra.expressions.call import Call
from askos.algebra.expressions.registry import Nature
from askos.algebra.node import Node


def uses_instant(node: Node) -> bool:
    """Whether NOW(), or a function like it, is called anywhere below."""
    return any(map(is_instant, node.walk()))


def is_instant(node: Node) -> bool:
    """Whether the node itself is such a call."""
    return isinstance(node, Call) and node.function.nature is Nature.INSTANT
