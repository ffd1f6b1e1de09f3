"""Records of micro-batches: files of lines, of which the last ones are kept.

They stand in the checkpoint's folder `profile`, a file for each task that there is in every
micro-batch, so that nobody waits for anybody.  They are no part of the state: who cannot write one
goes on, and who deletes them loses nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeAlias

from askos.spark.files import write_whole

FOLDER: Final = "profile"
KEPT: Final = 100
"""Micro-batches of which records are kept: at least so many, if they are not large."""
_LARGE: Final = 1 << 18  # bytes of a file, before old lines go
_LAST: Final = 1 << 13  # bytes that mostly hold the last line

Record: TypeAlias = dict[str, Any]
"""Plain data, with the number of its micro-batch as `batch`."""


def append(file: Path, record: Record) -> None:
    """Add a record; any trouble with files is no trouble."""
    with suppress(OSError):
        file.parent.mkdir(exist_ok=True)
        with open(file, "ab") as log:
            log.write(json.dumps(record, separators=(",", ":")).encode() + b"\n")
            size = log.tell()
        if size > _LARGE:
            _shorten(file)


def _shorten(file: Path) -> None:
    lines = file.read_bytes().splitlines()[-KEPT:]
    while len(lines) > 1 and sum(map(len, lines)) > _LARGE // 2:
        lines = lines[len(lines) // 4 + 1 :]
    write_whole(file, b"\n".join([*lines, b""]).decode("utf-8", "replace"))


def last(file: Path) -> Record | None:
    """The last record of a file, if there is one."""
    with suppress(OSError):
        with open(file, "rb") as log:
            size = log.seek(0, 2)
            log.seek(max(size - _LAST, 0))
            tail = log.read().splitlines()
        if len(tail) < 2 and size > _LAST:
            tail = file.read_bytes().splitlines()
        for line in reversed(tail):
            if (found := _parsed(line)) is not None:
                return found
    return None


def read(file: Path) -> dict[int, Record]:
    """The records of a file by micro-batch: of one that was run again, what was told last."""
    return {record["batch"]: record for record in _all(file)}


class Growing:
    """A file of records that is read while it is written: what was appended since the last look,
    and nothing else.  Where old lines have gone, it is another file, which is read from its
    beginning."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._inode, self._read = -1, 0

    def news(self) -> list[Record]:
        """The records that are new; a line that is not whole yet is left for the next look."""
        with suppress(OSError), open(self._file, "rb") as log:
            inode = os.fstat(log.fileno()).st_ino
            if inode != self._inode:
                self._inode, self._read = inode, 0
            log.seek(self._read)
            lines = log.read().splitlines(keepends=True)
            whole = [line for line in lines if line.endswith(b"\n")]
            self._read += sum(map(len, whole))
            return [found for line in whole if (found := _parsed(line)) is not None]
        return []


def _all(file: Path) -> Iterator[Record]:
    with suppress(OSError):
        for line in file.read_bytes().splitlines():
            if (found := _parsed(line)) is not None:
                yield found


def _parsed(line: bytes) -> Record | None:
    """What a line says, if it is whole."""
    with suppress(ValueError, RecursionError):
        found = json.loads(line)
        if isinstance(found, dict) and isinstance(found.get("batch"), int):
            return found
    return None
