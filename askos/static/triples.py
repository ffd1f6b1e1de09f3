"""Plans that yield triples: graphs, their merge, CONSTRUCT and DESCRIBE."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from askos.algebra import (
    Construct,
    Describe,
    Distinct,
    EmptyGraph,
    GraphAccess,
    Operator,
    Union,
)
from askos.algebra.expressions.call import keyed_hash
from askos.algebra.operators.pattern import Position
from askos.columns.keys import distinct, nth
from askos.static.evaluation import Evaluation
from askos.static.given import Given
from askos.static.graph import NO_TRIPLES, StaticGraph
from askos.static.interning import UNBOUND
from askos.static.joins import once
from askos.static.table import Ids, Mask, Table
from askos.terms import BNode, Literal, Term, URIRef, Variable, n3


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
    different = tuple({id(graph): graph for graph in graphs}.values())
    if len(different) == 1:
        return different[0]
    key = frozenset(map(id, different))
    if key not in at.merged:
        rows = np.concatenate([NO_TRIPLES, *(graph.ids for graph in different)])
        at.merged[key] = StaticGraph.numbered(rows, at.terms)
    return at.merged[key]


# ---- CONSTRUCT --------------------------------------------------------------------------------


def _construct(at: Evaluation, plan: Construct) -> Ids:
    """The template's triples for every copy of every solution."""
    table = at.solve(plan.input)
    if not plan.blanks:
        seen = {p for t in plan.template for p in t.positions if isinstance(p, Variable)}
        table = once(table.project(sorted(seen)))
    blanks = _blanks(at, plan, table) if plan.blanks else {}
    triples = [NO_TRIPLES]
    for template in plan.template:
        columns = [_placed(at, position, table, blanks) for position in template.positions]
        triples.append(_statements(at, np.stack(columns, axis=1)))
    return np.concatenate(triples)


def _placed(at: Evaluation, position: Position, table: Table, blanks: Mapping[BNode, Ids]) -> Ids:
    """What a position of the template stands for, row by row."""
    match position:
        case Variable():
            return table.column(position)
        case BNode():
            return blanks[position]
    return np.full(table.size, at.terms.intern(position))


def _blanks(at: Evaluation, plan: Construct, table: Table) -> Mapping[BNode, Ids]:
    """Per blank node of the template the node that stands for it in each copy of a solution."""
    codes, examples = distinct(table.ids, table.size)
    contents = [_content(at, table, row) for row in examples.tolist()]
    copies = list(zip(codes.tolist(), nth(codes).tolist(), strict=True))

    def named(blank: BNode) -> Ids:
        keys = (keyed_hash(plan.site, str(blank), contents[code], str(n)) for code, n in copies)
        return np.array([at.terms.intern(BNode(f"c{key.hex()}")) for key in keys], np.int64)

    positions = (position for template in plan.template for position in template.positions)
    return {blank: named(blank) for blank in set(positions) if isinstance(blank, BNode)}


def _content(at: Evaluation, table: Table, row: int) -> str:
    """What a solution binds, as text."""
    bound = {v: int(ids[row]) for v, ids in zip(table.columns, table.ids, strict=True)}
    names = sorted(v for v in bound if bound[v] != UNBOUND)
    return " ".join(f"{n3(v)} {n3(at.terms[bound[v]])}" for v in names)


def _statements(at: Evaluation, rows: Ids) -> Ids:
    """The triples that are statements: bound throughout, each term where it may be."""
    rows = rows[rows.all(axis=1)]
    resource = _are(at, rows[:, 0], lambda term: not isinstance(term, Literal))
    return rows[resource & _are(at, rows[:, 1], lambda term: isinstance(term, URIRef))]


def _are(at: Evaluation, ids: Ids, judge: Callable[[Term], bool]) -> Mask:
    """Which ids are of terms that `judge` agrees to."""
    known, places = np.unique(ids, return_inverse=True)
    return np.array([judge(at.terms[number]) for number in known.tolist()], np.bool_)[places]


# ---- DESCRIBE ---------------------------------------------------------------------------------


def _describe(at: Evaluation, plan: Describe) -> Ids:
    """The triples about each resource, and about the blank nodes they lead to."""
    named = (resource for resource in plan.resources if isinstance(resource, URIRef))
    table = at.solve(plan.input)
    asked = [table.column(c) for c in plan.resources if isinstance(c, Variable)]
    nodes = np.unique(np.concatenate([[at.terms.intern(r) for r in named], *asked]))
    nodes = nodes[nodes != UNBOUND].astype(np.int64)
    graphs, described, triples = at.sources(plan.graph), nodes, [NO_TRIPLES]
    while len(nodes):
        about = np.concatenate([NO_TRIPLES, *(_about(graph, nodes) for graph in graphs)])
        triples.append(about)
        nodes = np.setdiff1d(about[:, 2], described)
        nodes = nodes[_are(at, nodes, lambda term: isinstance(term, BNode))]
        described = np.union1d(described, nodes)
    return np.concatenate(triples)


def _about(graph: StaticGraph, nodes: Ids) -> Ids:
    rows, (predicates, objects) = graph.match((nodes, None, None), len(nodes))
    return np.stack([nodes[rows], predicates, objects], axis=1)
