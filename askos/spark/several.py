"""Several queries as one of Spark's: one checkpoint, and the stages of all in the same levels
(see `askos.spark.levels`).  A publisher's last stage sends to the stages of its readers.

    {.., "streams": those given, "queries": [{"query": .., "clock": .., "physical": ..}, ..],
     "edges": [[stream, publisher, reader], ..],
     "kinds": {name: {query: [its constants], ..}, ..}, "examples": {name: one of these, ..},
     "shared": [[stages that run in the same buckets], ..]}

Queries that differ in constants only are one among these, called by the name of their kind.  Who
joins them later is told by the control stream (see `askos.spark.register`).
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from askos.errors import QueryError
from askos.kinds import Shared, together
from askos.physical import PhysicalPlan
from askos.physical.dispatch import Reading
from askos.physical.sharing import Numbered
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
from askos.spark.control import REGISTER, last_registration
from askos.spark.job import Job, Place, Reader
from askos.spark.joining import RunningKind
from askos.spark.registration import Joined, Members
from askos.spark.rolls import Roll
from askos.spark.shares import Groups, Shares, groups_of, numbered
from askos.spark.tables import TableFiles
from askos.terms import URIRef, n3

_SHOWN: Final = 10
_SHARED: Final = ("askos", "formats", "key", "buckets", "partitions")
_OWN: Final = ("streams", "tables", "graphs", "contents", "query", "clock", "physical")


@dataclass(frozen=True)
class Several:
    """What a checkpoint says of several queries, each after those whose streams it reads.

    `kinds` are those of them that run for others, which are named with their constants; `examples`
    are one of each, and `joined` are the kinds that others have joined since.  `shared` are stages
    that run in the same buckets.
    """

    parts: tuple[Checkpoint, ...]
    kinds: Mapping[str, Members] = field(default_factory=dict)
    shared: Groups = ()
    examples: Mapping[str, Prepared] = field(default_factory=dict)
    joined: Mapping[str, Joined] = field(default_factory=dict)

    @property
    def queries(self) -> Queries:
        """Those that run, as they were when they first started."""
        return Queries(tuple(part.query for part in self.parts))

    @property
    def begun(self) -> list[str]:
        """The names of all queries that were given when it began."""
        alone = [name for name in self.queries.names if name not in self.kinds]
        return [*alone, *(name for members in self.kinds.values() for name in members)]

    @property
    def names(self) -> list[str]:
        """Those of all queries, with who has joined."""
        later = (name for each in self.joined.values() for name in each.members)
        return list(dict.fromkeys([*self.begun, *later]))

    @cached_property
    def running(self) -> dict[str, RunningKind]:
        """The kinds, as they are with who has joined."""
        parts = {part.query.name or "": part for part in self.parts}
        return {
            name: RunningKind(parts[name], example, self._members(name), self._tables(parts[name]))
            for name, example in self.examples.items()
        }

    def _members(self, kind: str) -> Members:
        joined = self.joined.get(kind)
        return self.kinds.get(kind, {}) if joined is None else joined.members

    def _tables(self, part: Checkpoint) -> tuple[str, ...]:
        joined = self.joined.get(part.query.name or "")
        return part.tables if joined is None else joined.tables

    @property
    def buckets(self) -> int:
        """Of all stages."""
        return self.parts[0].buckets

    def jobs(self, folder: Path, cache: str) -> tuple[Job, ...]:
        """As workers see them."""
        files = [self._files(part, folder) for part in self.parts]
        shares = Shares.of(self.shared, _numbered(self.parts))
        places = _places(self.queries, [part.physical for part in self.parts], files, shares)
        named = (replace(each, members=tuple(self.kinds.get(each.name, ()))) for each in places)
        return tuple(
            replace(part.job(folder, cache, place), table=table)
            for part, place, table in zip(self.parts, named, files, strict=True)
        )

    def _files(self, part: Checkpoint, folder: Path) -> TableFiles:
        """The tables of one of them; a kind's may become others."""
        name = part.query.name or ""
        files = part.files(folder, name)
        kind = self.running.get(name)
        if kind is None or not kind.may_grow:
            return files
        return replace(files, roll=Roll(str(folder.absolute()), part.key, name))

    def document(self) -> dict[str, Any]:
        """As plain data."""
        each = [part.document() for part in self.parts]
        return {
            **{name: each[0][name] for name in _SHARED},
            "streams": [str(stream) for stream in self.queries.given],
            "queries": [{name: document[name] for name in _OWN} for document in each],
            "edges": [list(edge) for edge in self.queries.edges],
            "kinds": {name: dict(members) for name, members in self.kinds.items()},
            "examples": {name: json.loads(q.to_json()) for name, q in self.examples.items()},
            "shared": [list(group) for group in self.shared],
        }


# ---- the checkpoint --------------------------------------------------------------------------


