"""Reloading: new triples of a graph become new tables of a plan, whichever host runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.cover import as_set
from askos.columns.factorize import factorize
from askos.errors import StreamError
from askos.physical.graphs import Graphs
from askos.physical.plan import PhysicalPlan
from askos.physical.tables import FIRST
from askos.physical.tabulate import as_base
from askos.physical.versions import Contents, Reload, Schedule, Version
from askos.sources import Catalogue, Data
from askos.static.data import StaticData
from askos.sweeparea import Base
from askos.terms import URIRef


class Shelf(Protocol):
    """Where a host keeps what never changes, by name."""

    def put(self, base: Base[Batch]) -> str:
        """Keep rows; gives the name by which `get` finds them."""

    def get(self, name: str) -> Base[Batch]:
        """What was kept."""


@dataclass(frozen=True, slots=True)
class Reloading:
    """The graphs of a query that may be reloaded, among those it reads, and the tables made of
    them."""

    plan: PhysicalPlan
    graphs: tuple[URIRef, ...]
    reloadable: tuple[URIRef, ...]
    coder: Coder
    shelf: Shelf

    def begin(self, graphs: Graphs) -> Schedule:
        """Keep the triples of all graphs from which tables may be made again."""
        tables = self.plan.reloadable
        read = {iri for table in tables.values() for iri in table.graphs}
        names = {iri: self._keep(graphs.triples(iri)) for iri in read.union(self.reloadable)}
        return Schedule((Version(0, names, dict.fromkeys(tables, FIRST)),))

    def reload(self, schedule: Schedule, graph: URIRef, data: Data, at: int | None) -> Reload:
        """`graph` has these triples from `at` on; StreamError where that cannot be."""
        self._check(graph)
        begin = schedule.check(graph, at)
        return self._reload(schedule, graph, self._read(graph, data), begin)

    def refresh(self, schedule: Schedule, graph: URIRef, data: Data) -> Reload | None:
        """The same as soon as it may be, unless the graph has these very triples."""
        self._check(graph)
        latest, content = schedule.latest(graph), self._read(graph, data)
        if content == latest.graphs[graph]:
            return None
        return self._reload(schedule, graph, content, latest.at)

    def update(
        self, schedule: Schedule, graph: URIRef, insert: Data, delete: Data, at: int | None
    ) -> Reload:
        """`graph` has lost and got triples; what is in both has been got."""
        self._check(graph)
        begin = schedule.check(graph, at)
        old = self.shelf.get(schedule.latest(graph).graphs[graph]).rows
        lost, got = (read_graph(graph, data, self.coder) for data in (delete, insert))
        content = self._keep(as_set(Batch.concat([_without(old, lost), got]), TRIPLE))
        return self._reload(schedule, graph, content, begin)

    def _reload(self, schedule: Schedule, graph: URIRef, content: str, at: int) -> Reload:
        return schedule.reload(graph, content, at, lambda names: self._tables(graph, names))

    def _read(self, graph: URIRef, data: Data) -> str:
        return self._keep(read_graph(graph, data, self.coder))

    def _check(self, graph: URIRef) -> None:
        """Refuse what the query does not read, or has read once and for all."""
        if graph in self.reloadable:
            return
        if graph in self.graphs:
            raise StreamError(
                f"the graph <{graph}> is not reloadable: the query has read it once and for all",
                hint="declare it so before the query starts: Catalogue().graph(…, reloadable=True),"
                " or askos run --reloadable",
            )
        known = ", ".join(f"<{iri}>" for iri in self.reloadable) or "none"
        raise StreamError(
            f"the query does not read the graph <{graph}>", hint=f"it may reload: {known}"
        )

    def _tables(self, graph: URIRef, names: Contents) -> Mapping[int, str]:
        """The tables that read `graph`, made anew."""
        graphs = Graphs.of({iri: self.shelf.get(n).rows for iri, n in names.items()}, self.coder)
        return {
            number: self.shelf.put(as_base(table, graphs))
            for number, table in self.plan.reloadable.items()
            if graph in table.graphs
        }

    def _keep(self, triples: Batch) -> str:
        return self.shelf.put(Base.of(triples, lambda batch: []))


def read_graph(graph: URIRef, data: Data, coder: Coder) -> Batch:
    """The triples of a file or collection, each once, valid always; StreamError if it cannot be
    read."""
    return Graphs(StaticData(Catalogue().graph(graph, data), [graph]), coder).triples(graph)


def _without(triples: Batch, others: Batch) -> Batch:
    """The triples that are not among others."""
    together = Batch.concat([triples.project(TRIPLE), others.project(TRIPLE)])
    together.meet(together)  # from here on equal ids are equal terms
    codes, _ = factorize(list(together.columns.values()), len(together))
    return triples.where(~np.isin(codes[: len(triples)], codes[len(triples) :]))
