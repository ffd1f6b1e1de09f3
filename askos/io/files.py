"""Files as bytes: plain or compressed, standard input, in blocks of whole lines; and the names of
those that cannot be written."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, cast

from askos.errors import StreamError
from askos.io.limits import Limits, setting

STDIN: Final = Path("-")
FIRST_BLOCK: Final = 1 << 16
LARGEST_BLOCK: Final = 1 << 22
"""Blocks begin small, so that first answers come soon, and double, since each one costs."""
_FREE: Final = 64 << 20  # what a compressed file may grow to, however small it is
_PIECE: Final = 1 << 20


def syntax_suffix(file: Path) -> str:
    """What a name says of the syntax, with or without a .gz behind it.

    >>> syntax_suffix(Path("park.nt.gz"))
    '.nt'
    """
    return Path(file.stem).suffix if file.suffix == ".gz" else file.suffix


def opened(file: Path, limits: Limits | None = None) -> IO[bytes]:
    """The bytes of a file, decompressed; reading them raises nothing but StreamError."""
    try:
        raw = sys.stdin.buffer if file == STDIN else file.open("rb")
    except OSError as error:
        raise StreamError(f"{file}: {error.strerror}") from error
    return cast("IO[bytes]", _Reader(raw, file, limits or Limits.of()))


class _Reader(io.RawIOBase):
    """A file whose faults are told as ours, and whose text may not outgrow it."""

    def __init__(self, raw: IO[bytes], file: Path, limits: Limits) -> None:
        self._raw, self._file, self._growth = raw, file, limits.growth
        packed = file.suffix == ".gz"
        self._data = cast("IO[bytes]", gzip.GzipFile(fileobj=raw)) if packed else raw
        self._read = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(_PIECE), b""))
        try:
            # A pipe gives what it has; whoever waits for more holds answers back.
            found = self._raw.read1(size) if self._file == STDIN else self._data.read(size)  # type: ignore[attr-defined]
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise StreamError(f"{self._file} is no whole gzip file: {error}") from error
        except OSError as error:
            raise StreamError(f"{self._file}: {error.strerror or error}") from error
        self._read += len(found)
        if self._data is not self._raw:
            self._check()
        return cast("bytes", found)

    def _check(self) -> None:
        if self._read > _FREE + self._growth * self._raw.tell():
            raise StreamError(
                f"{self._file} grows to more than {self._growth} times its size",
                hint=setting("growth", self._growth),
            )

    def tell(self) -> int:
        """How much of the file itself has been read."""
        return 0 if self._file == STDIN else self._raw.tell()

    def close(self) -> None:
        if not self.closed and self._file != STDIN:
            self._data.close()
            self._raw.close()
        super().close()


def blocks(
    file: Path, limits: Limits | None = None, first: int | None = None
) -> Iterator[tuple[bytes, int]]:
    """Runs of whole lines, each with how many bytes of the file have been read.

    Memory: two blocks, and a line.
    """
    known = limits or Limits.of()
    size, rest, lines = first or FIRST_BLOCK, list[bytes](), 0
    with opened(file, known) as data:
        while piece := data.read(size):
            end = piece.rfind(b"\n") + 1
            if end:
                block = b"".join([*rest, piece[:end]])
                yield block, data.tell()
                lines += block.count(b"\n")
                rest = [piece[end:]]
                size = max(size, min(2 * size, LARGEST_BLOCK))
            else:
                rest.append(piece)
            if sum(map(len, rest)) > known.line:
                raise StreamError(
                    f"{file}, line {lines + 1}: longer than {known.line:,} bytes",
                    hint=setting("line", known.line),
                )
        if block := b"".join(rest):
            yield block, data.tell()


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Writing a file: an error of the system names it, also where a disk is full.

    >>> with naming(Path("out.nq")):
    ...     raise OSError(28, "Error writing bytes to file. Detail: [errno 28]")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'out.nq'
    """
    try:
        yield
    except OSError as error:
        if error.filename or not error.errno:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(file)) from error
