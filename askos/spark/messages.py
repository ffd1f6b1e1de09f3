"""Packed rows: what travels to stages and between them.

Spark hands rows of a stateful stage to Python one by one, so one row holds a whole batch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from askos.columns import Batch
from askos.physical.jump import Jump, Latest
from askos.physical.marks import Mark
from askos.physical.versions import Reload, Reloaded

SCHEMA: Final = "bucket int, port int, channel string, mark bigint, payload binary, stage int"
ARROW: Final = pa.schema(
    [
        ("bucket", pa.int32()),
        ("port", pa.int32()),
        ("channel", pa.string()),
        ("mark", pa.int64()),
        ("payload", pa.binary()),
        ("stage", pa.int32()),
    ]
)

# Ports below 0 are no inputs of an operator.
MARK: Final = -1  # nothing but a channel's promise
LATE: Final = -2  # a batch that came after its time
REFUSED: Final = -3  # texts that are no triples, as JSON
LATEST: Final = -4  # the latest row of a stream, on its way to where jumps are told
REMARK: Final = -5  # what was taken, but is odd: a text
ANSWER: Final = -6  # rows of answers, of one query among several
RELOAD: Final = -7  # other versions of static data, as JSON
RELOADED: Final = -8  # from when on they count, as JSON
PART: Final = -9  # a file of answers that a stage wrote, as the sink's log names it
READ: Final = -10  # how many rows a task has read: counted, and sent to nobody
FILES: Final = -11  # of which nothing is read yet: their folders and paths

TOLD: Final = -1
"""The stage of what is on its way to the sink; its bucket is the one that says it."""

NOBODY: Final = -1
"""The id of no bucket: what is for it is passed on."""


@dataclass(frozen=True, slots=True)
class Message:
    """A packed row, for the bucket of that id, which is one of the stage of that number.

    What is TOLD has the name of its query for a channel, where there are several; what enters an
    operator has the name of the file that its payload is in, where it is not here (see
    `askos.spark.parcels`).
    """

    bucket: int
    port: int
    channel: str = ""
    mark: int = 0
    payload: bytes = b""
    stage: int = TOLD

    @classmethod
    def of(cls, bucket: int, mark: Mark, stage: int) -> Message:
        """A promise."""
        times = (mark.smallest, mark.largest)
        payload = b"" if None in times else json.dumps(times).encode()
        return cls(bucket, MARK, mark.channel, mark.time, payload, stage)

    @property
    def promise(self) -> Mark:
        """What a message of MARK says."""
        times = json.loads(bytes(self.payload)) if len(self.payload) else (None, None)
        return Mark(self.channel, int(self.mark), *times)

    @classmethod
    def of_latest(cls, bucket: int, row: Latest, stage: int) -> Message:
        """The latest row of a stream in a batch, or in a part of it."""
        return cls(bucket, LATEST, row.stream, row.at, row.text.encode(), stage)

    @property
    def latest(self) -> Latest:
        """What a message of LATEST says."""
        return Latest(self.channel, int(self.mark), bytes(self.payload).decode())

    @classmethod
    def of_reload(cls, bucket: int, reload: Reload, stage: int) -> Message:
        """Other versions of static data."""
        return cls(bucket, RELOAD, payload=json.dumps(reload.plain()).encode(), stage=stage)

    @property
    def reload(self) -> Reload:
        """What a message of RELOAD says."""
        return Reload.read(json.loads(bytes(self.payload)))

    @property
    def batch(self) -> Batch:
        """The payload of a port, of LATE, or of ANSWER; where a port's is in a file, from there."""
        in_file = self.port >= 0 and self.channel
        return Batch.from_bytes(Path(self.channel).read_bytes() if in_file else self.payload)


def refused(bucket: int, rows: Sequence[str], reasons: Sequence[str], query: str = "") -> Message:
    """Rows that are no triples, each with its reason."""
    pairs = zip(rows, map(_sendable, reasons), strict=True)
    entries = [{"row": row, "reason": why} for row, why in pairs]
    return Message(bucket, REFUSED, query, payload=json.dumps(entries).encode())


def _sendable(text: str) -> str:
    """A text without halves of characters, which JSON may hold and Spark does not take."""
    return text.encode("utf-8", "replace").decode()


def remark(bucket: int, jump: Jump, query: str = "") -> Message:
    """A jump of a stream's time, told."""
    return Message(bucket, REMARK, query, payload=str(jump).encode())


def reloaded(bucket: int, told: Reloaded, query: str = "") -> Message:
    """From when on a graph counts as it was reloaded: told with the instant."""
    return Message(bucket, RELOADED, query, told.at, str(told).encode())


def columns(messages: Sequence[Message]) -> dict[str, list[Any]]:
    """Messages as columns by name."""
    return {name: [getattr(m, name) for m in messages] for name in ARROW.names}


def messages(rows: pa.RecordBatch) -> Iterator[Message]:
    """What `to_arrow` made; payloads are not copied."""
    own = [name for name in ARROW.names if name != "payload"]
    columns = [rows.column(name).to_pylist() for name in own]
    for values, payload in zip(zip(*columns, strict=True), rows.column("payload"), strict=True):
        yield Message(**dict(zip(own, values, strict=True)), payload=payload.as_buffer())


def to_arrow(messages: Iterable[Message]) -> pa.RecordBatch:
    """Messages as Arrow, for mapInArrow."""
    return pa.RecordBatch.from_pydict(columns(list(messages)), ARROW)
