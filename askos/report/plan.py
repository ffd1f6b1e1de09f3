"""The picture of a plan, with how many rows each operator told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from askos.algebra import Operator
from askos.algebra.names import Names
from askos.explaining.plan import plan_graph
from askos.explaining.svg import svg


def plan_picture(
    plan: Operator,
    rows: Iterable[tuple[str, int]],
    prefixes: Mapping[str, str],
    title: str = "Plan",
) -> str:
    """SVG.  `rows` are by operator, named as a line of `explain`, inputs first; of several with one
    name the first is the lowest.  What is not counted by itself has none."""
    counts: dict[str, list[int]] = {}
    for name, count in rows:
        counts.setdefault(name, []).append(count)
    graph, nodes = plan_graph(plan, Names(prefixes)), []
    for node in reversed(graph.nodes):  # which has readers first
        known = counts.get(node.line, [])
        note = (f"{known.pop(0):,} rows",) if known else ()
        nodes.append(replace(node, notes=(*node.notes, *note)))
    return svg(replace(graph, nodes=tuple(reversed(nodes)), title=title))
