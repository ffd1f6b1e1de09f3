"""How many clauses of a query may stand upon one another."""

from __future__ import annotations

from typing import Final

from askos.translate import ast
from askos.translate.plan.errors import fault

HIGHEST: Final = 200
"""How many OPTIONAL, MINUS, BIND and expressions of SELECT build on one another at most.

Each is an operator over all before it, and what works on plans recurses.  What only joins, unites
or connects conditions is not counted: wide chains of it are balanced.
"""


def check_height(query: ast.Query) -> None:
    """Refuse a query whose plan would be too deep, before it is made; without recursion."""
    heights: dict[int, int] = {}
    for node in reversed(list(query.walk())):  # from the leaves up
        below = max((heights[id(part)] for part in node.parts()), default=0)
        heights[id(node)] = height = below + _own(node)
        if height > HIGHEST:
            message = f"{height} OPTIONAL, MINUS, BIND or (.. AS ?x) stand upon one another here"
            hint = f"{HIGHEST} may: ask for some of it in a query of its own"
            raise fault(query, node, message, hint)


def _own(node: ast.Node) -> int:
    """The operators that a node puts one upon the other."""
    match node:
        case ast.Group(members):
            return sum(isinstance(m, ast.Optional | ast.Minus | ast.Bind) for m in members)
        case ast.Query(form=ast.Select(projections)) | ast.SubSelect(ast.Select(projections)):
            return sum(projection.expression is not None for projection in projections)
    return 0
