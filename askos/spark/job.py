"""A compiled query as its workers see it, and how a restart knows that it is the same one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from askos.columns import Coder
from askos.errors import QueryError
from askos.physical import PhysicalPlan, Stage
from askos.physical.dispatch import Reading
from askos.physical.limits import STATE_LIMIT
from askos.spark.answers import Answers, Table
from askos.spark.buckets import bucket_ids
from askos.spark.parcels import Parcels
from askos.spark.parts import Folder
from askos.spark.shares import NO_SHARES, Shares
from askos.spark.split import SplitAnswers
from askos.spark.tables import NO_FILES, TableFiles, tables_at
from askos.terms import URIRef, Variable

STATE_FORMAT: Final = 8
"""The version of what a stage stores."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What the state of every bucket was made with: the file askos.json could be another's."""

    plan: str
    buckets: int
    partitions: int
    key: str
    format: int = STATE_FORMAT

    def refuse_others(self, other: Mapping[str, Any], where: str) -> None:
        """Raise QueryError, naming what differs, unless `other` is this fingerprint."""
        for part, mine in asdict(self).items():
            if other.get(part) == mine:
                continue
            if part in ("plan", "key"):
                what = f"another {_NAMES[part]}"
            else:
                what = f"{_NAMES[part]} {other.get(part)}, not {mine}"
            raise QueryError(
                f"{where} was made with {what}",
                hint="its state would be read wrongly: go on with what it was made with,"
                " or start with an empty checkpoint",
            )


_NAMES: Final = {
    "plan": "query",
    "key": "hash key",
    "buckets": "a bucket count of",
    "partitions": "a number of shuffle partitions of",
    "format": "a state format of",
}


@dataclass(frozen=True, slots=True)
class Reader:
    """A stage that reads a stream which another query of the job registers: what of its triples
    enters it, and how it is spread."""

    number: int
    key: tuple[Variable, ...]
    reading: Reading

    def at(self, micro_batch: Callable[[], int]) -> Reader:
        """As it is in a micro-batch."""
        tables = tables_at(self.reading.tables, micro_batch)
        if tables is self.reading.tables:
            return self
        return replace(self, reading=replace(self.reading, tables=tables))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a query stands among several that run as one.

    Stages are numbered throughout; those of this query from `first` on.  `readers` take what this
    query publishes, and `derived` are the streams it reads itself that others publish.  `members`
    are the queries for which it runs, where these are several of one kind.  `shares` say which
    stages of all queries run in the same buckets.
    """

    name: str = ""
    first: int = 0
    publishes: URIRef | None = None
    readers: tuple[Reader, ...] = ()
    derived: frozenset[URIRef] = frozenset()
    members: tuple[str, ...] = ()
    shares: Shares = NO_SHARES


ALONE: Final = Place()
"""Of the only query."""


@dataclass(frozen=True, slots=True)
class Job:
    """A query with its checkpoint's settings."""

    plan: PhysicalPlan
    fingerprint: Fingerprint
    checkpoint: str
    cache: str
    table: TableFiles = NO_FILES
    place: Place = ALONE
    state_limit: int = STATE_LIMIT
    profile: str = ""  # where tasks note how long they take
    out: Folder | None = None  # where the stages write answers, if they do
    parcels: Parcels | None = None  # how large payloads travel, where all tasks are on one machine

    @property
    def answers(self) -> Table:
        """How answers are told: alone, or among those of others."""
        return SplitAnswers() if self.place.name else Answers.of(self.plan)

    @property
    def last(self) -> int:
        """The number of the query's last stage."""
        return self.number(self.plan.stages[-1])

    def number(self, stage: Stage) -> int:
        """A stage's number among those of all queries."""
        return self.place.first + stage.number

    @property
    def given(self) -> tuple[URIRef, ...]:
        """The streams that come from outside."""
        return tuple(s for s in self.plan.sources if s not in self.place.derived)

    @property
    def coder(self) -> Coder:
        """With the checkpoint's hash key."""
        return Coder(self.fingerprint.key)

    def at(self, micro_batch: Callable[[], int]) -> Job:
        """As it is in a micro-batch: with those who have joined by then, where it runs for queries
        of a kind, or publishes what such queries read."""
        joined, place = self.table.joined(micro_batch), self.place
        if place.readers:
            readers = tuple(reader.at(micro_batch) for reader in place.readers)
            place = replace(place, readers=readers)
        if joined is not None:
            place = replace(place, members=tuple(joined.members))
        if place is self.place:
            return self
        return replace(self, table=self.table.at(micro_batch), place=place)

    def buckets(self, number: int) -> tuple[int, ...]:
        """The ids of the buckets of the stage of that number, as Spark shuffles them."""
        home = self.place.shares.homes.get(number, number)
        return bucket_ids(home, self.fingerprint.buckets, self.fingerprint.partitions)

    def is_sent(self, number: int, port: int) -> bool:
        """Whether rows are sent to a port of the stage of that number: not if it gets them from
        another stage in its buckets."""
        return (number, port) not in self.place.shares.unsent
