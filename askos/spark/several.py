"""Several queries as one of Spark's: one checkpoint, and the stages of all in the same levels
(see `askos.spark.levels`).  A publisher's last stage sends to the stages of its readers.

    {.., "streams": those given, "queries": [{"query": .., "clock": .., "physical": ..}, ..],
     "edges": [[stream, publisher, reader], ..],
     "kinds": {name: {query: [its constants], ..}, ..},
     "shared": [[stages that run in the same buckets], ..]}

Queries that differ in constants only are one among these, called by the name of their kind.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, TypeAlias

from askos.columns import Coder
from askos.errors import QueryError
from askos.kinds import Shared, together
from askos.physical import PhysicalPlan
from askos.physical.dispatch import Reading
from askos.physical.graphs import Graphs
from askos.physical.plan import only_looked_up
from askos.physical.sharing import Numbered
from askos.physical.tabulate import as_base
from askos.planning import physical
from askos.prepared import Prepared
from askos.queries import Queries
from askos.spark.checkpoint import (
    Checkpoint,
    check_tables,
    decoded,
    differences,
    fresh_key,
    has_run,
    made,
    other,
    read_document,
    readable,
    remarks,
    tables_of,
    write_document,
)
from askos.spark.job import Job, Place, Reader
from askos.spark.shares import Groups, Shares, groups_of, numbered
from askos.spark.tables import TableFiles, TableShelf
from askos.static.data import StaticData
from askos.terms import URIRef, n3

Members: TypeAlias = Mapping[str, Sequence[str]]
"""Queries of one kind, and the constants of each."""
_SHOWN: Final = 10
_SHARED: Final = ("askos", "formats", "key", "buckets", "partitions")
_OWN: Final = ("streams", "tables", "graphs", "contents", "query", "clock", "physical")


@dataclass(frozen=True)
class Several:
    """What a checkpoint says of several queries, each after those whose streams it reads.

    `kinds` are those of them that run for others, which are named with their constants; `shared`
    are stages that run in the same buckets.
    """

    parts: tuple[Checkpoint, ...]
    kinds: Mapping[str, Members] = field(default_factory=dict)
    shared: Groups = ()

    @property
    def queries(self) -> Queries:
        """Those that run, as they were when they first started."""
        return Queries(tuple(part.query for part in self.parts))

    @property
    def names(self) -> list[str]:
        """Of all queries that were given."""
        alone = [name for name in self.queries.names if name not in self.kinds]
        return [*alone, *(name for members in self.kinds.values() for name in members)]

    @property
    def buckets(self) -> int:
        """Of all stages."""
        return self.parts[0].buckets

    def jobs(self, folder: Path, cache: str) -> tuple[Job, ...]:
        """As workers see them."""
        files = [part.files(folder, part.query.name or "") for part in self.parts]
        shares = Shares.of(self.shared, _numbered(self.parts))
        places = _places(self.queries, [part.physical for part in self.parts], files, shares)
        pairs = zip(self.parts, places, strict=True)
        return tuple(
            part.job(folder, cache, replace(place, members=tuple(self.kinds.get(place.name, ()))))
            for part, place in pairs
        )

    def document(self) -> dict[str, Any]:
        """As plain data."""
        each = [part.document() for part in self.parts]
        return {
            **{name: each[0][name] for name in _SHARED},
            "streams": [str(stream) for stream in self.queries.given],
            "queries": [{name: document[name] for name in _OWN} for document in each],
            "edges": [list(edge) for edge in self.queries.edges],
            "kinds": {name: dict(members) for name, members in self.kinds.items()},
            "shared": [list(group) for group in self.shared],
        }


# ---- the checkpoint --------------------------------------------------------------------------


def begin_all(
    folder: Path, queries: Queries, buckets: int, partitions: int, key: str | None = None
) -> Several:
    """Write down what is to run; see `askos.spark.checkpoint.begin`."""
    key, parts = key or fresh_key(), list[Checkpoint]()
    shared = kinds_of(queries)
    for query in running(queries, shared).queries:
        tables = tables_of(folder, query.name or "")
        parts.append(made(tables, query, physical(query), buckets, partitions, key))
    kinds = {str(one.kind.graph): _members(one) for one in shared}
    new = Several(tuple(parts), kinds, groups_of(_numbered(parts)))
    write_document(folder, new.document())
    return new


def kinds_of(queries: Queries) -> list[Shared]:
    """Those that run as one; the order in which they are given does not matter."""
    by_name = sorted(queries.queries, key=lambda query: query.name or "")
    return [one for one in together(by_name) if isinstance(one, Shared)]


def running(queries: Queries, shared: Sequence[Shared]) -> Queries:
    """What runs: some for several."""
    together = {name for one in shared for name in one.members}
    alone = (query for query in queries.queries if query.name not in together)
    return Queries.of([*alone, *(one.prepared for one in shared)])


def _members(shared: Shared) -> Members:
    return {name: [n3(term) for term in row] for name, row in shared.members.items()}


def read_all(folder: Path) -> Several:
    """What askos.json says of several queries."""
    document = read_document(folder)
    if "queries" not in document:
        raise other(folder, "one query, not several")
    return readable(folder, document, _decoded)


def _decoded(document: Mapping[str, Any]) -> Several:
    shared = {name: document[name] for name in _SHARED}
    parts = tuple(decoded({**shared, **part}) for part in document["queries"])
    groups = tuple(tuple(map(int, group)) for group in document.get("shared", []))
    return Several(parts, dict(document.get("kinds", {})), groups)


def resume_all(folder: Path, given: Queries, buckets: int | None) -> Several | None:
    """What a checkpoint that has run goes on with; None if it has not run yet.

    Refused is another set of queries, and of each what `askos.spark.checkpoint.resume` refuses.
    """
    if not has_run(folder):
        return None
    stored = read_all(folder)
    now = dict(zip(given.names, given.queries, strict=True))
    missing = [name for name in stored.names if name not in now]
    if missing:
        raise _another_set(folder, stored, given)
    parts, kinds = list[Checkpoint](), dict[str, Members]()
    new = {name: query for name, query in now.items() if name not in stored.names}
    for part in stored.parts:
        name = part.query.name or ""
        if name in stored.kinds:
            shared = _shared(folder, part, stored.kinds[name], now)
            _check(folder, part, shared.prepared, buckets)
            grown = _joined(shared, part, new)
            parts.append(part if grown is shared else _with_tables(folder, part, grown))
            kinds[name] = _members(grown)
        else:
            _check(folder, part, now[name], buckets)
            parts.append(part)
    if new:
        raise _another_set(folder, stored, given)
    going_on = Several(tuple(parts), kinds, stored.shared)
    if kinds != stored.kinds:
        write_document(folder, going_on.document())
    return going_on


def _another_set(folder: Path, stored: Several, given: Queries) -> QueryError:
    return other(folder, f"the queries {_listed(stored.names)}, not {_listed(given.names)}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names if len(names) <= _SHOWN else [*names[:_SHOWN], "…"])


def _check(folder: Path, part: Checkpoint, now: Prepared, buckets: int | None) -> None:
    """Refuse what `askos.spark.checkpoint.resume` refuses."""
    name = part.query.name or ""
    for what in differences(part, now, buckets):
        raise other(folder, f"{what}: {name}")
    check_tables(folder, tables_of(folder, name), part)
    for remark in remarks(part, now):
        warnings.warn(f"checkpoint {folder}, {name}: {remark}", stacklevel=4)


# ---- kinds -----------------------------------------------------------------------------------


def _shared(
    folder: Path, part: Checkpoint, members: Members, now: Mapping[str, Prepared]
) -> Shared:
    """The queries of a kind, which must be what they were."""
    queries = [now[name] for name in members]
    shared = Shared.of(queries, URIRef(part.query.name or ""))
    if shared is None:
        raise other(folder, f"another query among {_listed(list(members))}")
    for name, row in _members(shared).items():
        if row != members[name]:
            raise other(folder, f"another query: {name}")
    return shared


def _joined(shared: Shared, part: Checkpoint, new: dict[str, Prepared]) -> Shared:
    """With those of the new queries that are of the kind; they are new no longer."""
    if only_looked_up(part.physical, shared.kind.graph):
        for name, query in list(new.items()):
            joined = shared.joined(query)
            if joined is not None:
                shared = joined
                del new[name]
    return shared


def _with_tables(folder: Path, part: Checkpoint, shared: Shared) -> Checkpoint:
    """What goes on with the constants of more queries."""
    graph, shelf = shared.kind.graph, TableShelf(tables_of(folder, part.query.name or ""))
    graphs = Graphs(StaticData.of(shared.prepared), Coder(part.key))
    pairs = zip(part.physical.tables, part.tables, strict=True)
    names = [
        shelf.put(as_base(table, graphs)) if graph in table.graphs else name
        for table, name in pairs
    ]
    return replace(part, tables=tuple(names))


# ---- where they stand ------------------------------------------------------------------------


def _numbered(parts: Sequence[Checkpoint]) -> list[Numbered]:
    """The stages of all queries, in their order."""
    return numbered([(part.physical, part.tables) for part in parts], parts[0].buckets)


def _places(
    queries: Queries, plans: Sequence[PhysicalPlan], files: Sequence[TableFiles], shares: Shares
) -> Iterator[Place]:
    """Where each query stands; stages are numbered query by query."""
    firsts = [0, *accumulate(len(plan.stages) for plan in plans)]
    publishers = queries.publishers
    for place, query in enumerate(queries.queries):
        readers = [
            reader
            for other, plan in enumerate(plans)
            if query.publishes in plan.sources
            for reader in _readers(firsts[other], plan, files[other], query.publishes, shares)
        ]
        yield Place(
            query.name or "",
            firsts[place],
            query.publishes,
            tuple(readers),
            frozenset(stream for stream in plans[place].sources if stream in publishers),
            shares=shares,
        )


def _readers(
    first: int, plan: PhysicalPlan, files: TableFiles, stream: URIRef | None, shares: Shares
) -> Iterator[Reader]:
    """All stages of a query: each hears how far the stream has come."""
    for stage in plan.stages:
        number = first + stage.number
        read = (feed for feed in stage.feeds if feed.source == stream)
        feeds = tuple(feed for feed in read if (number, feed.port) not in shares.unsent)
        reading = Reading(feeds, plan.grid, files, plan.hashed)
        yield Reader(number, stage.key, reading)
