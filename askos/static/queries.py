"""`select`: plain SPARQL over static data, from text to answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Final, Literal, TypeAlias, overload

from askos.algebra import Operator, Payload
from askos.algebra.answer import answer_columns
from askos.errors import QueryError
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.static.evaluate import evaluate
from askos.static.graph import StaticGraph, merge
from askos.static.interning import Terms
from askos.static.load import load, load_dataset
from askos.static.rdfs import rdfs
from askos.static.statistics import GraphStatistics
from askos.terms import Solution, Term, Triple, URIRef, Variable
from askos.translate import ast, create_plan, optimize, parse

Data: TypeAlias = "str | PathLike[str] | StaticGraph | Iterable[Triple | tuple[Term, Term, Term]]"
"""A file, a graph, or triples, rdflib's graphs among them."""

Graphs: TypeAlias = dict[URIRef, StaticGraph]
_REASONERS: Final = {"rdfs": rdfs}


@dataclass(frozen=True, slots=True)
class Solutions(Sequence[Solution]):
    """The answer of SELECT: its variables in order, and its solutions."""

    variables: tuple[Variable, ...]
    rows: tuple[Solution, ...]

    @overload
    def __getitem__(self, place: int) -> Solution: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Solution, ...]: ...
    def __getitem__(self, place: int | slice) -> Solution | tuple[Solution, ...]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.rows)


Result: TypeAlias = Solutions | tuple[Triple, ...] | bool
"""Of SELECT, of CONSTRUCT and DESCRIBE, and of ASK."""


def select(
    query: ast.Query | str,
    *,
    graph: Data | Sequence[Data] | None = None,
    named: Mapping[str, Data] | None = None,
    base: str | None = None,
    reasoning: Literal["rdfs"] | None = None,
    optimized: bool = True,
) -> Result:
    """The answer of a SPARQL 1.1 query over static data.

    `graph` is the default graph: a file, triples, or several of them, which are merged; `named`
    are the graphs that GRAPH and FROM may name, beside those that files of N-Quads, TriG and
    JSON-LD in `graph` name.  With reasoning="rdfs" each graph entails what
    its subclasses, subproperties, domains and ranges say.

    >>> from askos.terms import Literal, URIRef
    >>> power = URIRef("power")
    >>> park = [(URIRef("T1"), power, Literal(5)), (URIRef("T2"), power, Literal(7))]
    >>> for row in select("SELECT ?t { ?t <power> ?p FILTER (?p > 6) }", graph=park):
    ...     print(row)
    {?t → <T2>}
    >>> select("ASK { <T1> <power> 5 }", graph=park)
    True
    """
    tree = parse(query, base=base) if isinstance(query, str) else query
    check_static(tree)
    graphs = _graphs(graph, named or {}, reasoning)
    catalogue = Catalogue()
    for name in graphs:
        catalogue = catalogue.graph(name)
    canonical = create_plan(tree, sources=catalogue)
    plan = _optimized(canonical, graphs) if optimized else canonical
    found = evaluate(plan, graphs)
    if isinstance(found, bool):
        return found
    if canonical.payload is Payload.TRIPLE:
        return tuple(item for item in found if isinstance(item, Triple))
    rows = tuple(row for row in found if isinstance(row, Solution))
    return Solutions(answer_columns(canonical), rows)


def _optimized(plan: Operator, graphs: Graphs) -> Operator:
    return optimize(plan, statistics=GraphStatistics(graphs))


def check_static(query: ast.Query) -> None:
    """Refuse a query that names a stream."""
    for node in query.walk():
        if isinstance(node, ast.FromStream | ast.FromWindow | ast.StreamPattern):
            raise QueryError(
                "select reads static data, but this is a stream",
                query.text,
                *node.at,
                "askos.create_plan makes a plan of it, for askos.local and askos.spark",
            )


def _graphs(
    graph: Data | Sequence[Data] | None, named: Mapping[str, Data], reasoning: str | None
) -> Graphs:
    if reasoning is not None and reasoning not in _REASONERS:
        raise QueryError(f"reasoning {reasoning!r} is not known", hint="known: rdfs")
    terms = Terms()
    parts: dict[URIRef, list[StaticGraph]] = {DEFAULT_GRAPH: []}
    for part in _parts(graph):
        for name, found in _dataset(part, terms).items():
            parts.setdefault(name, []).append(found)
    for iri, data in named.items():
        parts.setdefault(URIRef(iri), []).append(_graph(data, terms))
    graphs = {name: merge(*found) for name, found in parts.items()}
    if reasoning is not None:
        graphs = {name: _REASONERS[reasoning](found) for name, found in graphs.items()}
    return graphs


def _parts(graph: Data | Sequence[Data] | None) -> list[Data]:
    """Several graphs are a list of files or graphs; a list of triples is one."""
    if graph is None:
        return []
    if isinstance(graph, list | tuple) and graph and not isinstance(graph[0], Triple | tuple):
        return list(graph)
    return [graph]  # type: ignore[list-item]


def _dataset(data: Data, terms: Terms) -> Mapping[URIRef, StaticGraph]:
    """The default graph that is given, and those named in the same file."""
    if isinstance(data, str | PathLike):
        return load_dataset(Path(data), terms=terms)
    return {DEFAULT_GRAPH: _graph(data, terms)}


def _graph(data: Data, terms: Terms) -> StaticGraph:
    match data:
        case StaticGraph():
            return data
        case str() | PathLike():
            return load(Path(data), terms=terms)
    return StaticGraph(data, terms)
