"""The catalogue: which streams and graphs there are, and what is known about them.

Catalogue().stream("http://wind.example/scada", lateness_ms=30_000)
           .graph("http://wind.example/park", "park.ttl")

Nothing is fetched by a query: what it reads is declared here, or only named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar

from rdflib import Graph as RdflibGraph

from askos.errors import require, require_flag, require_whole
from askos.terms import Term, Triple, URIRef

DEFAULT_GRAPH: Final = URIRef("urn:askos:default")
"""The name of the graph that has none: what a query without FROM reads."""

Data: TypeAlias = "str | PathLike[str] | Collection[Triple | tuple[Term, Term, Term]] | RdflibGraph"
"""A file, or triples that can be read again; rdflib's graphs among them."""

Evaluate: TypeAlias = Callable[[str], Iterable[Mapping[Any, Any]]]
"""Evaluates a SELECT query in another engine: of each solution, terms by the names of variables.  A
term is rdflib's, or anything whose text is N-Triples; what is None, or missing, is unbound."""

_T = TypeVar("_T")
_NAMESPACE: Final = re.compile(r".*[/#:](?=.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream of triples.

    `predicates`: all that its triples may have, None if unknown.  `lateness_ms`: how much later
    than a younger triple one may still be delivered.  `idle`: progress does not wait for it
    until it speaks.  `rows_per_batch`: about how many triples come at a time, None if unknown;
    where few do, queries join them one by one.  A query that has begun stays with what it chose.

    A triple stamped later than the instant `not_after`, or more than `ahead_ms` after its
    recorded arrival, is refused: its time is wrong, and would make all that follows late.  The
    arrival is a column `arrived` of the rows, or Kafka's time of the message; a row that has none
    is refused too where `ahead_ms` is declared.  Like the lateness, both count anew whenever a
    query starts, also from a checkpoint: no state depends on them, and they may need mending.
    """

    iri: URIRef
    predicates: frozenset[URIRef] | None = None
    lateness_ms: int = 0
    idle: bool = False
    not_after: int | None = None
    ahead_ms: int | None = None
    rows_per_batch: int | None = None

    def __post_init__(self) -> None:
        require_whole(self.lateness_ms, 0, f"Stream <{self.iri}>: lateness_ms")
        for name, least in (("not_after", 0), ("ahead_ms", 0), ("rows_per_batch", 1)):
            if getattr(self, name) is not None:
                require_whole(getattr(self, name), least, f"Stream <{self.iri}>: {name}")
        require_flag(self.idle, f"Stream <{self.iri}>: idle")


@dataclass(frozen=True, slots=True)
class Graph:
    """A static graph.

    `data`: the file it is read from, or its triples: an rdflib graph, a `StaticGraph`; None if
    only its name is known.  `reloadable`: it may be read again while queries run, so that none of
    its triples holds for ever.  `every_ms`: how often whoever drives a query looks whether the
    file has changed, to reload it; that makes it reloadable.  `schema`: what it says of classes
    and properties counts in every query with reasoning="rdfs", whether the query reads the graph
    or not.  `evaluate`: its content is in another engine, which this function asks; it gets SPARQL
    text, once, when a query starts.
    """

    iri: URIRef
    data: Data | None = None
    reloadable: bool = False
    predicates: frozenset[URIRef] | None = None
    schema: bool = False
    every_ms: int | None = None
    evaluate: Evaluate | None = None

    def __post_init__(self) -> None:
        if isinstance(self.data, str | PathLike):
            object.__setattr__(self, "data", Path(self.data))
        if self.every_ms is not None:
            require_whole(self.every_ms, 1, f"Graph <{self.iri}>: every_ms")
            require(
                isinstance(self.data, Path),
                f"Graph <{self.iri}>: every_ms is for graphs that are read from a file",
                "give its path as data",
            )
            object.__setattr__(self, "reloadable", True)
        require(
            self.data is None or isinstance(self.data, Path | Collection),
            f"Graph <{self.iri}>: data must be a file or triples, not {self.data!r}",
            "give a path, an rdflib graph or a StaticGraph",
        )
        require_flag(self.reloadable, f"Graph <{self.iri}>: reloadable")
        require_flag(self.schema, f"Graph <{self.iri}>: schema")
        if self.evaluate is not None:
            self._check_engine()

    def _check_engine(self) -> None:
        ok = callable(self.evaluate)
        require(ok, f"Graph <{self.iri}>: evaluate must be a function, not {self.evaluate!r}")
        require(
            self.data is None and not self.reloadable,
            f"Graph <{self.iri}>: with evaluate, its data is elsewhere, and asked for once",
            "leave out data and reloadable, or evaluate",
        )

    @property
    def path(self) -> Path | None:
        """The file it is read from, if it is."""
        return self.data if isinstance(self.data, Path) else None


Source: TypeAlias = Stream | Graph


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The sources that queries may read; a value, to which `stream` and `graph` add.

    >>> known = Catalogue().stream("http://wind.example/scada").graph("http://wind.example/park")
    >>> [str(source.iri) for source in known.graphs]
    ['http://wind.example/park']
    """

    sources: tuple[Source, ...] = ()

    def __post_init__(self) -> None:
        names = [source.iri for source in self.sources]
        for name in names:
            require(names.count(name) == 1, f"Catalogue: <{name}> is declared twice")

    def stream(
        self,
        iri: str,
        predicates: Iterable[str] | None = None,
        lateness_ms: int = 0,
        idle: bool = False,
        *,
        not_after: int | None = None,
        ahead_ms: int | None = None,
        rows_per_batch: int | None = None,
    ) -> Catalogue:
        """This catalogue and one more stream."""
        known, name = _iris(predicates), URIRef(iri)
        new = Stream(name, known, lateness_ms, idle, not_after, ahead_ms, rows_per_batch)
        return Catalogue((*self.sources, new))

    def graph(
        self,
        iri: str = DEFAULT_GRAPH,
        data: Data | None = None,
        reloadable: bool = False,
        predicates: Iterable[str] | None = None,
        *,
        schema: bool = False,
        every_ms: int | None = None,
        evaluate: Evaluate | None = None,
    ) -> Catalogue:
        """This catalogue and one more graph; without a name, the default graph."""
        new = Graph(URIRef(iri), data, reloadable, _iris(predicates), schema, every_ms, evaluate)
        return Catalogue((*self.sources, new))

    @property
    def streams(self) -> tuple[Stream, ...]:
        """The streams, in the order of their declaration."""
        return tuple(source for source in self.sources if isinstance(source, Stream))

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs, in the order of their declaration."""
        return tuple(source for source in self.sources if isinstance(source, Graph))

    @property
    def default(self) -> tuple[Graph, ...]:
        """What is merged where a query does not say FROM: the graph without a name, else all."""
        unnamed = tuple(graph for graph in self.graphs if graph.iri == DEFAULT_GRAPH)
        return unnamed or self.graphs

    def get(self, iri: URIRef) -> Source | None:
        """The source of that name, if it is known."""
        return next((source for source in self.sources if source.iri == iri), None)

    def nearest(self, iri: str) -> str:
        """A hint for who wrote `iri`, which is not known."""
        near = nearest(iri, [source.iri for source in self.sources])
        if near:
            return f"did you mean <{near}>?"
        known = (f"<{source.iri}>" for source in self.sources)
        return "known: " + (", ".join(known) or "none")


def nearest(iri: str, known: Iterable[str]) -> str | None:
    """The IRI that was probably meant, judged by what follows the namespace: the rest is alike
    in most names.

    >>> nearest("http://wind.example/perk", ["http://wind.example/park", "http://wind.example/T1"])
    'http://wind.example/park'
    """
    names = {_NAMESPACE.sub("", name): str(name) for name in known}
    near = get_close_matches(_NAMESPACE.sub("", iri), names, n=1)
    return names[near[0]] if near else None


def by_iri(named: Mapping[URIRef, _T] | Mapping[str, _T]) -> dict[URIRef, _T]:
    """The same by IRIs: rdflib's are not equal to plain strings.

    >>> by_iri({"wind": 5}) == {URIRef("wind"): 5}
    True
    """
    return {URIRef(name): value for name, value in named.items()}


def _iris(names: Iterable[str] | None) -> frozenset[URIRef] | None:
    return None if names is None else frozenset(map(URIRef, names))
