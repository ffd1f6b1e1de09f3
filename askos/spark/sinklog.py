"""Spark's log of a file sink: which files count.

A folder `_spark_metadata` beside the answers has a file for each micro-batch, named by its number:
a version, and a line of JSON for each file of answers.  Of a micro-batch without answers it has no
lines.  Every tenth is called NUMBER.compact and repeats all before it.  Whoever reads the answers
with Spark reads the files that are named there, each once, and no others.

We write what Spark's FileStreamSinkLog writes, so a folder may be written by either in turn.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from askos.errors import SetupError
from askos.spark.logs import COMPACT, SINK, batch_number, last_in
from askos.spark.parts import batch_of

VERSION: Final = "v1"
INTERVAL: Final = 10  # Spark's default
_KEPT: Final = 100  # micro-batches whose files are kept, though a later one repeats them
_PATIENCE: Final = 600  # seconds: who has begun to read the log is not disturbed


def entries(file: Path) -> list[str]:
    """The lines of one file of the log, each of which names a file of answers."""
    version, *lines = file.read_text("utf-8").splitlines()
    if version != VERSION:
        hint = f"askos reads {VERSION}: use the Spark that it asks for"
        raise SetupError(f"{file} is a log of version {version}", hint=hint)
    return lines


@dataclass(frozen=True, slots=True)
class SinkLog:
    """The log of a folder of answers; `default` is how often it repeats itself, if it has not yet
    done so."""

    folder: Path
    default: int = INTERVAL

    @property
    def last(self) -> int:
        """The last micro-batch that it has, -1 if it has none."""
        return last_in(self.folder / SINK)

    def begin(self, checkpoint: Path) -> None:
        """Make the log, if there is none: without it Spark would read whatever lies in the folder.
        SetupError if it lacks what the checkpoint has done, and so could not be read."""
        (self.folder / SINK).mkdir(parents=True, exist_ok=True)
        done = last_in(checkpoint / "commits")
        if done > self.last:
            raise SetupError(
                f"{self.folder} lacks answers that checkpoint {checkpoint} has given already: of"
                f" micro-batches {self.last + 1} to {done}",
                hint="go on with the folder that it has written to, or start with an empty"
                " checkpoint",
            )

    def add(self, batch: int, new: Iterable[str]) -> None:
        """Put the files of a micro-batch into the log, all at once; SetupError if somebody else
        did that meanwhile."""
        interval = self._interval()
        if (batch + 1) % interval:
            self._write(str(batch), new)
            return
        before = self._since(max(batch - interval, 0), batch - 1, interval)
        self._write(f"{batch}{COMPACT}", [*before, *new])
        self._drop_old(batch, interval)

    def files(self) -> set[str]:
        """All entries that count."""
        last, interval = self.last, self._interval()
        first = max((last + 1) // interval * interval - 1, 0)
        return set(self._since(first, last, interval))

    def _since(self, first: int, last: int, interval: int) -> Iterator[str]:
        for batch in range(first, last + 1):
            end = "" if (batch + 1) % interval else COMPACT
            yield from entries(self.folder / SINK / f"{batch}{end}")

    def _interval(self) -> int:
        """How often the log repeats itself: as it has done, else as is compatible with it."""
        compact = (self.folder / SINK).glob(f"[0-9]*{COMPACT}")
        *_, before, last = -1, -1, *sorted(batch_number(file.name) or 0 for file in compact)
        if last < 0:
            return self.default
        return last - before if before >= 0 else derived(self.default, last)

    def _write(self, name: str, lines: Iterable[str]) -> None:
        """As a whole, and never in another's place."""
        hidden = self.folder / SINK / f".{name}.{secrets.token_hex(8)}.tmp"
        try:
            hidden.write_text("\n".join([VERSION, *lines]), encoding="utf-8")
            _rename(hidden, hidden.with_name(name))
        except FileExistsError:
            hint = "stop the other query, or give this one a checkpoint of its own"
            raise SetupError("another query is using the checkpoint", hint=hint) from None
        finally:
            hidden.unlink(missing_ok=True)

    def _drop_old(self, batch: int, interval: int) -> None:
        """Remove what has been repeated long ago, as Spark does."""
        kept = (batch + 1 - _KEPT) // interval * interval - 1
        for file in (self.folder / SINK).glob("[0-9]*"):
            number = batch_number(file.name)
            if number is not None and number < kept:
                with suppress(OSError):
                    if time.time() - file.stat().st_mtime > _PATIENCE:
                        file.unlink()


def _rename(file: Path, name: Path) -> None:
    """Give a file its name, unless there is another of that name: FileExistsError."""
    try:
        os.link(file, name)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if name.exists():
            raise FileExistsError(name) from None
        file.rename(name)


def derived(default: int, last: int) -> int:
    """How often a log repeats itself that has done so once: as Spark concludes it.

    >>> derived(10, 9), derived(10, 5), derived(5, 11), derived(10, 19)
    (10, 6, 6, 20)
    """
    count = last + 1
    if default >= count // 2:
        return count
    return next(n for n in range(default, count + 1) if count % n == 0)


# ---- what never came into it -----------------------------------------------------------------


def drop_orphans(log: SinkLog) -> None:
    """Remove parts that never came into the log: what tasks wrote that failed, or were killed.

    Only of micro-batches that the log has: no attempt of those can get into it any more, while of
    a later one somebody may be writing.
    """
    last, known = log.last, {_name(entry) for entry in log.files()}
    for file in _parts(log.folder):
        batch = batch_of(file.name)
        if batch is not None and batch <= last and file.name not in known:
            with suppress(OSError):
                os.unlink(file)


def _parts(folder: Path) -> Iterator[os.DirEntry[str]]:
    for pattern in ("output=*", "query=*/output=*"):
        for below in folder.glob(pattern):
            yield from os.scandir(below)


def _name(entry: str) -> str:
    """Of the file that a line of the log names: no two parts have the same."""
    return str(json.loads(entry)["path"]).rpartition("/")[2]
