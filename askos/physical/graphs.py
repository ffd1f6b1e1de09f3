"""Static graphs as columns: what tables are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from askos.algebra import Operator
from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.coder import Coder, decode
from askos.columns.cover import as_set
from askos.columns.vocabulary import vocabulary
from askos.interval import FOREVER
from askos.physical.ingest import ingest
from askos.static.data import StaticData
from askos.static.graph import StaticGraph
from askos.static.interning import Terms
from askos.terms import Triple, URIRef


@dataclass(frozen=True, slots=True)
class Graphs:
    """The static graphs of a query in the ids of its columns.

    N-Triples are read by columns, never a row at a time.  What needs an index, property paths for
    instance, finds them as `askos.static` keeps them.
    """

    data: StaticData | InColumns
    coder: Coder
    _read: dict[URIRef, Batch] = field(default_factory=dict)

    @classmethod
    def of(cls, triples: Mapping[URIRef, Batch], coder: Coder) -> Graphs:
        """Graphs that are columns already."""
        return cls(InColumns(triples), coder, dict(triples))

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
        return self._coded(self.data.graph(iri))

    def _coded(self, graph: StaticGraph) -> Batch:
        numbers = graph.ids
        distinct, places = np.unique(numbers, return_inverse=True)
        ids, dictionary = self.coder.terms(graph.terms[number] for number in distinct.tolist())
        columns = dict(zip(TRIPLE, ids[places].reshape(numbers.shape).T, strict=True))
        nothing = np.zeros(len(graph), np.int64)
        known = vocabulary(self.coder).hear(dictionary)  # as of what comes in texts
        return _always(Batch(columns, nothing, nothing, known))


@dataclass(frozen=True)
class InColumns:
    """Graphs that were read before: only what needs an index makes them terms again."""

    triples: Mapping[URIRef, Batch]

    @cached_property
    def indexed(self) -> Mapping[URIRef, StaticGraph]:
        """All of them, with indexes."""
        terms = Terms()
        return {iri: StaticGraph(_terms(batch), terms) for iri, batch in self.triples.items()}

    def texts(self, iri: URIRef) -> None:
        """There are none: `Graphs` has the columns."""

    def graph(self, iri: URIRef) -> StaticGraph:
        """One of them."""
        return self.indexed[iri]

    def answered(self, plan: Operator) -> Operator:
        """`plan` as it is: what other engines had to say is in columns, too."""
        return plan


def _terms(triples: Batch) -> Iterator[Triple]:
    columns = [decode(triples.column(name), triples.dictionary) for name in TRIPLE]
    return (Triple(*row) for row in zip(*columns, strict=True))


def _always(triples: Batch) -> Batch:
    size = len(triples)
    valid = triples.with_interval(np.zeros(size, np.int64), np.full(size, FOREVER))
    return as_set(valid, TRIPLE)
