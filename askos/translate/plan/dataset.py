"""The dataset of a query: which sources its default graph and its named graphs are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from askos.sources import DEFAULT_GRAPH, Catalogue, Graph, Stream
from askos.sources import Source as Known
from askos.terms import URIRef, Variable
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.plan.errors import fault

_ENGINES = frozenset({Dialect.CSPARQL, Dialect.CQELS})
_LENIENT = frozenset({Dialect.CSPARQL, Dialect.SPARQLSTREAM})


@dataclass(frozen=True, slots=True)
class StreamSource:
    """A stream as the query reads it: with the window that FROM gives it, if any."""

    iri: URIRef
    window: ast.Window | None = None
    clause: ast.Node = field(default_factory=ast.Node)


@dataclass(frozen=True, slots=True)
class GraphSource:
    """A static graph."""

    iri: URIRef
    reloadable: bool = False

    @classmethod
    def of(cls, graph: Graph) -> GraphSource:
        """As the catalogue declares it."""
        return cls(graph.iri, graph.reloadable)


Source: TypeAlias = StreamSource | GraphSource
Sources: TypeAlias = tuple[Source, ...]
"""An active graph: the merge of its sources; none is the empty graph."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """The paper's actStream to begin with, and its namedStreams.

    `windows` are RSP-QL's; GRAPH reaches them too.  `streams` are what CQELS's STREAM may name.
    """

    default: Sources
    named: dict[URIRef, Sources]
    windows: dict[URIRef, Sources]
    streams: dict[URIRef, StreamSource]


def dataset(query: ast.Query, catalogue: Catalogue | None) -> Dataset:
    """What the FROM clauses denote, and what the engine adds (semantics, section 4).

    C-SPARQL and CQELS always have the engine's static graphs; the other languages only where
    the query has no FROM clause at all.  In C-SPARQL a FROM STREAM can be named by GRAPH too.
    """
    reader = _Reader(query, catalogue)
    reader.check_kinds()
    default, named = reader.clauses(named=False), reader.clauses(named=True)
    if query.dialect in _LENIENT and not any(isinstance(s, StreamSource) for s in default):
        default += [source for source in named if isinstance(source, StreamSource)]
    if query.dialect is Dialect.CSPARQL:
        named += [s for s in default if isinstance(s, StreamSource) and s not in named]
    windows = reader.windows()
    if query.dialect in _ENGINES or not query.dataset:
        mentioned = {source.iri for source in default + named}
        default += reader.engine_default(mentioned)
        named += reader.engine_named(mentioned)
    return Dataset(tuple(default), _by_name(named) | windows, windows, reader.streams())


def schema_graphs(known: Dataset, catalogue: Catalogue | None) -> tuple[GraphSource, ...]:
    """The graphs that give reasoning its schema: the static ones of the dataset, be they read or
    not, and those that the catalogue declares as schema."""
    found = [*known.default, *(source for parts in known.named.values() for source in parts)]
    declared = catalogue.graphs if catalogue else ()
    found += [GraphSource.of(graph) for graph in declared if graph.schema]
    return tuple(dict.fromkeys(source for source in found if isinstance(source, GraphSource)))


def _by_name(found: Iterable[Source]) -> dict[URIRef, Sources]:
    """One name may stand for several readings of a stream; they are merged."""
    names: dict[URIRef, Sources] = {}
    for source in found:
        names[source.iri] = (*names.get(source.iri, ()), source)
    return names


@dataclass(frozen=True, slots=True)
class _Reader:
    """The FROM clauses of a query, checked against the catalogue."""

    query: ast.Query
    catalogue: Catalogue | None

    def clauses(self, named: bool) -> list[Source]:
        found = (self._source(c) for c in self._from() if c.named is named)
        return list(dict.fromkeys(found))

    def check_kinds(self) -> None:
        """Refuse to read one source as a stream and as a graph."""
        as_graphs = {c.source.value for c in self.query.dataset if isinstance(c, ast.From)}
        for node in self.query.walk():
            match node:
                case (
                    ast.FromStream(source=name)
                    | ast.FromWindow(source=name)
                    | ast.StreamPattern(name=name)
                ) if name.value in as_graphs:
                    message = f"<{name.value}> is read as a stream and as a static graph"
                    raise fault(self.query, name, message, "it can be one of them only")

    def _from(self) -> Iterator[ast.From | ast.FromStream]:
        for clause in self.query.dataset:
            if isinstance(clause, ast.From | ast.FromStream):
                yield clause

    def _source(self, clause: ast.From | ast.FromStream) -> Source:
        if isinstance(clause, ast.FromStream):
            stream = self.stream(clause.source)
            return replace(stream, window=clause.window, clause=clause)
        return self.graph(clause.source)

    def stream(self, name: ast.Term) -> StreamSource:
        """The stream of that name; an error if the catalogue does not have it."""
        iri = _iri(name)
        match self._known(name):
            case Graph():
                hint = "read it by FROM, without STREAM and without a window"
                raise fault(self.query, name, f"<{iri}> is a static graph, not a stream", hint)
        return StreamSource(iri, None, name)

    def graph(self, name: ast.Term) -> GraphSource:
        """The graph of that name; an error if the catalogue does not have it."""
        iri = _iri(name)
        match self._known(name):
            case Stream():
                hint = "write FROM STREAM, and give it a window"
                raise fault(self.query, name, f"<{iri}> is a stream, not a static graph", hint)
            case Graph() as graph:
                return GraphSource.of(graph)
        return GraphSource(iri)

    def _known(self, name: ast.Term) -> Known | None:
        if self.catalogue is None:
            return None
        iri = _iri(name)
        found = self.catalogue.get(iri)
        if found is None:
            hint = self.catalogue.nearest(iri)
            raise fault(self.query, name, f"there is no source <{iri}>", hint)
        return found

    def windows(self) -> dict[URIRef, Sources]:
        """RSP-QL's FROM NAMED WINDOW <w> ON <s> [..]."""
        found: dict[URIRef, Sources] = {}
        for clause in self.query.dataset:
            if isinstance(clause, ast.FromWindow):
                name = _iri(clause.name)
                if name in found:
                    hint = "give every window a name of its own"
                    raise fault(self.query, clause.name, f"window <{name}> is there twice", hint)
                stream = self.stream(clause.source)
                found[name] = (replace(stream, window=clause.window, clause=clause),)
        return found

    def streams(self) -> dict[URIRef, StreamSource]:
        """What STREAM may name: the catalogue's, those of FROM STREAM with their window, and,
        without a catalogue, whatever STREAM names."""
        declared = self.catalogue.streams if self.catalogue else ()
        found = {s.iri: StreamSource(s.iri) for s in declared}
        for clause in self._from():
            if isinstance(clause, ast.FromStream):
                source = self._source(clause)
                assert isinstance(source, StreamSource)
                found[source.iri] = source
        for node in self.query.walk():
            if isinstance(node, ast.StreamPattern) and not isinstance(node.name.value, Variable):
                found.setdefault(_iri(node.name), self.stream(node.name))
        return found

    def engine_default(self, mentioned: set[URIRef]) -> list[Source]:
        """The engine's default graph, where the query does not mention its parts itself."""
        if self.catalogue is None:
            streams = any(isinstance(c, ast.FromStream) for c in self.query.dataset)
            merged = any(isinstance(c, ast.From) and not c.named for c in self.query.dataset)
            return [] if streams or merged else [GraphSource(DEFAULT_GRAPH)]
        graphs = map(GraphSource.of, self.catalogue.default)
        return [graph for graph in graphs if graph.iri not in mentioned]

    def engine_named(self, mentioned: set[URIRef]) -> list[Source]:
        """The engine's graphs are named graphs too; without a catalogue, those that the query
        asks for by name."""
        if self.catalogue is None:
            graphs = [GraphSource(name) for name in self._asked()]
        else:
            graphs = [*map(GraphSource.of, self.catalogue.graphs)]
        named = (graph for graph in graphs if graph.iri != DEFAULT_GRAPH)
        return [graph for graph in named if graph.iri not in mentioned]

    def _asked(self) -> Iterable[URIRef]:
        names = (n.name.value for n in self.query.walk() if isinstance(n, ast.Graph))
        others = {*self.streams(), *self.windows()}
        return dict.fromkeys(n for n in names if isinstance(n, URIRef) and n not in others)


def _iri(name: ast.Term) -> URIRef:
    assert isinstance(name.value, URIRef)
    return name.value
