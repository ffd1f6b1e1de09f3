"""Large files read by several: each takes the lines, or the rows, of its share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from askos.errors import StreamError
from askos.io.files import blocks
from askos.io.limits import Limits, setting


@dataclass(frozen=True, slots=True)
class Share:
    """The part `place` of so many, of about equal size."""

    place: int = 0
    parts: int = 1

    def of(self, size: int) -> tuple[int, int]:
        """From where to where it goes.

        >>> [Share(place, 3).of(10) for place in range(3)]
        [(0, 3), (3, 6), (6, 10)]
        """
        return size * self.place // self.parts, size * (self.place + 1) // self.parts


WHOLE: Final = Share()
_PIECE: Final = 1 << 20


def shared_blocks(file: Path, share: Share, size: int) -> Iterator[tuple[bytes, int]]:
    """Runs of whole lines of about that size, each with the number of its first line: of those
    that begin in a share of a plain file.  What is compressed is in the first share, all of it.

    Cost: what comes before the share is read too, to count its lines.
    """
    if share.parts > 1 and file.suffix != ".gz":
        yield from _shared(file, share, size)
    elif share.place == 0:
        number = 1
        for block, _ in blocks(file, first=size):
            yield block, number
            number += count_lines(block)


def _shared(file: Path, share: Share, size: int) -> Iterator[tuple[bytes, int]]:
    longest = Limits.of().line
    with file.open("rb") as data:
        start, end = (_line_start(data, at) for at in share.of(file.stat().st_size))
        number = 1 + sum(map(count_lines, _blocks(data, 0, start, size, longest)))
        for block in _blocks(data, start, end, size, longest):
            if len(block) > size + longest:
                line = number + count_lines(block)
                raise StreamError(
                    f"{file}, line {line}: longer than {longest:,} bytes",
                    hint=setting("line", longest),
                )
            yield block, number
            number += count_lines(block)


def _line_start(data: IO[bytes], at: int) -> int:
    """Where the first line begins that begins there or later."""
    if at == 0:
        return 0
    data.seek(at - 1)
    while (piece := data.readline(_PIECE)) and not piece.endswith(b"\n"):
        pass
    return data.tell()


def _blocks(data: IO[bytes], start: int, end: int, size: int, longest: int) -> Iterator[bytes]:
    """What is between the beginnings of two lines; a line that is too long is cut."""
    data.seek(start)
    while start < end:
        block = data.read(min(size, end - start))
        if not block:
            return
        if start + len(block) < end:
            block += data.readline(longest + 1)
        start += len(block)
        yield block


def count_lines(block: bytes) -> int:
    """How many lines end in a block.

    >>> count_lines(b"one\\r\\ntwo\\rthree\\n")
    3
    """
    ends = block.count(b"\n")
    return ends + block.count(b"\r") - block.count(b"\r\n") if b"\r" in block else ends
