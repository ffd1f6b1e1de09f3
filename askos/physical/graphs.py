"""Static graphs as columns: what tables are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.cover import as_set
from askos.interval import FOREVER
from askos.physical.ingest import ingest
from askos.static.data import StaticData
from askos.static.graph import StaticGraph
from askos.terms import URIRef


@dataclass(frozen=True, slots=True)
class Graphs:
    """The static graphs of a query in the ids of its columns.

    N-Triples are read by columns, never a row at a time.  What needs an index, property paths for
    instance, finds them as `askos.static` keeps them.
    """

    data: StaticData
    coder: Coder
    _read: dict[URIRef, Batch] = field(default_factory=dict)

    @property
    def indexed(self) -> Mapping[URIRef, StaticGraph]:
        """All but those of other engines, with indexes."""
        return self.data.indexed

    def triples(self, iri: URIRef) -> Batch:
        """The triples of one, each once, valid always."""
        if iri not in self._read:
            self._read[iri] = self._triples(iri)
        return self._read[iri]

    def _triples(self, iri: URIRef) -> Batch:
        texts = self.data.texts(iri)
        if texts is not None:
            s, p, o, ts = (texts[name].combine_chunks() for name in ("s", "p", "o", "ts"))
            got = ingest(s, p, o, ts, self.coder)
            if not len(got.refused):
                return _always(got.batch)
        return self._coded(self.indexed[iri])

    def _coded(self, graph: StaticGraph) -> Batch:
        numbers = np.array(list(graph.ids), np.int64).reshape(len(graph), 3)
        distinct, places = np.unique(numbers, return_inverse=True)
        ids, dictionary = self.coder.terms(graph.terms[number] for number in distinct.tolist())
        columns = dict(zip(TRIPLE, ids[places].reshape(numbers.shape).T, strict=True))
        nothing = np.zeros(len(graph), np.int64)
        return _always(Batch(columns, nothing, nothing, dictionary))


def _always(triples: Batch) -> Batch:
    size = len(triples)
    valid = triples.with_interval(np.zeros(size, np.int64), np.full(size, FOREVER))
    return as_set(valid, TRIPLE)
