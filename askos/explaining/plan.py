"""The plan as a graph: one node an operator, edges from each input to its reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from askos.algebra.names import Names
from askos.algebra.operator import Operator, Payload
from askos.algebra.operators import (
    Ask,
    Construct,
    Describe,
    EmptyGraph,
    GraphAccess,
    Path,
    Pattern,
    StreamAccess,
    Values,
)
from askos.algebra.placement import own_patterns
from askos.algebra.windows import Window
from askos.explaining.graph import Edge, Graph, Line, Role, Vertex
from askos.terms import n3

_CARRIES: Final = {Payload.TRIPLE: "triples", Payload.BOOLEAN: "true or false"}


def plan_graph(plan: Operator, names: Names) -> Graph:
    """The tree of `plan`; a sub-plan that occurs twice is drawn twice, as `explain` prints it."""
    placed = list(occurrences(plan))
    nodes = (
        vertex(place, node, type(node).__name__, node.label(names)) for place, _, _, node in placed
    )
    edges = (
        Edge(place, reader, line, carried(node, line))
        for place, reader, line, node in placed
        if reader
    )
    return Graph("plan", "Plan", tuple(nodes), tuple(edges))


def occurrences(plan: Operator) -> Iterator[tuple[str, str, Line, Operator]]:
    """Every operator with a name of its own, the name of the one that reads it ("" above the
    root), and how; in the order of `explain`.

    With a stack of its own: a plan may be deeper than Python's.
    """
    count = 0
    todo: list[tuple[str, Line, Operator]] = [("", Line.FLOW, plan)]
    while todo:
        reader, line, node = todo.pop()
        count += 1
        name = f"n{count}"
        yield name, reader, line, node
        below = [(name, Line.FLOW, child) for child in node.inputs]
        inner = [(name, Line.EXISTS, pattern) for pattern in own_patterns(node)]
        todo.extend(reversed(below + inner))


def carried(plan: Operator, line: Line = Line.FLOW) -> str:
    """What leaves an operator: its variables, those in brackets that may be unbound.

    >>> from askos.terms import Variable
    >>> carried(Values((Variable("x"), Variable("y")), ((None, None),)))
    '(?x) (?y)'
    """
    bound = plan.bound
    spelt = ((n3(v), v in bound) for v in sorted(plan.variables))
    shown = " ".join(name if sure else f"({name})" for name, sure in spelt)
    shown = _CARRIES.get(plan.payload, shown or "no variables")
    return f"EXISTS {shown}" if line is Line.EXISTS else shown


def vertex(name: str, plan: Operator, title: str, text: str, notes: tuple[str, ...] = ()) -> Vertex:
    """The node of an operator."""
    variables = tuple(n3(v) for v in sorted(plan.variables))
    bound = tuple(n3(v) for v in sorted(plan.bound))
    return Vertex(name, role_of(plan), title, text, notes, variables, bound)


def role_of(plan: Operator) -> Role:
    """How an operator is drawn."""
    match plan:
        case StreamAccess():
            return Role.STREAM
        case GraphAccess() | EmptyGraph():
            return Role.GRAPH
        case Values():
            return Role.TABLE
        case Window():
            return Role.WINDOW
        case Pattern() | Path():
            return Role.PATTERN
        case Ask() | Construct() | Describe():
            return Role.RESULT
    return Role.OPERATOR
