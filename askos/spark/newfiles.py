"""Files of answers as they come: those that a sink's log names, each once.

Spark's log names the files of each micro-batch once all of them are written, in a file of the
batch's number; every so often one such file repeats all before it (see `askos.spark.sinklog`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from urllib.parse import unquote

from askos.spark.logs import COMPACT, SINK, batch_number
from askos.spark.sinklog import entries


class NewFiles:
    """The files that came into a sink's log since they were last asked for.

    A look costs what is new: the log is asked for the next number, and listed at the first look
    only, or when that number is not there although the folder has changed, because who looks
    seldom finds old numbers removed.  Of what is repeated, only the end is read.
    """

    def __init__(self, folder: Path) -> None:
        self._log = folder / SINK
        self._next = 0
        self._last: str | None = None  # the last file that was given
        self._listed: int | None = None  # when the log had changed last, as it was listed

    def take(self) -> list[str]:
        """Their places below the sink's folder, in the order of micro-batches."""
        return [*self._numbered()] or [*self._found()]

    def _numbered(self) -> Iterator[str]:
        """Those of the next micro-batches, as long as there is one."""
        while True:
            for name in (str(self._next), f"{self._next}{COMPACT}"):
                with suppress(FileNotFoundError):
                    yield from self._of(self._log / name)
                    break
            else:
                return

    def _of(self, batch: Path) -> list[str]:
        """Those of one file of the log that were not given before."""
        lines = reversed(entries(batch))
        new = [*takewhile(lambda file: file != self._last, map(_place, lines))][::-1]
        self._last = new[-1] if new else self._last
        self._next = (batch_number(batch.name) or 0) + 1
        return new

    def _found(self) -> Iterator[str]:
        """Those after what is there no more, or at the first look: the last that repeats all
        before it, and what follows."""
        changed = self._log.stat().st_mtime_ns if self._log.exists() else None
        if changed == self._listed:
            return
        self._listed = changed
        names = {batch_number(file.name): file.name for file in self._log.iterdir()}
        there = [number for number in names if number is not None and number >= self._next]
        repeating = (number for number in there if names[number].endswith(COMPACT))
        if there:
            self._next = max(repeating, default=min(there))
            yield from self._numbered()


def _place(entry: str) -> str:
    """The file that a line of the log names, by its place below the sink's folder."""
    *folders, file = unquote(json.loads(entry)["path"]).split("/")
    several = folders[-2].startswith("query=")
    return "/".join([*folders[-2 if several else -1 :], file])
