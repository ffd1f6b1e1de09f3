"""The static graphs of a query, loaded before anything starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from askos.errors import StreamError
from askos.prepared import Prepared
from askos.sources import Catalogue, Graph
from askos.static.elsewhere import Elsewhere
from askos.static.graph import StaticGraph
from askos.static.interning import Terms
from askos.static.load import load
from askos.terms import Triple, URIRef


def load_graphs(query: Prepared) -> Mapping[URIRef, StaticGraph]:
    """Every static graph that the query reads, by name; StreamError if one cannot be read.

    They share their terms, so that they are joined without translation; a `StaticGraph` stays
    as it is.  Another engine is asked for all triples of its graph.

    >>> from askos.prepared import prepare
    >>> site = Triple(URIRef("T1"), URIRef("site"), URIRef("north"))
    >>> known = Catalogue().graph("park", [site])
    >>> load_graphs(prepare("SELECT * FROM <park> { ?t <site> ?s }", sources=known))
    {rdflib.term.URIRef('park'): StaticGraph of 1 triples}
    """
    return load_declared(query.sources, query.graphs)


def load_declared(sources: Catalogue, graphs: Iterable[URIRef]) -> Mapping[URIRef, StaticGraph]:
    """Graphs of a catalogue, likewise."""
    terms = Terms()
    return {iri: _loaded(declared(sources, iri), terms) for iri in graphs}


def declared(sources: Catalogue, iri: URIRef) -> Graph:
    """What the catalogue says of a graph; StreamError if it has no data."""
    graph = sources.get(iri)
    if isinstance(graph, Graph) and (graph.data is not None or graph.evaluate is not None):
        return graph
    hint = f'give it some in the catalogue: .graph("{iri}", "park.ttl")'
    raise StreamError(f"the static graph <{iri}> has no data", hint=hint)


def _loaded(graph: Graph, terms: Terms) -> StaticGraph:
    if isinstance(graph.data, StaticGraph):
        return graph.data
    if graph.evaluate is not None:
        return Elsewhere({graph.iri: graph.evaluate}).graph(graph.iri, terms)
    try:
        if graph.path is not None:
            return load(graph.path, terms=terms)
        return StaticGraph(cast("Iterable[Triple]", graph.data), terms)
    except StreamError as error:
        message = f"the static graph <{graph.iri}> cannot be read: {error.message}"
        raise StreamError(message, error.source, error.line, error.column, error.hint) from error
