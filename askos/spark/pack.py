"""Packing: source rows become batches of ids, split by bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from askos.columns import Coder
from askos.errors import StreamError
from askos.physical import Feed, Ingested, Line, Stage, feed, ingest
from askos.physical.exchange import split
from askos.spark.control import read_control
from askos.spark.job import Job
from askos.spark.messages import MARK, Message, refused, to_arrow
from askos.terms import URIRef, Variable


@dataclass(frozen=True, slots=True)
class Pack:
    """What of one stream enters one stage; a function for mapInArrow.

    Every bucket also hears how far the stream has come, so that all of them see the same
    watermark: also where the stream feeds other stages only, and `feeds` is empty.  Rows that
    are no triples are no progress.
    """

    source: URIRef
    feeds: tuple[Feed, ...]
    key: tuple[Variable, ...]
    buckets: tuple[int, ...]
    lateness: int
    coder: Coder
    tells_refused: bool  # one stage does, of all that read the stream

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        lines = [Line(entry, self.coder) for entry in self.feeds]
        latest = -1
        for rows in batches:
            s, p, o, ts = (rows.column(name) for name in ("s", "p", "o", "ts"))
            got = ingest(s, p, o, ts, self.coder)
            messages = [*self._elements(lines, got), *self._refused(rows, got)]
            if messages:
                yield to_arrow(messages)
            latest = max(latest, int(got.batch.ts.max(initial=-1)))
        if latest >= 0:
            mark = max(latest - self.lateness, 0)
            yield to_arrow(Message(b, MARK, str(self.source), mark) for b in self.buckets)

    def _elements(self, lines: list[Line], got: Ingested) -> Iterator[Message]:
        for port, batch in feed(lines, got.batch):
            for place, part in split(batch, self.key, len(self.buckets)):
                yield Message(self.buckets[place], port, payload=part.to_bytes())

    def _refused(self, rows: pa.RecordBatch, got: Ingested) -> Iterator[Message]:
        if len(got.refused) and self.tells_refused:
            bad = rows.take(pa.array(got.refused)).to_pylist()
            texts = [" ".join(str(row[name]) for name in ("s", "p", "o", "ts")) for row in bad]
            yield refused(self.buckets[0], texts, got.reasons)


@dataclass(frozen=True, slots=True)
class PackControl:
    """What the control stream tells, to every bucket of a stage; a function for mapInArrow.

    A file that says nothing we know is told as refused, and changes nothing: Spark gives it
    again in every replay, so it must not stop the query.
    """

    channels: tuple[str, ...]
    buckets: tuple[int, ...]
    tells_refused: bool  # one stage does

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in batches:
            messages = [m for text in rows.column("value").to_pylist() for m in self._heard(text)]
            if messages:
                yield to_arrow(messages)

    def _heard(self, text: str) -> Iterator[Message]:
        try:
            marks = read_control(text, self.channels)
        except StreamError as error:
            if self.tells_refused:
                yield refused(self.buckets[0], [text], [error.message])
            return
        for channel, time in marks:
            yield from (Message(bucket, MARK, channel, time) for bucket in self.buckets)


def packs(job: Job, stage: Stage, lateness: Callable[[URIRef], int]) -> Iterator[Pack]:
    """How each stream of a plan enters a stage."""
    for source in job.plan.sources:
        first = next(s.number for s in job.plan.stages for f in s.feeds if f.source == source)
        yield Pack(
            source,
            tuple(entry for entry in stage.feeds if entry.source == source),
            stage.key,
            job.buckets,
            lateness(source),
            job.coder,
            tells_refused=stage.number == first,
        )


def wanted(job: Job, pack: Pack) -> tuple[Feed, ...]:
    """The feeds whose rows `pack` must see: its own; without any, those of other stages, so
    that it hears as much of the time as they do."""
    everywhere = (entry for stage in job.plan.stages for entry in stage.feeds)
    return pack.feeds or tuple(entry for entry in everywhere if entry.source == pack.source)


def pack_control(job: Job, stage: Stage) -> PackControl:
    """How the control stream enters a stage."""
    channels = tuple(map(str, job.plan.sources))
    first = job.plan.stages[0].number
    return PackControl(channels, job.buckets, tells_refused=stage.number == first)
