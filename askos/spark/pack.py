"""Packing: source rows become batches of ids, split by bucket."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from askos.columns import Coder
from askos.physical import Feed, Line, feed, ingest
from askos.physical.exchange import split
from askos.spark.control import read_control
from askos.spark.messages import MARK, Message, refused, to_arrow
from askos.terms import URIRef, Variable


@dataclass(frozen=True, slots=True)
class Pack:
    """What of one stream enters one stage; a function for mapInArrow.

    Every bucket also hears how far the stream has come, so that all of them see the same
    watermark.
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
            messages = [
                Message(self.buckets[place], port, payload=part.to_bytes())
                for port, batch in feed(lines, got.batch)
                for place, part in split(batch, self.key, len(self.buckets))
            ]
            if len(got.refused) and self.tells_refused:
                bad = rows.take(pa.array(got.refused)).to_pylist()
                texts = [" ".join(str(row[name]) for name in ("s", "p", "o", "ts")) for row in bad]
                messages.append(refused(self.buckets[0], texts, got.reasons))
            if messages:
                yield to_arrow(messages)
            latest = max(latest, int(got.batch.ts.max(initial=-1)))
        if latest >= 0:
            mark = max(latest - self.lateness, 0)
            yield to_arrow(Message(b, MARK, str(self.source), mark) for b in self.buckets)


@dataclass(frozen=True, slots=True)
class PackMarks:
    """How far a stream has come, for a stage it does not feed; a function for mapInArrow."""

    source: URIRef
    buckets: tuple[int, ...]
    lateness: int

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        times = [pc.max(rows.column("ts")).as_py() for rows in batches]
        latest = max((time for time in times if time is not None), default=-1)
        if latest >= 0:
            mark = max(latest - self.lateness, 0)
            yield to_arrow(Message(b, MARK, str(self.source), mark) for b in self.buckets)


@dataclass(frozen=True, slots=True)
class PackControl:
    """What the control stream tells, to every bucket of a stage; a function for mapInArrow."""

    channels: tuple[str, ...]
    buckets: tuple[int, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for rows in batches:
            marks = [
                mark for text in rows.column("value").to_pylist() for mark in read_control(text)
            ]
            heard = [
                Message(bucket, MARK, channel, time)
                for name, time in marks
                for channel in (self.channels if name is None else (name,))
                for bucket in self.buckets
                if channel in self.channels
            ]
            if heard:
                yield to_arrow(heard)
