"""Answers are in the log of their sink before their micro-batch is at its end.

A bucket has written its answers well before Spark has stored its state and told the driver so.
On one machine it tells the driver itself, by a socket; when all buckets of a micro-batch have done
so, its files are put into the log.  Should the micro-batch fail after that, it is run again, as one
that was in the log before the driver was killed: it says the same, and counts as it stands there.

What is not heard, or not of all buckets, is told at the end of the micro-batch as ever.
"""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeAlias

from askos.spark.errors import WorkerError

Take: TypeAlias = Callable[[list[bytes], int], None]
"""What is done with the names of files of a micro-batch, and its number."""

_LONGEST: Final = 1 << 17  # bytes of what is told; Linux takes somewhat more at once
_WAIT: Final = 1.0  # seconds between two looks whether anybody still tells


def tell(ear: str, batch: int, bucket: int, buckets: int, entries: Sequence[bytes]) -> None:
    """Say what a bucket, of so many, has written in a micro-batch.  Never waits."""
    said = json.dumps([batch, bucket, buckets, [entry.decode() for entry in entries]]).encode()
    if len(said) > _LONGEST:
        return
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as mouth:
        mouth.setblocking(False)
        mouth.sendto(said, ear)


class Ear:
    """Hears of files of answers, and takes those of a micro-batch when it knows them all."""

    def __init__(self, folder: str) -> None:
        self.path = f"{folder}/ear"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._batch, self._heard = -1, dict[int, list[bytes]]()
        try:
            self._socket.bind(self.path)
        except OSError:
            self.close()
            raise
        self._socket.settimeout(_WAIT)

    def close(self) -> None:
        """Hear no more."""
        self._socket.close()
        Path(self.path).unlink(missing_ok=True)

    def listen(self, take: Take, go_on: Callable[[], bool]) -> None:
        """From a thread of its own, as long as somebody may tell anything."""

        def work() -> None:
            with closing(self):
                while True:
                    try:
                        said = self._socket.recv(2 * _LONGEST)
                    except TimeoutError:
                        if not go_on():
                            return
                    else:
                        self._hear(said, take)

        threading.Thread(target=work, daemon=True, name="askos-ear").start()

    def _hear(self, said: bytes, take: Take) -> None:
        batch, bucket, buckets, entries = json.loads(said)
        if batch != self._batch:
            self._batch, self._heard = batch, {}
        self._heard.setdefault(bucket, [entry.encode() for entry in entries])
        if len(self._heard) == buckets:
            every = [entry for own in self._heard.values() for entry in own]
            with suppress(WorkerError, OSError):  # who takes them at the end says what is wrong
                take(every, batch)


@contextmanager
def opened_ear(folder: str) -> Iterator[Ear | None]:
    """An ear in a folder, where the machine has such sockets, and the folder no long name; closed
    if nothing comes of what it is for."""
    try:
        ear = Ear(folder)
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield ear
    except BaseException:
        ear.close()
        raise
