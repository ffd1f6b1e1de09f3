"""Packing: source rows become batches of ids, split by bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra import Periodic
from askos.columns import Batch, Coder
from askos.columns.ids import Ids
from askos.columns.legible import shown
from askos.interval import FOREVER
from askos.io.statements import REASON
from askos.io.streams import NUMBERS
from askos.physical import Feed, Ingested, ingest
from askos.physical.dispatch import Dispatch, Reading, dispatch
from askos.physical.exchange import split
from askos.physical.jump import Latest, latest_of, latest_row
from askos.physical.limit import NO_LIMIT, Limit
from askos.physical.marks import Mark
from askos.physical.tables import Tables, no_tables
from askos.spark.job import Job
from askos.spark.messages import Message, refused
from askos.spark.relevant import NOISE
from askos.spark.sources import FILE
from askos.spark.tables import tables_at
from askos.terms import URIRef, Variable


@dataclass(frozen=True, slots=True)
class Entry:
    """What of a stream enters one stage, that of that number.

    Every bucket also hears how far the stream has come, so that all of them see the same
    watermark: also where the stream feeds other stages only, and `feeds` is empty.
    """

    feeds: tuple[Feed, ...]
    key: tuple[Variable, ...]
    buckets: tuple[int, ...]
    stage: int
    tells_refused: bool  # one stage of a query does, of all that read the stream
    hears_jumps: bool  # the last one does
    grid: Periodic | None = None
    tables: Tables = no_tables
    query: str = ""  # its name, where there are several
    hashed: bool = False  # whether triples are looked up among the constants of patterns

    @property
    def reading(self) -> Reading:
        """How triples enter."""
        return Reading(self.feeds, self.grid, self.tables, self.hashed)

    def at(self, micro_batch: Callable[[], int]) -> Entry:
        """As it is in a micro-batch: with the constants of those who have joined by then."""
        tables = tables_at(self.tables, micro_batch)
        return self if tables is self.tables else replace(self, tables=tables)

    def elements(self, port: int, parts: Sequence[tuple[int, bytes]]) -> Iterator[Message]:
        """What enters a port, by bucket."""
        for place, part in parts:
            yield Message(self.buckets[place], port, payload=part, stage=self.stage)

    def marks(self, mark: Mark) -> Iterator[Message]:
        """How far the stream has come."""
        return (Message.of(bucket, mark, self.stage) for bucket in self.buckets)


@dataclass(frozen=True, slots=True)
class Pack:
    """What of one stream enters the stages: its rows are read once, for all of them.

    Rows that are no triples, or are stamped beyond the `limit`, are no progress.  Without a limit
    one bucket of each query hears the latest row itself, to remark on a jump.
    """

    source: URIRef
    entries: tuple[Entry, ...]
    lateness: int
    coder: Coder
    limit: Limit = NO_LIMIT

    @property
    def feeds(self) -> tuple[Feed, ...]:
        """All that it feeds."""
        return tuple(feed for entry in self.entries for feed in entry.feeds)

    def at(self, micro_batch: Callable[[], int]) -> Pack:
        """As it is in a micro-batch."""
        return replace(self, entries=tuple(entry.at(micro_batch) for entry in self.entries))

    def taken(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Ids, pa.RecordBatch]]:
        """Rows as Spark gives them."""
        return map(_told_apart, batches)

    def pack(self, parts: Iterable[tuple[Ids, pa.RecordBatch]]) -> Iterator[list[Message]]:
        """Pack rows that a pattern may match, each part with the times of others."""
        entered = _dispatched(self.entries, self.coder)
        smallest, latest = FOREVER, list[Latest]()
        for noise, rows in parts:
            columns = dict(zip(rows.schema.names, rows.columns, strict=True))
            s, p, o, ts = (columns[name] for name in ("s", "p", "o", "ts"))
            own = (columns.get("seq"), columns.get("arrived"))
            got = ingest(s, p, o, ts, self.coder, *own, self.limit)
            messages = [*self._elements(entered, got.batch), *self._refused(rows, got)]
            if messages:
                yield messages
            for times in (noise, got.batch.ts):
                smallest = min(smallest, int(times.min(initial=FOREVER)))
            latest = latest_of([*latest, *self._latest(noise, columns, got)])
        for row in latest:
            yield [*self._jumps(row), *self._marks(row, smallest)]

    def _elements(self, entered: Dispatch[int], triples: Batch) -> Iterator[Message]:
        """What of them enters, by stage and bucket: packed once for all that spread it alike."""
        for entrances, batch in entered.feed(self.source, triples):
            packed = dict[tuple[Variable, ...], list[tuple[int, bytes]]]()
            for number, port in entrances:
                entry = self.entries[number]
                if entry.key not in packed:
                    parts = split(batch, entry.key, len(entry.buckets))
                    packed[entry.key] = [(place, part.to_bytes()) for place, part in parts]
                yield from entry.elements(port, packed[entry.key])

    def _latest(self, noise: Ids, columns: Mapping[str, Any], got: Ingested) -> Iterator[Latest]:
        if len(noise):
            yield Latest(str(self.source), int(noise.max()), _UNMATCHED)
        if len(got.batch) and self.limit:  # nobody asks for its text
            yield Latest(str(self.source), int(got.batch.ts.max()), "")
        elif len(got.batch):
            yield latest_row(str(self.source), columns, got)

    def _jumps(self, row: Latest) -> Iterator[Message]:
        for entry in self.entries:
            if entry.hears_jumps and not self.limit:
                yield Message.of_latest(entry.buckets[0], row, entry.stage)

    def _marks(self, row: Latest, smallest: int) -> Iterator[Message]:
        mark = Mark(row.stream, max(row.at - self.lateness, 0), smallest, row.at)
        return (message for entry in self.entries for message in entry.marks(mark))

    def _refused(self, rows: pa.RecordBatch, got: Ingested) -> Iterator[Message]:
        if not len(got.refused):
            return
        texts = [_spelled(rows, row) for row in got.refused.tolist()]
        reasons = [
            f"{_place(rows, row)}{_known(rows, row) or reason}"
            for row, reason in zip(got.refused.tolist(), got.reasons, strict=True)
        ]
        for entry in self.entries:
            if entry.tells_refused:
                yield refused(entry.buckets[0], texts, reasons, entry.query)


@lru_cache(maxsize=16)
def _dispatched(entries: tuple[Entry, ...], coder: Coder) -> Dispatch[int]:
    """Of triples, to where they enter: a worker packs one micro-batch after the other."""
    return dispatch([entry.reading for entry in entries], coder)


def _spelled(rows: pa.RecordBatch, row: int) -> str:
    """The row; of a line that is no statement, the line."""
    names = ("o",) if _known(rows, row) else ("s", "p", "o", "ts")
    return " ".join(str(shown(rows.column(name)[row])) for name in names)


def _place(rows: pa.RecordBatch, row: int) -> str:
    """Where a row is from, if that is known, and a colon."""
    known = shown(rows.column(FILE)[row]) if FILE in rows.schema.names else None
    numbers = [
        f", {name} {rows.column(name)[row]}"
        for name in NUMBERS.values()
        if name in rows.schema.names
    ]
    return f"{known}{''.join(numbers)}: " if known else ""


def _known(rows: pa.RecordBatch, row: int) -> Any:
    """Why a row is no triple, where whoever read it knows."""
    return shown(rows.column(REASON)[row]) if REASON in rows.schema.names else None


_UNMATCHED: Final = "a row that no pattern of the query matches"


def _told_apart(rows: pa.RecordBatch) -> tuple[Ids, pa.RecordBatch]:
    """When rows came that no pattern matches, which is all that is known of them; and the rows
    that one may match."""
    if NOISE not in rows.schema.names:
        return np.empty(0, np.int64), rows
    noise = rows.column(NOISE)
    times = rows.column("ts").filter(noise).to_numpy(zero_copy_only=False)
    return times, rows.filter(pc.invert(noise))


def packs(
    jobs: Sequence[Job],
    lateness: Callable[[URIRef], int],
    limit: Callable[[URIRef], Limit] = lambda source: NO_LIMIT,
) -> Iterator[Pack]:
    """How each stream enters the stages of all jobs."""
    for source in dict.fromkeys(source for job in jobs for source in job.given):
        entries = (entry for job in jobs if source in job.given for entry in _entries(job, source))
        yield Pack(source, tuple(entries), lateness(source), jobs[0].coder, limit(source))


def _entries(job: Job, source: URIRef) -> Iterator[Entry]:
    """How a stream enters each stage of a job."""
    stages = job.plan.stages
    readers = (s.number for s in stages for f in s.feeds if f.source == source)
    first = next(readers, stages[0].number)  # what only moves the clock has none
    for stage in stages:
        number = job.number(stage)
        yield Entry(
            tuple(
                feed
                for feed in stage.feeds
                if feed.source == source and job.is_sent(number, feed.port)
            ),
            stage.key,
            job.buckets(number),
            number,
            tells_refused=stage.number == first,
            hears_jumps=number == job.last,
            grid=job.plan.grid,
            tables=job.table,
            query=job.place.name,
            hashed=job.plan.hashed,
        )
