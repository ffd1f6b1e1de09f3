"""The W3C query tests through askos: parse, create_plan, evaluate.

python w3c_check.py FOLDER --adapter tests.oracles.w3c_adapter --path PROJECT
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urljoin

import rdflib

from askos import translate
from askos.algebra import Operator, Payload, Project
from askos.algebra.reference import sequence
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.terms import Solution, Term, Triple, URIRef
from askos.translate import ast

FORMATS = {".ttl": "turtle", ".n3": "turtle", ".nt": "nt", ".rdf": "xml"}
Result = tuple[str, list[str], list[dict[str, Term]]] | tuple[str, bool] | tuple[str, rdflib.Graph]
Graphs = dict[URIRef, list[Triple]]


def parse(text: str, base: str = "http://example.org/base/") -> ast.Query:
    return translate.parse(text, dialect="sparql", base=base)


def evaluate(
    text: str,
    base: str,
    default: list[str],
    named: list[tuple[str, str]],
    rewrite: Callable[[Operator], Operator] = lambda plan: plan,
) -> Result:
    """What the query answers over the files of its default graph and of its named graphs."""
    query = parse(text, base)
    graphs = _graphs(query, base, default, named)
    catalogue = Catalogue()
    for name in graphs:
        catalogue = catalogue.graph(name)
    plan = rewrite(translate.create_plan(query, sources=catalogue))
    found = sequence(plan, graphs, 0)
    match plan.payload:
        case Payload.BOOLEAN:
            return "boolean", bool(found[0])
        case Payload.TRIPLE:
            return "graph", _graph(found)
    columns = next(node.columns for node in plan.walk() if isinstance(node, Project))
    rows = [{str(v): row[v] for v in row} for row in found if isinstance(row, Solution)]
    return "bindings", [str(v) for v in columns], rows


def _graphs(
    query: ast.Query, base: str, default: list[str], named: list[tuple[str, str]]
) -> Graphs:
    """The files by the name under which the query reads them: FROM names them one by one."""
    graphs: Graphs = {} if query.dataset else {DEFAULT_GRAPH: []}
    for path in default:
        name = _name(base, path) if query.dataset else DEFAULT_GRAPH
        graphs.setdefault(name, []).extend(_read(base, path))
    for iri, path in named:
        if URIRef(iri) not in graphs:
            graphs[URIRef(iri)] = _read(base, path)
    return graphs


def _name(base: str, path: str) -> URIRef:
    return URIRef(urljoin(base, Path(path).name))


def _read(base: str, path: str) -> list[Triple]:
    graph = rdflib.Graph().parse(
        path, format=FORMATS[Path(path).suffix], publicID=_name(base, path)
    )
    return [Triple(*triple) for triple in graph]  # type: ignore[arg-type]


def _graph(triples: object) -> rdflib.Graph:
    graph = rdflib.Graph()
    assert isinstance(triples, tuple)
    for triple in triples:
        graph.add(tuple(triple))
    return graph
