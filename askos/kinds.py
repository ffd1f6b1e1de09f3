"""Which queries run as one, because they differ in constants only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from askos.algebra import Kind as ReportKind
from askos.algebra import OnChange
from askos.prepared import Prepared
from askos.sources import Catalogue, Stream
from askos.terms import URIRef
from askos.translate import optimize
from askos.translate.kinds import Constants, Kind, Shape

KIND: Final = "urn:askos:kind:"
"""How the names of kinds begin, and those of the graphs that have the constants."""
Key: TypeAlias = tuple[Any, ...]
"""What queries must have in common to be of one kind, but for some constants."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Several queries of one kind, by name, and the one that runs for all of them.

    >>> from askos.prepared import prepare
    >>> text = "SELECT ?v FROM STREAM <wind> WINDOW RANGE 9 SLIDE { <T1> <speed> ?v }"
    >>> two = [prepare(text), prepare(text.replace("T1", "T2"))]
    >>> [shared] = together(replace(q, name=n) for q, n in zip(two, ["one", "two"]))
    >>> [str(v) for v in shared.prepared.columns]
    ['v', '_:#whose']
    """

    key: Key
    kind: Kind
    members: Mapping[str, Constants]
    prepared: Prepared

    @classmethod
    def of(cls, queries: Sequence[Prepared], graph: URIRef) -> Shared | None:
        """Of queries with names; None if they are not of one kind.  `graph` is where their
        constants are."""
        found = [each for each in map(keyed, queries) if each is not None]
        if len(found) < len(queries) or len({key for key, _ in found}) != 1:
            return None
        (key, _), rows, first = found[0], [constants for _, constants in found], queries[0]
        members = {query.name or "": row for query, row in zip(queries, rows, strict=True)}
        kind = Kind.of(key[0], rows, graph)
        known = _known(first.sources, kind, members)
        plan, name = kind.plan, str(graph)
        best = optimize(plan, sources=known)
        one = Prepared(plan, best, first.report, sources=known, name=name, chosen=first.chosen)
        return cls(key, kind, members, one)

    def joined(self, query: Prepared) -> Shared | None:
        """With one more; None if it is not of the kind."""
        key, constants = keyed(query) or (None, ())
        name = query.name or ""
        if key != self.key or self.kind.triples(name, constants) is None:
            return None
        return self._with({**self.members, name: constants}, query.sources)

    def without(self, name: str) -> Shared:
        """The others."""
        members = {other: row for other, row in self.members.items() if other != name}
        graphs = [s for s in self.prepared.sources.sources if s.iri != self.kind.graph]
        return self._with(members, Catalogue(tuple(graphs)))

    def _with(self, members: Mapping[str, Constants], sources: Catalogue) -> Shared:
        known = _known(sources, self.kind, members)
        return replace(self, members=members, prepared=replace(self.prepared, sources=known))


def _known(sources: Catalogue, kind: Kind, members: Mapping[str, Constants]) -> Catalogue:
    """The catalogue, and what the kind's graph says."""
    told = (kind.triples(name, constants) for name, constants in members.items())
    return sources.graph(kind.graph, [triple for each in told for triple in each or ()])


def keyed(query: Prepared) -> tuple[Key, Constants] | None:
    """What a query has in common with others of its kind, and its constants; None if it has to
    run alone: because it registers a stream, reads none, reports all when anything changes, or
    has no shape."""
    on_change = isinstance(query.report, OnChange) and query.report.kind is ReportKind.RSTREAM
    if query.publishes is not None or not query.streams or on_change:
        return None
    found = Shape.of(query.canonical)
    if found is None:
        return None
    shape, constants = found
    known = frozenset(s if isinstance(s, Stream) else id(s) for s in query.sources.sources)
    return (shape, query.report, query.columns, known, query.chosen), constants


def constants_of(query: Prepared, example: Prepared) -> Constants | None:
    """The constants of a query, if it differs from another in these only; what it is read with and
    how it runs is taken from that one."""
    chosen = example.chosen if query.chosen is None else query.chosen
    key, constants = keyed(replace(query, sources=example.sources, chosen=chosen)) or (None, ())
    known = keyed(example)
    return constants if known is not None and key == known[0] else None


def together(queries: Iterable[Prepared], first: int = 1) -> list[Prepared | Shared]:
    """Queries with names: those that differ in constants only as one, the others as they are, in
    the order in which each begins.  Kinds are numbered from `first` on."""
    groups: dict[Key, list[Prepared]] = {}
    for number, query in enumerate(queries):
        key, _ = keyed(query) or ((number,), ())
        groups.setdefault(key, []).append(query)
    made: list[Prepared | Shared] = []
    for group in groups.values():
        shared = Shared.of(group, URIRef(f"{KIND}{first}")) if len(group) > 1 else None
        first += shared is not None
        made += group if shared is None else [shared]
    return made
