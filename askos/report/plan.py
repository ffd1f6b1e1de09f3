"""The picture of a plan, with how many rows each operator told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from askos.algebra import Operator, Static
from askos.algebra.names import Names
from askos.explaining.plan import occurrences, plan_graph
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
    graph = plan_graph(plan, Names(prefixes))
    nodes = {node.id: node for node in graph.nodes}
    for place in running(plan):
        known = counts.get(nodes[place].line, [])
        if known:
            notes = (*nodes[place].notes, f"{known.pop(0):,} rows")
            nodes[place] = replace(nodes[place], notes=notes)
    return svg(replace(graph, nodes=tuple(nodes.values()), title=title))


def running(plan: Operator) -> Iterator[str]:
    """The names of operators in the picture, inputs first; without what is evaluated beforehand."""
    below: dict[str, list[str]] = {}
    static = set[str]()
    for name, reader, _, node in occurrences(plan):
        below.setdefault(reader, []).append(name)
        if isinstance(node, Static) or reader in static:
            static.add(name)
    todo = [(name, False) for name in below[""]]
    while todo:
        name, done = todo.pop()
        if done and name not in static:
            yield name
        elif not done:
            todo += [(name, True), *((each, False) for each in reversed(below.get(name, [])))]
