"""What is large goes from task to task in a file, where all tasks run on one machine.

On its way through a shuffle Spark copies a payload about ten times: into Arrow, Java and a
compressed file, and back.  Left in a file of ours, it is written once and read once, and only the
name of the file goes through Spark.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from askos.errors import SetupError
from askos.spark.messages import Message

LARGE: Final = 32 << 10
"""Bytes from which on a file takes less time than Spark."""

_END: Final = ".parcel"


@dataclass(frozen=True, slots=True)
class Parcels:
    """The files of a query, in a folder that its driver has made for itself.

    Each is of one micro-batch.  As long as that goes on, Spark may want them again, for a task that
    is repeated; when there is a later one, nobody does, and who leaves the first file removes them.
    """

    folder: str
    large: int = LARGE

    def left(
        self, messages: Iterable[Message], micro_batch: Callable[[], int]
    ) -> Iterator[Message]:
        """The same messages, of which those that enter an operator may name a file.  Where none
        can be written, or Spark does not say which micro-batch it is of, the payload goes through
        Spark."""
        batch: int | None = None
        for message in messages:
            if message.port < 0 or len(message.payload) < self.large:
                yield message
                continue
            try:
                if batch is None:
                    batch = micro_batch()
                    self._remove_before(batch)
                file = self._file(batch, message.payload)
            except (OSError, SetupError):
                yield message
            else:
                yield replace(message, channel=file, payload=b"")

    def _file(self, batch: int, payload: bytes) -> str:
        """A file with a payload, which is there as a whole or not at all."""
        file = f"{self.folder}/{batch}-{secrets.token_hex(8)}{_END}"
        try:
            Path(file).write_bytes(payload)
        except OSError:
            with suppress(OSError):
                os.unlink(file)
            raise
        return file

    def _remove_before(self, batch: int) -> None:
        with suppress(OSError):
            for name in os.listdir(self.folder):
                if name.endswith(_END) and int(name.partition("-")[0]) < batch:
                    with suppress(FileNotFoundError):
                        os.unlink(f"{self.folder}/{name}")
