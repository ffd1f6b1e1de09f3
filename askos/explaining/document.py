"""Graphs as JSON, for machines."""

from __future__ import annotations

import json
from typing import Any, Final

from askos.explaining.graph import Box, Edge, Graph, Vertex

VERSION: Final = 1


def document(graph: Graph) -> str:
    """{"askos explain": 1, "view": .., "nodes": [..], "edges": [..], "boxes": [..]}.

    A node has "id", "role", "title", "text", and if there are any "notes", "variables" (which a
    solution may bind), "bound" (which every solution binds) and the "box" it is in; an edge
    "from", "to", "line" and "label".  Only for looking: `to_json` writes a plan to read back.
    """
    content = {
        "askos explain": VERSION,
        "view": graph.view,
        "nodes": [_node(node) for node in graph.nodes],
        "edges": [_edge(edge) for edge in graph.edges],
        "boxes": [_box(box) for box in graph.boxes],
    }
    return json.dumps(content, indent=2, ensure_ascii=False)


def _node(node: Vertex) -> dict[str, Any]:
    lists = {"notes": node.notes, "variables": node.variables, "bound": node.bound}
    return {
        "id": node.id,
        "role": node.role.value,
        "title": node.title,
        "text": node.text,
        **{name: list(members) for name, members in lists.items() if members},
        **({"box": node.box} if node.box else {}),
    }


def _edge(edge: Edge) -> dict[str, str]:
    return {"from": edge.start, "to": edge.end, "line": edge.line.value, "label": edge.label}


def _box(box: Box) -> dict[str, str]:
    return {"id": box.id, "role": box.role.value, "label": box.label}
