"""Files that Spark names, and does not read."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa

File: TypeAlias = Mapping[str, Any]
"""What Spark says of a file: its path, of which folder it is, and when its micro-batch began."""


def files_of(batches: Iterable[pa.RecordBatch]) -> Iterator[File]:
    """The files that Spark names."""
    return (file for batch in batches for file in batch.to_pylist())


def files_named(payload: bytes) -> Iterator[File]:
    """What a message of FILES names: of each file its folder, and its path after its length."""
    begin = 0
    while begin < len(payload):
        folder, size = struct.unpack_from(">ii", payload, begin)
        begin += 8 + size
        yield {"folder": folder, "path": payload[begin - size : begin].decode()}


def local_path(name: str) -> Path:
    """A path as Python opens it.

    >>> local_path("file:/data/a b.nq")
    PosixPath('/data/a b.nq')
    """
    return Path(re.sub("^file:/+", "/", name))
