"""Packing: source rows become batches of ids, split by bucket."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra import Periodic
from askos.columns import Coder
from askos.columns.ids import Ids
from askos.columns.legible import shown
from askos.errors import StreamError
from askos.interval import FOREVER
from askos.io.streams import NUMBERS, Rows, StreamFiles, gathered
from askos.physical import Feed, Ingested, Matcher, Stage, ingest, lines, matcher
from askos.physical.exchange import split
from askos.physical.jump import Latest, latest_of, latest_row
from askos.physical.limit import NO_LIMIT, Limit
from askos.physical.marks import Mark
from askos.physical.tables import Tables, no_tables
from askos.spark.control import read_control
from askos.spark.errors import writing
from askos.spark.job import Job
from askos.spark.measuring import packing
from askos.spark.messages import READ, Message, refused, to_arrow
from askos.spark.relevant import NOISE
from askos.spark.sources import FILE
from askos.terms import URIRef, Variable


def packed(
    pack: bytes, profile: str, stage: int, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """What a pickled `Pack`, `PackFiles` or `PackControl` of a stage gives; a function for
    mapInArrow.

    It is unpickled here, where askos.terms has been imported: without it, rdflib would rewrite the
    literals of the query.
    """
    made = pickle.loads(pack)
    if isinstance(made, PackFiles):
        return writing(partial(packing, profile, stage, made.pack), made.read(batches))
    return writing(partial(packing, profile, stage, made), batches)


@dataclass(frozen=True, slots=True)
class Pack:
    """What of one stream enters one stage.

    Every bucket also hears how far the stream has come, so that all of them see the same
    watermark: also where the stream feeds other stages only, and `feeds` is empty.  Rows that
    are no triples, or are stamped beyond the `limit`, are no progress.  Without a limit one bucket
    hears the latest row itself, to remark on a jump.
    """

    source: URIRef
    feeds: tuple[Feed, ...]
    key: tuple[Variable, ...]
    buckets: tuple[int, ...]
    lateness: int
    coder: Coder
    tells_refused: bool  # one stage does, of all that read the stream
    grid: Periodic | None = None
    limit: Limit = NO_LIMIT
    tables: Tables = no_tables
    stage: int = 0  # the number of that stage
    last: int = 0  # and of the query's last one, which hears of jumps
    query: str = ""  # its name, where there are several
    hashed: bool = False  # whether triples are looked up among the constants of patterns

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return self.pack(map(_told_apart, batches))

    def pack(self, parts: Iterable[tuple[Ids, pa.RecordBatch]]) -> Iterator[pa.RecordBatch]:
        """Pack rows that a pattern may match, each part with the times of others."""
        read = lines(self.feeds, self.coder, self.grid, self.tables)
        entered = matcher(read, self.coder, hashed=self.hashed)
        smallest, latest = FOREVER, list[Latest]()
        for noise, rows in parts:
            columns = dict(zip(rows.schema.names, rows.columns, strict=True))
            s, p, o, ts = (columns[name] for name in ("s", "p", "o", "ts"))
            own = (columns.get("seq"), columns.get("arrived"))
            got = ingest(s, p, o, ts, self.coder, *own, self.limit)
            messages = [*self._elements(entered, got), *self._refused(rows, got)]
            if messages:
                yield to_arrow(messages)
            for times in (noise, got.batch.ts):
                smallest = min(smallest, int(times.min(initial=FOREVER)))
            latest = latest_of([*latest, *self._latest(noise, columns, got)])
        for row in latest:
            mark = Mark(row.stream, max(row.at - self.lateness, 0), smallest, row.at)
            told = [] if self.limit else [Message.of_latest(self.buckets[0], row, self.last)]
            marks = (Message.of(bucket, mark, self.stage) for bucket in self.buckets)
            yield to_arrow([*told, *marks])

    def _latest(self, noise: Ids, columns: Mapping[str, Any], got: Ingested) -> Iterator[Latest]:
        if len(noise):
            yield Latest(str(self.source), int(noise.max()), _UNMATCHED)
        if len(got.batch) and self.limit:  # nobody asks for its text
            yield Latest(str(self.source), int(got.batch.ts.max()), "")
        elif len(got.batch):
            yield latest_row(str(self.source), columns, got)

    def _elements(self, entered: Matcher, got: Ingested) -> Iterator[Message]:
        for port, batch in entered.feed(got.batch):
            for place, part in split(batch, self.key, len(self.buckets)):
                yield Message(self.buckets[place], port, payload=part.to_bytes(), stage=self.stage)

    def _refused(self, rows: pa.RecordBatch, got: Ingested) -> Iterator[Message]:
        if len(got.refused) and self.tells_refused:
            texts = [_spelled(rows, row) for row in got.refused.tolist()]
            reasons = [
                f"{_place(rows, row)}{reason}"
                for row, reason in zip(got.refused.tolist(), got.reasons, strict=True)
            ]
            yield refused(self.buckets[0], texts, reasons, self.query)


def _spelled(rows: pa.RecordBatch, row: int) -> str:
    return " ".join(str(shown(rows.column(name)[row])) for name in ("s", "p", "o", "ts"))


def _place(rows: pa.RecordBatch, row: int) -> str:
    """Where a row is from, if that is known, and a colon."""
    known = shown(rows.column(FILE)[row]) if FILE in rows.schema.names else None
    numbers = [
        f", {name} {rows.column(name)[row]}"
        for name in NUMBERS.values()
        if name in rows.schema.names
    ]
    return f"{known}{''.join(numbers)}: " if known else ""


_SHOWN: Final = 1000  # bytes of a control file that is refused
_UNMATCHED: Final = "a row that no pattern of the query matches"


def _told_apart(rows: pa.RecordBatch) -> tuple[Ids, pa.RecordBatch]:
    """When rows came that no pattern matches, which is all that is known of them; and the rows
    that one may match."""
    if NOISE not in rows.schema.names:
        return np.empty(0, np.int64), rows
    noise = rows.column(NOISE)
    times = rows.column("ts").filter(noise).to_numpy(zero_copy_only=False)
    return times, rows.filter(pc.invert(noise))


@dataclass(frozen=True, slots=True)
class PackFiles:
    """The same of files that are read here: all that Spark gives is their paths, and when their
    micro-batch began.  Tells at the end how many rows there were."""

    rows: Pack
    files: StreamFiles

    @property
    def stage(self) -> int:
        """The number of the stage."""
        return self.rows.stage

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return self.pack(self.read(batches))

    def read(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Rows]:
        """The rows of files that are named."""
        return gathered(
            rows
            for batch in batches
            for file in batch.to_pylist()
            for rows in self.files.read(local_path(file["path"]), file["at"])
        )

    def pack(self, rows: Iterable[Rows]) -> Iterator[pa.RecordBatch]:
        """Pack rows, and tell how many there were."""
        count = 0

        def parts() -> Iterator[tuple[Ids, pa.RecordBatch]]:
            nonlocal count
            for part in rows:
                count += len(part)
                yield part.passing, part.batch

        yield from self.rows.pack(parts())
        yield to_arrow([Message(self.rows.buckets[0], READ, mark=count, stage=self.stage)])


def local_path(name: str) -> Path:
    """A path as Python opens it.

    >>> local_path("file:/data/a b.nq")
    PosixPath('/data/a b.nq')
    """
    return Path(re.sub("^file:/+", "/", name))


@dataclass(frozen=True, slots=True)
class PackControl:
    """What the control stream tells, to every bucket of a stage.

    A file that says nothing we know is told as refused, and changes nothing: Spark gives it
    again in every replay, so it must not stop the query.
    """

    channels: tuple[str, ...]
    buckets: tuple[int, ...]
    tells_refused: bool  # one stage does
    stage: int = 0
    query: str = ""
    others: frozenset[str] = frozenset()  # streams that only other queries read

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in batches:
            files = zip(
                *(rows.column(name).to_pylist() for name in ("path", "content")), strict=True
            )
            messages = [m for file in files for m in self._heard(*file)]
            if messages:
                yield to_arrow(messages)

    def _heard(self, path: str, content: bytes) -> Iterator[Message]:
        try:
            told = read_control(content, [*self.channels, *self.others])
        except StreamError as error:
            if self.tells_refused:
                text, file = content[:_SHOWN].decode("utf-8", "replace"), path.rpartition("/")[2]
                why = f"control file {file}: {error.message}"
                yield refused(self.buckets[0], [text], [why], self.query)
            return
        mark, reload = told.mark, told.reloads.get(self.query)
        for bucket in self.buckets:
            if mark is not None and mark.channel not in self.others:
                yield Message.of(bucket, mark, self.stage)
            if reload is not None:
                yield Message.of_reload(bucket, reload, self.stage)


def packs(
    job: Job,
    stage: Stage,
    lateness: Callable[[URIRef], int],
    limit: Callable[[URIRef], Limit] = lambda source: NO_LIMIT,
) -> Iterator[Pack]:
    """How each stream of a plan enters a stage."""
    for source in job.given:
        readers = (s.number for s in job.plan.stages for f in s.feeds if f.source == source)
        first = next(readers, job.plan.stages[0].number)  # what only moves the clock has none
        yield Pack(
            source,
            tuple(entry for entry in stage.feeds if entry.source == source),
            stage.key,
            job.buckets,
            lateness(source),
            job.coder,
            tells_refused=stage.number == first,
            grid=job.plan.grid,
            limit=limit(source),
            tables=job.table,
            stage=job.number(stage),
            last=job.last,
            query=job.place.name,
            hashed=job.plan.hashed,
        )


def wanted(job: Job, pack: Pack) -> tuple[Feed, ...]:
    """The feeds whose rows `pack` must see: its own; without any, those of other stages, so
    that it hears as much of the time as they do."""
    everywhere = (entry for stage in job.plan.stages for entry in stage.feeds)
    return pack.feeds or tuple(entry for entry in everywhere if entry.source == pack.source)


def pack_control(job: Job, stage: Stage, streams: Iterable[URIRef] = ()) -> PackControl:
    """How the control stream enters a stage; `streams` are those of all queries."""
    channels = tuple(map(str, job.given))
    return PackControl(
        channels,
        job.buckets,
        tells_refused=job.number(stage) == 0,
        stage=job.number(stage),
        query=job.place.name,
        others=frozenset(map(str, streams)) - set(channels),
    )
