"""The static graphs of a query, as hosts read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import pyarrow as pa

from askos.errors import StreamError
from askos.prepared import Prepared
from askos.sources import Catalogue, Graph
from askos.static.graph import StaticGraph
from askos.static.graphs import declared, load_declared
from askos.static.texts import read_texts
from askos.terms import URIRef


class StaticData:
    """Static graphs, each read when it is first asked for; StreamError, at once, if
    one has no data or its file cannot be opened."""

    def __init__(self, sources: Catalogue, graphs: Iterable[URIRef]) -> None:
        self._sources, self._graphs = sources, tuple(graphs)
        for iri in self._graphs:
            _check_file(declared(sources, iri))

    @classmethod
    def of(cls, query: Prepared) -> StaticData:
        """All that a query reads."""
        return cls(query.sources, query.graphs)

    @cached_property
    def indexed(self) -> Mapping[URIRef, StaticGraph]:
        """All of them, with indexes."""
        return load_declared(self._sources, self._graphs)

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
