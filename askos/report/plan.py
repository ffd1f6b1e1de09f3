"""The picture of a plan, with how many rows each operator told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from askos.algebra import Operator
from askos.algebra.names import Names
from askos.explaining.plan import plan_graph
from askos.explaining.svg import svg


def plan_picture(
    plan: Operator, rows: Mapping[str, int], prefixes: Mapping[str, str], title: str = "Plan"
) -> str:
    """SVG.  `rows` are by the names that `askos.explaining.plan.occurrences` gives operators; those
    that are not counted by themselves have none."""
    graph = plan_graph(plan, Names(prefixes))
    nodes = tuple(
        replace(node, notes=(*node.notes, f"{rows[node.id]:,} rows")) if node.id in rows else node
        for node in graph.nodes
    )
    return svg(replace(graph, nodes=nodes, title=title))
