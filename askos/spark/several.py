"""Several queries as one of Spark's: one checkpoint, and stages in chains.

A streaming DataFrame that is used twice in one of Spark's queries is run twice, with two states.
So where queries read each other's streams, their stages stand in one line: a publisher's last stage
sends to the stages of its readers, and each stage passes on what is meant for a later one, answers
too, which the last stage gives as rows.  Queries that have nothing to do with each other are chains
of their own, put together at the end.

    {.., "streams": those given, "queries": [{"query": .., "clock": .., "physical": ..}, ..],
     "edges": [[stream, publisher, reader], ..]}
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from askos.physical import PhysicalPlan, Stage, build
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
from askos.spark.tables import TableFiles
from askos.terms import URIRef

_SHARED: Final = ("askos", "formats", "key", "buckets", "partitions")
_OWN: Final = ("streams", "tables", "graphs", "contents", "query", "clock", "physical")


@dataclass(frozen=True)
class Several:
    """What a checkpoint says of several queries, each after those whose streams it reads."""

    parts: tuple[Checkpoint, ...]

    @property
    def queries(self) -> Queries:
        """As they were when they first started."""
        return Queries(tuple(part.query for part in self.parts))

    @property
    def buckets(self) -> int:
        """Of all stages."""
        return self.parts[0].buckets

    def jobs(self, folder: Path, cache: str) -> tuple[Job, ...]:
        """As workers see them."""
        files = [part.files(folder, part.query.name or "") for part in self.parts]
        places = _places(self.queries, [part.physical for part in self.parts], files)
        pairs = zip(self.parts, places, strict=True)
        return tuple(part.job(folder, cache, place) for part, place in pairs)

    def document(self) -> dict[str, Any]:
        """As plain data."""
        each = [part.document() for part in self.parts]
        return {
            **{name: each[0][name] for name in _SHARED},
            "streams": [str(stream) for stream in self.queries.given],
            "queries": [{name: document[name] for name in _OWN} for document in each],
            "edges": [list(edge) for edge in self.queries.edges],
        }


# ---- the checkpoint --------------------------------------------------------------------------


def begin_all(
    folder: Path, queries: Queries, buckets: int, partitions: int, key: str | None = None
) -> Several:
    """Write down what is to run; see `askos.spark.checkpoint.begin`."""
    key, parts = key or fresh_key(), list[Checkpoint]()
    for query in queries.queries:
        physical = build(query.plan, query.report, query.columns, query.clock, query.rows_per_batch)
        tables = tables_of(folder, query.name or "")
        parts.append(made(tables, query, physical, buckets, partitions, key))
    new = Several(tuple(parts))
    write_document(folder, new.document())
    return new


def read_all(folder: Path) -> Several:
    """What askos.json says of several queries."""
    document = read_document(folder)
    if "queries" not in document:
        raise other(folder, "one query, not several")
    return readable(folder, document, _decoded)


def _decoded(document: Mapping[str, Any]) -> Several:
    shared = {name: document[name] for name in _SHARED}
    return Several(tuple(decoded({**shared, **part}) for part in document["queries"]))


def resume_all(folder: Path, given: Queries, buckets: int | None) -> Several | None:
    """What a checkpoint that has run goes on with; None if it has not run yet.

    Refused is another set of queries, and of each what `askos.spark.checkpoint.resume` refuses.
    """
    if not has_run(folder):
        return None
    stored = read_all(folder)
    mine, theirs = stored.queries.names, given.names
    if set(mine) != set(theirs):
        raise other(folder, f"the queries {', '.join(mine)}, not {', '.join(theirs)}")
    now = dict(zip(theirs, given.queries, strict=True))
    for name, part in zip(mine, stored.parts, strict=True):
        for what in differences(part, now[name], buckets):
            raise other(folder, f"{what}: {name}")
        check_tables(folder, tables_of(folder, name), part)
        for remark in remarks(part, now[name]):
            warnings.warn(f"checkpoint {folder}, {name}: {remark}", stacklevel=3)
    return stored


# ---- chains ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Step:
    """A stage of a job, and the numbers of the stages whose rows it takes."""

    job: Job
    stage: Stage
    inputs: tuple[int, ...]

    @property
    def number(self) -> int:
        """Among the stages of all queries."""
        return self.job.number(self.stage)

    @property
    def ends(self) -> bool:
        """Whether it gives answers as rows."""
        return self.number == self.job.sink


def steps(jobs: Sequence[Job]) -> Iterator[Step]:
    """The stages of all jobs, each after those whose rows it takes."""
    lines = {job.sink: [other for other in jobs if other.sink == job.sink] for job in jobs}
    for line in lines.values():
        before: int | None = None
        for job in line:
            for stage in job.plan.stages:
                inputs = tuple(job.place.first + number for number, _ in stage.upstream)
                if len(line) > 1:
                    inputs = () if before is None else (before,)
                yield Step(job, stage, inputs)
                before = job.number(stage)


def _places(
    queries: Queries, plans: Sequence[PhysicalPlan], files: Sequence[TableFiles]
) -> Iterator[Place]:
    """Where each query stands; stages are numbered chain by chain."""
    firsts, sinks, number = dict[int, int](), dict[int, int](), 0
    for chain in _chains(queries):
        for place in chain:
            firsts[place] = number
            number += len(plans[place].stages)
        sinks |= dict.fromkeys(chain, number - 1)
    publishers = queries.publishers
    for place, query in enumerate(queries.queries):
        readers = [
            reader
            for other, plan in enumerate(plans)
            if query.publishes in plan.sources
            for reader in _readers(firsts[other], plan, files[other], query.publishes)
        ]
        yield Place(
            query.name or "",
            firsts[place],
            sinks[place],
            query.publishes,
            tuple(readers),
            frozenset(stream for stream in plans[place].sources if stream in publishers),
        )


def _readers(
    first: int, plan: PhysicalPlan, files: TableFiles, stream: URIRef | None
) -> Iterator[Reader]:
    """All stages of a query: each hears how far the stream has come."""
    for stage in plan.stages:
        feeds = tuple(feed for feed in stage.feeds if feed.source == stream)
        yield Reader(first + stage.number, stage.key, feeds, plan.grid, files)


def _chains(queries: Queries) -> list[list[int]]:
    """The places of queries that have to do with each other, in order."""
    chains = [{place} for place in range(len(queries.queries))]
    names = queries.names
    for _, publisher, reader in queries.edges:
        ends = {names.index(publisher), names.index(reader)}
        met = [chain for chain in chains if chain & ends]
        chains = [chain for chain in chains if not chain & ends] + [set().union(*met)]
    return sorted(sorted(chain) for chain in chains)
