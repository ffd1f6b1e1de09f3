"""Queries of a kind that a checkpoint runs, and who may join them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from askos.columns import Coder
from askos.kinds import constants_of
from askos.physical.graphs import Graphs
from askos.physical.lookups import only_looked_up
from askos.physical.tabulate import as_base
from askos.prepared import Prepared
from askos.sources import Catalogue
from askos.spark.checkpoint import Checkpoint, tables_of
from askos.spark.registration import Joined, Members
from askos.spark.tables import TableShelf
from askos.static.data import StaticData
from askos.terms import Triple, URIRef, n3, parse_term
from askos.translate.kinds import Constants, Kind, Shape


@dataclass(frozen=True)
class RunningKind:
    """What runs for queries of a kind, one of them, and all of them with their constants; `tables`
    are those with these."""

    part: Checkpoint
    example: Prepared
    members: Members
    tables: tuple[str, ...]

    @property
    def name(self) -> str:
        """That of the kind, and of the graph that has the constants."""
        return self.part.query.name or ""

    @property
    def may_grow(self) -> bool:
        """Whether arrivals look up the constants, and nothing else depends on them."""
        return only_looked_up(self.part.physical, URIRef(self.name))

    @cached_property
    def kind(self) -> Kind:
        """What its queries have in common."""
        found = Shape.of(self.example.canonical)
        assert found is not None
        rows = [_terms(row) for row in self.members.values()]
        return Kind.of(found[0], rows, URIRef(self.name))

    def constants(self, query: Prepared) -> list[str] | None:
        """Those of a query; None if it is not of the kind."""
        found = constants_of(query, self.example)
        if found is None or self.kind.triples(query.name or "", found) is None:
            return None
        return [n3(term) for term in found]

    def joined(self, query: Prepared, constants: Sequence[str]) -> RunningKind:
        """With one more, whose tables have not been made yet."""
        return replace(self, members={**self.members, query.name or "": constants})

    def with_tables(self, folder: Path) -> Joined:
        """All its queries, and tables that are made for them."""
        part, graph = self.part, URIRef(self.name)
        known = Catalogue().graph(graph, self._triples())
        graphs = Graphs(StaticData(known, [graph]), Coder(part.key))
        shelf = TableShelf(tables_of(folder, self.name))
        names = tuple(
            shelf.put(as_base(table, graphs)) if graph in table.graphs else name
            for table, name in zip(part.physical.tables, self.tables, strict=True)
        )
        return Joined(self.members, names)

    def _triples(self) -> list[Triple]:
        told = (self.kind.triples(name, _terms(row)) for name, row in self.members.items())
        return [triple for each in told for triple in each or ()]


def _terms(constants: Sequence[str]) -> Constants:
    return tuple(map(parse_term, constants))