def begin_all(
    folder: Path, queries: Queries, buckets: int, partitions: int, key: str | None = None
) -> Several:
    """Write down what is to run; see `askos.spark.checkpoint.begin`."""
    _forget_joined(folder)
    key, parts = key or fresh_key(), list[Checkpoint]()
    shared = kinds_of(queries)
    for query in running(queries, shared).queries:
        tables = tables_of(folder, query.name or "")
        parts.append(made(tables, query, physical(query), buckets, partitions, key))
    kinds = {str(one.kind.graph): _members(one) for one in shared}
    by_name = dict(zip(queries.names, queries.queries, strict=True))
    examples = {name: by_name[next(iter(members))] for name, members in kinds.items()}
    new = Several(tuple(parts), kinds, groups_of(_numbered(parts)), examples)
    write_document(folder, new.document())
    return new


def _forget_joined(folder: Path) -> None:
    """What has never run begins anew, with other tables: say who has joined in vain."""
    files = list((folder / "control").glob(f"{REGISTER}*.json"))
    joined = last_registration(files).kinds.values()
    for file in files:
        file.unlink()
    if joined:
        names = listed([name for each in joined for name in each.members])
        warnings.warn(
            f"checkpoint {folder} has never run, and begins anew: register again who joined, of"
            f" {names}",
            stacklevel=4,
        )


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
    joined = last_registration((folder / "control").glob(f"{REGISTER}*.json")).kinds
    return replace(readable(folder, document, _decoded), joined=joined)


def _decoded(document: Mapping[str, Any]) -> Several:
    shared = {name: document[name] for name in _SHARED}
    parts = tuple(decoded({**shared, **part}) for part in document["queries"])
    groups = tuple(tuple(map(int, group)) for group in document.get("shared", []))
    told = document.get("examples", {})
    examples = {name: Prepared.from_json(json.dumps(each)) for name, each in told.items()}
    return Several(parts, dict(document.get("kinds", {})), groups, examples)


def resume_all(folder: Path, given: Queries, buckets: int | None) -> Several | None:
    """What a checkpoint that has run goes on with; None if it has not run yet.

    Refused is another set of queries than it was begun with, unless others are of their kind and
    may join them, and of each what `askos.spark.checkpoint.resume` refuses.  Who has joined goes
    on, given again or not.
    """
    if not has_run(folder):
        return None
    stored = read_all(folder)
    now = dict(zip(given.names, given.queries, strict=True))
    if any(name not in now for name in stored.begun):
        raise _another_set(folder, stored, given)
    for part in stored.parts:
        name = part.query.name or ""
        if name in stored.kinds:
            _check(folder, part, _shared(folder, part, stored.kinds[name], now), buckets)
        else:
            _check(folder, part, now[name], buckets)
    for kind in stored.running.values():
        _check_joined(folder, kind, now)
    try:
        joining(stored, [query for name, query in now.items() if name not in stored.names])
    except QueryError as error:
        raise _another_set(folder, stored, given) from error
    return stored


def _another_set(folder: Path, stored: Several, given: Queries) -> QueryError:
    return other(folder, f"the queries {listed(stored.names)}, not {listed(given.names)}")


def listed(names: Sequence[str]) -> str:
    """Names in a message, not too many."""
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
) -> Prepared:
    """What runs for the queries of a kind, which must be what they were."""
    queries = [now[name] for name in members]
    shared = Shared.of(queries, URIRef(part.query.name or ""))
    if shared is None:
        raise other(folder, f"another query among {listed(list(members))}")
    for name, row in _members(shared).items():
        if row != members[name]:
            raise other(folder, f"another query: {name}")
    return shared.prepared


def _check_joined(folder: Path, kind: RunningKind, now: Mapping[str, Prepared]) -> None:
    """Refuse another query by the name of one that has joined, and to go on without tables."""
    check_tables(folder, tables_of(folder, kind.name), replace(kind.part, tables=kind.tables))
    for name, row in kind.members.items():
        if name in now and kind.constants(now[name]) != row:
            raise other(folder, f"another query: {name}")


def joining(stored: Several, queries: Iterable[Prepared]) -> dict[str, RunningKind]:
    """The kinds that queries join, with these; QueryError if one of them cannot join."""
    running, grown = dict(stored.running), dict[str, RunningKind]()
    for query in queries:
        found = ((kind, kind.constants(query)) for kind in running.values())
        kind, constants = next(((k, row) for k, row in found if row is not None), (None, []))
        if kind is None:
            raise _of_no_kind(query, stored)
        if not kind.may_grow:
            raise _fixed(query, kind)
        running[kind.name] = grown[kind.name] = kind.joined(query, constants)
    return grown


def _of_no_kind(query: Prepared, stored: Several) -> QueryError:
    kinds = " or ".join(listed(list(kind.members)) for kind in stored.running.values())
    return QueryError(
        f"{query.name} differs in more than constants from those that run",
        hint=f"it may join {kinds}, if it is asked as they are, with the same options; or start it"
        " with a checkpoint of its own",
    )


def _fixed(query: Prepared, kind: RunningKind) -> QueryError:
    return QueryError(
        f"{query.name} cannot join {listed(list(kind.members))} while they run: what they answer"
        " depends on their constants, whatever arrives",
        hint="their constants are joined with a static graph, or with what a count or predicate"
        " window or a reloadable graph tells, or they answer without any arrival: start it with a"
        " checkpoint of its own",
    )


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
