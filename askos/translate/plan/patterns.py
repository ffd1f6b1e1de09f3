"""Triple patterns and property paths over the active graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from askos.algebra import Distinct, Operator, Path, Pattern
from askos.algebra.joins import joined
from askos.algebra.operators.paths import followed
from askos.algebra.operators.pattern import Position
from askos.terms import URIRef, Variable, anonymous
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.plan.access import (
    as_set,
    check_window,
    content,
    graphs_of,
    raw,
    streams_of,
    triples,
    union,
    windowed,
)
from askos.translate.plan.context import Context
from askos.translate.plan.dataset import Sources, StreamSource
from askos.translate.plan.entail import Entailment
from askos.translate.plan.errors import fault, not_offered, placed
from askos.translate.plan.paths import path_expression
from askos.translate.plan.triples import Statement, flatten
from askos.translate.plan.windows import window

Positions: TypeAlias = tuple[Position, Position, Position]


def basic_graph_pattern(context: Context, written: Iterable[ast.Triples]) -> Operator:
    """A triples block: the join of its triples (Streaming SPARQL, Def. 11)."""
    statements = flatten(context, written, anonymous)
    triples = (triple for statement in statements for triple in _simple(context, statement))
    return joined(_triple(context, triple) for triple in triples)


def _simple(context: Context, statement: Statement) -> Iterator[Statement]:
    """Paths that say no more than triples do, as triples (SPARQL 1.1, 18.2.2.4)."""
    match statement.verb:
        case ast.PathInverse(inner):
            turned = replace(
                statement, subject=statement.object, verb=inner, object=statement.subject
            )
            yield from _simple(context, turned)
        case ast.PathSequence():
            for step in _steps(context, statement):
                yield from _simple(context, step)
        case _:
            yield statement


def _steps(context: Context, statement: Statement) -> Iterator[Statement]:
    """X a/b Y is X a ?v . ?v b Y, with a variable of its own."""
    assert isinstance(statement.verb, ast.PathSequence)
    start, last = statement.subject, len(statement.verb.steps)
    for number, step in enumerate(statement.verb.steps, 1):
        fresh = context.fresh(statement.verb, statement.place, number)
        end = statement.object if number == last else fresh
        yield replace(statement, subject=start, verb=step, object=end)
        start = end


def _triple(context: Context, statement: Statement) -> Operator:
    """A triple pattern, or a property path."""
    _check_readable(context, statement)
    with placed(context.query, statement.node):
        match statement.verb:
            case ast.Term(URIRef() | Variable() as predicate):
                return _pattern(context, (statement.subject, predicate, statement.object))
        path = path_expression(statement.verb)
        graph = content(context, context.active, followed(path))
        return Path(statement.subject, path, statement.object, graph)


def _pattern(context: Context, positions: Positions) -> Operator:
    """ν over the merge of the sources.

    A set has its Distinct above ν: ν is injective, and only what matches must be kept.  Where
    streams are bags, static graphs, which are sets, are matched apart from them.
    """
    sources = context.active
    if context.schema is not None and sources:
        return _entailed(context, context.schema, positions)
    if context.sets and context.window is None:
        return as_set(context, sources, _match(context, positions, sources))
    streams, graphs = streams_of(sources), graphs_of(sources)
    parts = [held(context, positions, streams)] if streams or not graphs else []
    if graphs:
        static = _match(context, positions, graphs)
        parts.append(Distinct(static) if len(graphs) > 1 else static)
    return as_set(context, sources, union(parts))


def _entailed(context: Context, schema: Operator, positions: Positions) -> Operator:
    """ν over what the sources entail; streams and static graphs apart, so that what graphs entail
    is evaluated once."""
    streams, graphs = streams_of(context.active), graphs_of(context.active)
    parts = []
    if streams:
        _check_counts_triples(context)
        closed = Entailment(windowed(context, streams), schema)
        parts.append(closed.set(*positions) if context.sets else closed.bag(*positions))
    if graphs:
        parts.append(Entailment(triples(context, graphs), schema).set(*positions))
    together = context.sets and len(parts) > 1
    return Distinct(union(parts)) if together else union(parts)


def _check_counts_triples(context: Context) -> None:
    """A window on time may as well stand below ν; one that counts matches may not, for what
    matches is known only above it."""
    if isinstance(context.window, ast.CountWindow | ast.PredicateWindow):
        message = "with reasoning, a group's window cannot go by its matches"
        hint = "write the window in FROM STREAM, where it goes by triples; or give it a RANGE"
        raise not_offered(context.query, context.window, message, hint)


def held(context: Context, positions: Positions, streams: tuple[StreamSource, ...]) -> Operator:
    """Algorithm 1, Triple: without a group window ν(win_FROM(access)), with one win(ν(access));
    once, over the union of the streams."""
    if context.window is None or not streams:
        return _match(context, positions, streams)
    matched = Pattern(*positions, raw(streams), _stamps(context, positions))
    return window(context, context.window, matched)


def _match(context: Context, positions: Positions, sources: Sources) -> Operator:
    stamps = _stamps(context, positions) if streams_of(sources) else ()
    return Pattern(*positions, triples(context, sources), stamps)


def _stamps(context: Context, positions: Iterable[Position]) -> tuple[Variable, ...]:
    """The variables of the pattern whose arrival time timestamp() asks for."""
    found = dict.fromkeys(p for p in positions if isinstance(p, Variable))
    return tuple(variable for variable in found if variable in context.stamps)


def _check_readable(context: Context, statement: Statement) -> None:
    """Every stream needs a window, and Streaming SPARQL reads a NAMED stream by GRAPH alone."""
    for source in context.active:
        check_window(context, source)
    streams = [name for name, parts in context.dataset.named.items() if streams_of(parts)]
    outside = not context.active and not context.inside_graph
    if outside and streams and context.query.dialect is Dialect.STREAMING:
        message = f"this reads the default graph, but stream <{streams[0]}> is NAMED"
        hint = f"write GRAPH <{streams[0]}> {{ .. }} around it, or leave NAMED out"
        raise fault(context.query, statement.node, message, hint)
