"""Plans and graphs as text."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import TopologicalSorter

from askos.algebra.names import Names
from askos.algebra.operator import Operator
from askos.explaining.graph import Graph, Line, Role, Vertex
from askos.explaining.plan import occurrences


def outline(plan: Operator, names: Names) -> str:
    """One operator a line, inputs indented below it."""
    return "\n".join(_outline(plan, names))


def _outline(plan: Operator, names: Names) -> Iterator[str]:
    margins = {"": ""}
    for name, reader, line, node in occurrences(plan):
        margin = margins[reader]
        if line is Line.EXISTS:
            yield f"{margin}EXISTS"
            margin += "  "
        margins[name] = margin + "  "
        yield f"{margin}{type(node).__name__} {node.label(names)}".rstrip()


def listing(graph: Graph) -> str:
    """One node a line, numbered, boxes as headings; after the arrow, where its edges lead.

    Operators come in the order of the flow: sources first, the result last.
    """
    nodes = list(_in_flow(graph)) if graph.upward else list(graph.nodes)
    nodes.sort(key=lambda node: _place(graph, node))
    numbers = {node.id: str(at) for at, node in enumerate(nodes, start=1)}
    return "\n".join((graph.title, *_lines(graph, nodes, numbers)))


def _in_flow(graph: Graph) -> Iterator[Vertex]:
    """The nodes, each after those that feed it."""
    feeds: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        feeds[edge.end].append(edge.start)
    nodes = {node.id: node for node in graph.nodes}
    return (nodes[name] for name in TopologicalSorter(feeds).static_order())


def _place(graph: Graph, node: Vertex) -> int:
    boxes = [None, *(box.id for box in graph.boxes)]
    return boxes.index(node.box)


def _lines(graph: Graph, nodes: list[Vertex], numbers: dict[str, str]) -> Iterator[str]:
    labels = {box.id: box.label for box in graph.boxes}
    box = None
    for node in nodes:
        if node.box != box and node.box is not None:
            yield f"  {labels[node.box]}"
        box = node.box
        margin = "    " if box else "  "
        yield f"{margin}{numbers[node.id]} {_said(node)}{_targets(graph, node, numbers)}"


def _said(node: Vertex) -> str:
    result = ["RESULT"] if node.role is Role.PROJECTED else []
    return " ".join((node.line, *result, *(f"[{note}]" for note in node.notes)))


def _targets(graph: Graph, node: Vertex, numbers: dict[str, str]) -> str:
    leaving = [edge for edge in graph.edges if edge.start == node.id]
    spelt = (
        f"{numbers[edge.end]} EXISTS" if edge.line is Line.EXISTS else numbers[edge.end]
        for edge in leaving
    )
    return f" → {', '.join(spelt)}" if leaving else ""
