"""Graphs as Mermaid flowcharts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from askos.explaining.graph import Edge, Graph, Line, Role, Vertex
from askos.explaining.style import INK, STYLES, Shape

_ARROWS: Final = {Line.FLOW: "-->", Line.EXISTS: "-.->", Line.TRIPLE: "-->", Line.LINK: "-.->"}
_SAFE: Final = frozenset(" _?:.,/()-+=|!'{}[]…→×·")


def mermaid(graph: Graph) -> str:
    """A flowchart: sources are stadiums, EXISTS a dotted link, boxes subgraphs.

    Every label is quoted, and whatever Mermaid could read as markup is an entity code.
    """
    lines = [
        f"flowchart {'BT' if graph.upward else 'TB'}",
        *_content(graph),
        *(f"  {_edge(edge)}" for edge in graph.edges),
        *(f"  {line}" for line in _classes(graph)),
    ]
    return "\n".join(lines)


def _content(graph: Graph) -> Iterator[str]:
    for node in graph.within(None):
        yield f"  {_node(node)}"
    for box in graph.boxes:
        yield f"  subgraph {box.id}[{_quoted(box.label)}]"
        yield from (f"    {_node(node)}" for node in graph.within(box.id))
        yield "  end"


def _node(node: Vertex) -> str:
    lines = (node.title, node.text, *node.notes)
    label = "<br/>".join(_escaped(line) for line in lines if line)
    stadium = STYLES[node.role].shape is Shape.STADIUM
    shape = f'(["{label}"])' if stadium else f'["{label}"]'
    return f"{node.id}{shape}:::{_class(node.role)}"


def _edge(edge: Edge) -> str:
    label = f"|{_quoted(edge.label)}|" if edge.label else ""
    return f"{edge.start} {_ARROWS[edge.line]}{label} {edge.end}"


def _classes(graph: Graph) -> Iterator[str]:
    used = {node.role for node in graph.nodes} | {box.role for box in graph.boxes}
    for role in (role for role in Role if role in used):
        style = STYLES[role]
        yield f"classDef {_class(role)} fill:{style.fill},stroke:{style.stroke},color:{INK}"
    for box in graph.boxes:
        fill = "none" if box.role in (Role.STREAM, Role.GRAPH) else STYLES[box.role].fill
        stroke = STYLES[box.role].stroke
        yield f"style {box.id} fill:{fill},stroke:{stroke},stroke-dasharray:5 4"


def _class(role: Role) -> str:
    return role.value.replace(" ", "_")


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """Letters, digits and harmless signs as they are, the rest as decimal entity codes."""
    return "".join(c if c.isalnum() or c in _SAFE else f"#{ord(c)};" for c in text)
