"""Statistics of static graphs, read off their indexes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from askos.static.graph import StaticGraph
from askos.terms import Term, URIRef


@dataclass(frozen=True, slots=True)
class GraphStatistics:
    """How many triples of a graph match, exactly and in constant time; `Statistics` of
    `askos.translate.cost`, for `optimize`."""

    graphs: Mapping[URIRef, StaticGraph]

    def count(
        self, source: URIRef, subject: Term | None, predicate: Term | None, object: Term | None
    ) -> float | None:
        """How many triples of a source match, None standing for any term; None if unknown."""
        graph = self.graphs.get(source)
        return None if graph is None else float(graph.size(subject, predicate, object))
