"""The W3C query tests through askos: `askos.select`, and the ways that must agree with it.

python w3c_check.py FOLDER --adapter tests.oracles.w3c_adapter --path PROJECT
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import rdflib

from askos import static, translate
from askos.algebra import Operator, Payload
from askos.algebra.answer import answer_columns
from askos.algebra.reference import sequence
from askos.algebra.streams import Item
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.static import Solutions, StaticGraph, load, merge, select
from askos.terms import Solution, Triple, URIRef
from askos.translate import ast

Result = tuple[Any, ...]
Graphs = dict[URIRef, StaticGraph]
Way = Callable[[ast.Query, Graphs], static.Result]


def parse(text: str, base: str = "http://example.org/base/") -> ast.Query:
    return translate.parse(text, dialect="sparql", base=base)


def evaluate(
    text: str, base: str, default: list[str], named: list[tuple[str, str]], way: Way | None = None
) -> Result:
    """What the query answers over the files of its default graph and of its named graphs."""
    query = parse(text, base)
    found = (way or selected)(query, _graphs(query, base, default, named))
    match found:
        case bool():
            return "boolean", found
        case Solutions(variables, rows):
            bindings = [{str(v): row[v] for v in row} for row in rows]
            return "bindings", [str(v) for v in variables], bindings
    graph = rdflib.Graph()
    for triple in found:
        graph.add(tuple(triple))  # type: ignore[arg-type]
    return "graph", graph


def selected(query: ast.Query, graphs: Graphs, optimized: bool = True) -> static.Result:
    """As users do it."""
    graph = graphs.get(DEFAULT_GRAPH)
    named: Any = {str(name): found for name, found in graphs.items() if name != DEFAULT_GRAPH}
    return select(query, graph=graph, named=named, optimized=optimized)


def selected_as_written(query: ast.Query, graphs: Graphs) -> static.Result:
    """Without optimisation."""
    return selected(query, graphs, optimized=False)


def judged(
    query: ast.Query, graphs: Graphs, rewrite: Callable[[Operator], Operator] | None = None
) -> static.Result:
    """By the reference evaluation."""
    catalogue = Catalogue()
    for name in graphs:
        catalogue = catalogue.graph(name)
    plan = translate.create_plan(query, sources=catalogue)
    data = {name: list(graph) for name, graph in graphs.items()}
    found = sequence(rewrite(plan) if rewrite else plan, data, 0)
    return result(plan, found)


def result(plan: Operator, found: Sequence[Item]) -> static.Result:
    """The items that a plan gave, as the result of a query."""
    match plan.payload:
        case Payload.BOOLEAN:
            (answer,) = found
            return bool(answer)
        case Payload.TRIPLE:
            return tuple(item for item in found if isinstance(item, Triple))
    return Solutions(answer_columns(plan), tuple(row for row in found if isinstance(row, Solution)))


def judged_when_optimized(query: ast.Query, graphs: Graphs) -> static.Result:
    """By the reference evaluation, after all rewrites."""
    return judged(query, graphs, translate.optimize)


WAYS: tuple[Way, ...] = (selected, selected_as_written, judged, judged_when_optimized)


def _graphs(
    query: ast.Query, base: str, default: list[str], named: list[tuple[str, str]]
) -> Graphs:
    """The files by the name under which the query reads them: FROM names them one by one."""
    graphs: Graphs = {} if query.dataset else {DEFAULT_GRAPH: StaticGraph()}
    for path in default:
        name = _name(base, path) if query.dataset else DEFAULT_GRAPH
        graphs[name] = merge(graphs.get(name, StaticGraph()), _read(base, path))
    for iri, path in named:
        if URIRef(iri) not in graphs:
            graphs[URIRef(iri)] = _read(base, path)
    return graphs


def _name(base: str, path: str) -> URIRef:
    return URIRef(urljoin(base, Path(path).name))


def _read(base: str, path: str) -> StaticGraph:
    return load(path, base=str(_name(base, path)))
