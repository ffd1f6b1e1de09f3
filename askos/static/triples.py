"""Plans that yield triples: graphs, their merge, CONSTRUCT and DESCRIBE."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from askos.algebra import (
    Construct,
    Describe,
    Distinct,
    EmptyGraph,
    GraphAccess,
    Operator,
    Template,
    Union,
)
from askos.algebra.expressions.call import keyed_hash
from askos.algebra.operators.pattern import Position
from askos.static.evaluation import Evaluation
from askos.static.given import Given
from askos.static.graph import Numbered, StaticGraph
from askos.static.interning import UNBOUND
from askos.static.table import Row, Table
from askos.terms import BNode, Literal, URIRef, Variable, n3


def sources(at: Evaluation, plan: Operator) -> tuple[StaticGraph, ...]:
    """The graphs whose triples, as a bag, `plan` yields: a triple of two graphs counts twice."""
    found, todo = list[StaticGraph](), [plan]
    while todo:
        match todo.pop():
            case Union(left, right):
                todo += [right, left]
            case EmptyGraph():
                pass
            case GraphAccess(source):
                found.append(at.graph(source))
            case Given(number) if at.data is not None:
                found += at.data.graphs[number]
            case Distinct(input):
                found.append(_merged(at, at.sources(input)))
            case Construct() as made:
                found.append(StaticGraph.numbered(_construct(at, made), at.terms))
            case Describe() as asked:
                found.append(StaticGraph.numbered(_describe(at, asked), at.terms))
            case other:
                raise TypeError(f"{type(other).__name__} does not yield triples")
    return tuple(found)


def _merged(at: Evaluation, graphs: tuple[StaticGraph, ...]) -> StaticGraph:
    """The graphs as one set; the same graphs are merged once."""
    distinct = tuple({id(graph): graph for graph in graphs}.values())
    if len(distinct) == 1:
        return distinct[0]
    key = frozenset(map(id, distinct))
    if key not in at.merged:
        ids = frozenset[Numbered]().union(*(graph.ids for graph in distinct))
        at.merged[key] = StaticGraph.numbered(ids, at.terms)
    return at.merged[key]


# ---- CONSTRUCT --------------------------------------------------------------------------------


def _construct(at: Evaluation, plan: Construct) -> set[Numbered]:
    """The template's triples for every copy of every solution."""
    table = at.solve(plan.input)
    if not plan.blanks:
        seen = {p for t in plan.template for p in t.positions if isinstance(p, Variable)}
        table = table.project(sorted(seen))
    triples = set[Numbered]()
    for row, copies in Counter(table.rows).items():
        for copy in range(copies if plan.blanks else 1):
            place = _placing(at, plan, table, row, copy)
            triples.update(_instances(at, plan.template, place))
    return triples


def _placing(
    at: Evaluation, plan: Construct, table: Table, row: Row, copy: int
) -> Callable[[Position], int]:
    """What the positions of the template stand for in one copy of a solution."""
    bound = dict(zip(table.columns, row, strict=True))
    names = sorted(v for v in bound if bound[v] != UNBOUND)
    content = " ".join(f"{n3(v)} {n3(at.terms[bound[v]])}" for v in names) if plan.blanks else ""

    def place(position: Position) -> int:
        match position:
            case Variable():
                return bound.get(position, UNBOUND)
            case BNode():
                key = keyed_hash(plan.site, str(position), content, str(copy))
                return at.terms.intern(BNode(f"c{key.hex()}"))
        return at.terms.intern(position)

    return place


def _instances(
    at: Evaluation, templates: Iterable[Template], place: Callable[[Position], int]
) -> Iterator[Numbered]:
    """The triples that are statements: bound throughout, each term where it may be."""
    for template in templates:
        s, p, o = map(place, template.positions)
        if UNBOUND in (s, p, o) or isinstance(at.terms[s], Literal):
            continue
        if isinstance(at.terms[p], URIRef):
            yield s, p, o


# ---- DESCRIBE ---------------------------------------------------------------------------------


def _describe(at: Evaluation, plan: Describe) -> set[Numbered]:
    """The triples about each resource, and about the blank nodes they lead to."""
    named = (resource for resource in plan.resources if isinstance(resource, URIRef))
    todo = [at.terms.intern(resource) for resource in named]
    table = at.solve(plan.input)
    for column in plan.resources:
        if isinstance(column, Variable) and (index := table.place(column)) is not None:
            todo += {row[index] for row in table.rows} - {UNBOUND}
    graphs, described, triples = at.sources(plan.graph), set[int](), set[Numbered]()
    while todo:
        node = todo.pop()
        if node not in described:
            described.add(node)
            about = [triple for graph in graphs for triple in graph.match(node)]
            triples.update(about)
            todo += [o for _, _, o in about if isinstance(at.terms[o], BNode)]
    return triples
