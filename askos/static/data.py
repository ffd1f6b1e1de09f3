"""The static graphs of a query, as hosts read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import pyarrow as pa

from askos.algebra import Operator
from askos.errors import StreamError
from askos.prepared import Prepared
from askos.sources import Catalogue, Graph
from askos.static.elsewhere import Elsewhere
from askos.static.graph import StaticGraph
from askos.static.graphs import declared, load_declared
from askos.static.texts import read_texts
from askos.terms import URIRef


class StaticData:
    """Static graphs, each read when it is first asked for; StreamError, at once, if
    one has no data or its file cannot be opened."""

    def __init__(self, sources: Catalogue, graphs: Iterable[URIRef]) -> None:
        known = [declared(sources, iri) for iri in graphs]
        for graph in known:
            _check_file(graph)
        self._sources = sources
        self._here = [graph.iri for graph in known if graph.evaluate is None]
        self._elsewhere = Elsewhere({g.iri: g.evaluate for g in known if g.evaluate})

    @classmethod
    def of(cls, query: Prepared) -> StaticData:
        """All that a query reads."""
        return cls(query.sources, query.graphs)

    @cached_property
    def indexed(self) -> Mapping[URIRef, StaticGraph]:
        """All but those of other engines, with indexes."""
        return load_declared(self._sources, self._here)

    def graph(self, iri: URIRef) -> StaticGraph:
        """One of them; another engine is asked for all that it has."""
        return self.indexed[iri] if iri in self._here else self._elsewhere.graph(iri)

    def answered(self, plan: Operator) -> Operator:
        """`plan` with tables for what it reads of graphs that other engines have."""
        return self._elsewhere.answered(plan)

    def texts(self, iri: URIRef) -> pa.Table | None:
        """The texts s, p and o of a graph in a file of N-Triples, read by columns; None where
        they have to be read otherwise."""
        path = declared(self._sources, iri).path
        plain = path is not None and path.name.endswith((".nt", ".nt.gz"))
        return read_texts(path) if path is not None and plain else None


def _check_file(graph: Graph) -> None:
    try:
        if graph.path is not None:
            graph.path.open("rb").close()
    except OSError as error:
        message = f"the static graph <{graph.iri}> cannot be read: {graph.path}: {error.strerror}"
        raise StreamError(message) from error
