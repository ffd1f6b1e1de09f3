"""From sources to triples: access operators, FROM windows, and their merge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from askos.algebra import Distinct, EmptyGraph, GraphAccess, Operator, StreamAccess, Union
from askos.algebra.chains import chained
from askos.terms import URIRef
from askos.translate.dialect import Dialect
from askos.translate.plan.context import Context
from askos.translate.plan.dataset import GraphSource, Source, Sources, StreamSource
from askos.translate.plan.entail import Entailment
from askos.translate.plan.errors import fault
from askos.translate.plan.windows import window

_HINTS: Final = {
    Dialect.STREAMING: "write WINDOW RANGE 10 MINUTE SLIDE 1 MINUTE after its name in FROM STREAM,"
    " or before the closing brace of the group that reads it",
    Dialect.CQELS: "write [RANGE 10m] after its name; [ALL] holds it for ever",
    Dialect.RSPQL: "write FROM NAMED WINDOW <w> ON <s> [RANGE PT10M STEP PT1M]",
    Dialect.SPARQLSTREAM: "write [NOW - 10 MINUTE SLIDE 1 MINUTE] after its name",
}
_HINT: Final = "write [RANGE 10m STEP 1m] after its name in FROM STREAM"


def content(
    context: Context, sources: Sources, predicates: frozenset[URIRef] | None = None
) -> Operator:
    """The triples of an active graph, windows applied; a set where it has to be one.

    What property paths and DESCRIBE read: windows below, that of a group too.  Where only triples
    with certain predicates count, nothing else has to be entailed.
    """
    streams, graphs = streams_of(sources), graphs_of(sources)
    if context.schema is not None and sources:
        return _closed(context, context.schema, sources, predicates)
    parts = [windowed(context, streams)] if streams or not graphs else []
    if graphs:
        static = triples(context, graphs)
        parts.append(static if context.sets or len(graphs) == 1 else Distinct(static))
    return as_set(context, sources, union(parts))


def _closed(
    context: Context, schema: Operator, sources: Sources, predicates: frozenset[URIRef] | None
) -> Operator:
    """The same with what the schema entails, in any dialect a set.  Streams and graphs apart: what
    graphs entail is evaluated once."""
    streams, graphs = streams_of(sources), graphs_of(sources)
    parts = [windowed(context, streams)] if streams else []
    parts += [triples(context, graphs)] if graphs else []
    wanted = None if predicates is None else sorted(predicates)
    closed = [Entailment(part, schema).graph(wanted) for part in parts]
    return closed[0] if len(closed) == 1 else Distinct(union(closed))


def windowed(context: Context, streams: tuple[StreamSource, ...]) -> Operator:
    """The triples of streams, under the window of the group or each under its own."""
    if context.window is None or not streams:
        return triples(context, streams)
    return window(context, context.window, raw(streams))


def as_set(context: Context, sources: Sources, plan: Operator) -> Operator:
    """`plan`, without copies where the dialect wants a set and `sources` may hold some."""
    copies = len(sources) > 1 or any(isinstance(s, StreamSource) for s in sources)
    return Distinct(plan) if context.sets and copies else plan


def triples(context: Context, sources: Iterable[Source]) -> Operator:
    """The union of the sources, each under its own window."""
    read = [_access(context, source) for source in sources]
    return union(read) if read else EmptyGraph()


def raw(streams: Iterable[StreamSource]) -> Operator:
    """The union of streams as they arrive, for a window above."""
    return union(StreamAccess(stream.iri) for stream in streams)


def union(plans: Iterable[Operator]) -> Operator:
    """Their union, in the order given."""
    return chained(Union, plans)


def streams_of(sources: Iterable[Source]) -> tuple[StreamSource, ...]:
    """The streams among `sources`."""
    return tuple(source for source in sources if isinstance(source, StreamSource))


def graphs_of(sources: Iterable[Source]) -> tuple[GraphSource, ...]:
    """The static graphs among `sources`."""
    return tuple(source for source in sources if isinstance(source, GraphSource))


def _access(context: Context, source: Source) -> Operator:
    """win_FROM(access); windows never apply to static graphs."""
    if isinstance(source, GraphSource):
        return GraphAccess(source.iri, source.reloadable)
    check_window(context, source)
    assert source.window is not None
    return window(context, source.window, StreamAccess(source.iri))


def check_window(context: Context, source: Source) -> None:
    """Refuse a stream that nothing gives a window."""
    if isinstance(source, StreamSource) and not (source.window or context.window):
        hint = _HINTS.get(context.query.dialect, _HINT)
        raise fault(context.query, source.clause, f"stream <{source.iri}> has no window", hint)
