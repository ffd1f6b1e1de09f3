"""Plans and graphs as text."""

from __future__ import annotations

from collections.abc import Iterator
from graphlib import TopologicalSorter

from askos.algebra.names import Names
from askos.algebra.operator import Operator
from askos.explaining.graph import Edge, Graph, Line, Role, Vertex
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
    boxes = {box.id: at for at, box in enumerate(graph.boxes)}
    nodes.sort(key=lambda node: -1 if node.box is None else boxes[node.box])
    numbers = {node.id: str(at) for at, node in enumerate(nodes, start=1)}
    return "\n".join((graph.title, *_lines(graph, nodes, numbers)))


def _in_flow(graph: Graph) -> Iterator[Vertex]:
    """The nodes, each after those that feed it."""
    feeds: dict[str, list[str]] = {node.id: [] for node in graph.nodes}
    for edge in graph.edges:
        feeds[edge.end].append(edge.start)
    nodes = {node.id: node for node in graph.nodes}
    return (nodes[name] for name in TopologicalSorter(feeds).static_order())


def _lines(graph: Graph, nodes: list[Vertex], numbers: dict[str, str]) -> Iterator[str]:
    labels = {box.id: box.label for box in graph.boxes}
    leaving: dict[str, list[Edge]] = {node.id: [] for node in nodes}
    for edge in graph.edges:
        leaving[edge.start].append(edge)
    box = None
    for node in nodes:
        if node.box != box and node.box is not None:
            yield f"  {labels[node.box]}"
        box = node.box
        margin = "    " if box else "  "
        yield f"{margin}{numbers[node.id]} {_said(node)}{_targets(leaving[node.id], numbers)}"


def _said(node: Vertex) -> str:
    result = ["RESULT"] if node.role is Role.PROJECTED else []
    return " ".join((node.line, *result, *(f"[{note}]" for note in node.notes)))


def _targets(leaving: list[Edge], numbers: dict[str, str]) -> str:
    spelt = (
        f"{numbers[edge.end]} EXISTS" if edge.line is Line.EXISTS else numbers[edge.end]
        for edge in leaving
    )
    return f" → {', '.join(spelt)}" if leaving else ""
