"""Packed rows: what travels to stages and between them.

Spark hands rows of a stateful stage to Python one by one, so one row holds a whole batch.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from askos.columns import Batch

SCHEMA: Final = "bucket int, port int, channel string, mark bigint, payload binary"
ARROW: Final = pa.schema(
    [
        ("bucket", pa.int32()),
        ("port", pa.int32()),
        ("channel", pa.string()),
        ("mark", pa.int64()),
        ("payload", pa.binary()),
    ]
)

# Ports below 0 are no inputs of an operator.
MARK: Final = -1  # nothing but a channel's promise
LATE: Final = -2  # a batch that came after its time
REFUSED: Final = -3  # texts that are no triples, as JSON


@dataclass(frozen=True, slots=True)
class Message:
    """A packed row."""

    bucket: int
    port: int
    channel: str = ""
    mark: int = 0
    payload: bytes = b""

    @property
    def batch(self) -> Batch:
        """The payload of a port, or of LATE."""
        return Batch.from_bytes(self.payload)


def refused(bucket: int, rows: Sequence[str], reasons: Sequence[str]) -> Message:
    """Rows that are no triples, each with its reason."""
    entries = [{"row": row, "reason": why} for row, why in zip(rows, reasons, strict=True)]
    return Message(bucket, REFUSED, payload=json.dumps(entries).encode())


def columns(messages: Sequence[Message]) -> dict[str, list[Any]]:
    """Messages as columns by name."""
    return {name: [getattr(m, name) for m in messages] for name in ARROW.names}


def to_arrow(messages: Iterable[Message]) -> pa.RecordBatch:
    """Messages as Arrow, for mapInArrow."""
    return pa.RecordBatch.from_pydict(columns(list(messages)), ARROW)
