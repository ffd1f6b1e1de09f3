"""Runs read once need not be read again: a cache in the process, and one on the machine.

Spark gives a bucket to whichever worker is free, so what one worker wrote another reads.  Files
mapped into memory serve them all; the state store is asked only for what no file holds.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import shutil
import tempfile
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Generic, TypeVar

import pyarrow as pa

from askos.columns import Batch
from askos.physical.bucket import Bucket
from askos.spark.messages import Message

T = TypeVar("T")

MEMORY: Final = 256 << 20  # bytes of runs a worker keeps
DISK: Final = 4 << 30  # bytes of files a checkpoint keeps on a machine
_WRITERS: Final = 16  # workers that may fill what is left of it before they look again


@contextmanager
def new_folder() -> Iterator[str]:
    """A folder for a query, which is gone again if nothing comes of it; see `remove_folder`.  Those
    of drivers that are gone are removed."""
    for other in Path(tempfile.gettempdir()).glob("askos-runs-*"):
        if not _alive(other.name.split("-")[2]) and not _held(other):
            shutil.rmtree(other, ignore_errors=True)
    folder = tempfile.mkdtemp(prefix=f"askos-runs-{os.getpid()}-")
    _HELD[folder] = os.open(folder, os.O_RDONLY)
    with suppress(OSError):  # not all file systems know locks
        fcntl.flock(_HELD[folder], fcntl.LOCK_EX | fcntl.LOCK_NB)
    atexit.register(_remove_own, folder, os.getpid())
    try:
        yield folder
    except BaseException:
        remove_folder(folder)
        raise


def _remove_own(folder: str, pid: int) -> None:
    """At the end of the process that has made it, and not of one that has forked off it."""
    if os.getpid() == pid:
        remove_folder(folder)


def remove_folder(folder: str) -> None:
    """Remove the folder of a query that has ended."""
    shutil.rmtree(folder, ignore_errors=True)
    lock = _HELD.pop(folder, None)
    if lock is not None:
        os.close(lock)


_HELD: Final = dict[str, int]()  # the folders of this driver, locked as long as it lives


def _held(folder: Path) -> bool:
    """Whether a driver has it that is not seen from here, in another container, say."""
    with suppress(OSError):
        lock = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(lock)
        return False
    return True


def _alive(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, ValueError):
        pass
    return True


class RunCache:
    """Runs by id.  Any trouble with files is no trouble: the state store has everything."""

    def __init__(self, memory: int = MEMORY, disk: int = DISK) -> None:
        self._runs: OrderedDict[int, tuple[Batch, int]] = OrderedDict()
        self._owned: dict[Hashable, frozenset[int]] = {}
        self._bytes = 0
        self._memory, self._disk = memory, disk
        self._allowed: dict[str, int] = {}  # bytes to be written before a folder is looked through

    def get(self, folder: str, run: int) -> Batch | None:
        """The run, if this process or this machine has it."""
        if run in self._runs:
            self._runs.move_to_end(run)
            return self._runs[run][0]
        try:
            if not _private(folder):
                return None
            with pa.memory_map(_file(folder, run)) as file:
                data = file.read_buffer()
        except OSError:
            return None
        return self._keep(run, Batch.from_bytes(data), len(data))

    def put(self, folder: str, run: int, batch: Batch, data: bytes) -> None:
        """Keep a run, here and in a file."""
        self._keep(run, batch, len(data))
        try:
            if not os.path.isdir(folder):  # on an executor elsewhere it is not there yet
                os.makedirs(folder, mode=0o700, exist_ok=True)
                _sweep_old()
            if not _private(folder) or not self._has_room(folder, len(data)):
                return
            hidden = f"{_file(folder, run)}.{os.getpid()}"
            Path(hidden).write_bytes(data)
            os.replace(hidden, _file(folder, run))
        except OSError:
            return

    def _has_room(self, folder: str, size: int) -> bool:
        """Whether a file of that size may be added.

        To look through a folder costs as much as it has files, so this is not done for each of
        them: every worker may write its share of what was free when it looked last.
        """
        left = self._allowed.get(folder, 0) - size
        if left < 0:
            free = self._disk - _used(folder) - size
            if free < 0:
                return False
            left = free // _WRITERS
        self._allowed[folder] = left
        return True

    def drop(self, folder: str, run: int) -> None:
        """Forget a run."""
        self._forget(run)
        Path(_file(folder, run)).unlink(missing_ok=True)

    def keep_only(self, owner: Hashable, runs: Iterable[int]) -> None:
        """Of an owner's runs only these are left: forget what another worker has dropped."""
        left = frozenset(runs)
        for run in self._owned.get(owner, frozenset()) - left:
            self._forget(run)
        self._owned[owner] = left

    def _forget(self, run: int) -> None:
        _, size = self._runs.pop(run, (None, 0))
        self._bytes -= size

    def _keep(self, run: int, batch: Batch, size: int) -> Batch:
        self._forget(run)
        self._runs[run] = batch, size
        self._bytes += size
        while self._bytes > self._memory and len(self._runs) > 1:
            _, (_, old) = self._runs.popitem(last=False)
            self._bytes -= old
        return batch


def _private(folder: str) -> bool:
    """Whether nobody else can write or read there: its name can be guessed by anyone."""
    found = os.stat(folder)
    return found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _file(folder: str, run: int) -> str:
    return f"{folder}/{run}.run"


def _sweep_old() -> None:
    """Remove folders of other machines' drivers that nobody has touched for a day."""
    for other in Path(tempfile.gettempdir()).glob("askos-runs-*"):
        if time.time() - other.stat().st_mtime > 86_400 and not _held(other):
            shutil.rmtree(other, ignore_errors=True)


def _used(folder: str) -> int:
    return sum(entry.stat().st_size for entry in os.scandir(folder))


class LiveCache:
    """Buckets as they were after the last micro-batch this worker ran them in.

    The oldest go when there are too many, or when the runs they hold have too many bytes.
    """

    def __init__(self, most: int = 1024, memory: int = MEMORY) -> None:
        self._most, self._memory = most, memory
        self._buckets: OrderedDict[Hashable, tuple[str, Bucket, int]] = OrderedDict()
        self._bytes = 0

    def take(self, name: Hashable, token: str) -> Bucket | None:
        """The bucket, if it is exactly the state called `token`; it is the caller's now."""
        if name not in self._buckets:
            return None
        known, bucket, size = self._buckets.pop(name)
        self._bytes -= size
        return bucket if known == token else None

    def put(self, name: Hashable, token: str, bucket: Bucket, size: int) -> None:
        """Keep a bucket whose state is now called `token`, and whose runs have `size` bytes."""
        self.take(name, token)
        self._buckets[name] = token, bucket, size
        self._bytes += size
        while len(self._buckets) > self._most or (
            self._bytes > self._memory and len(self._buckets) > 1
        ):
            _, (_, _, old) = self._buckets.popitem(last=False)
            self._bytes -= old


class Last(Generic[T]):
    """What was made last, by a name for it: the buckets of a task share what they all need."""

    def __init__(self) -> None:
        self._known: tuple[Hashable, T] | None = None

    def get(self, name: Hashable, make: Callable[[], T]) -> T:
        """What has that name, made if it is not what was made last."""
        if self._known is None or self._known[0] != name:
            self._known = None  # what fails leaves nothing, and two are never there at once
            self._known = name, make()
        return self._known[1]


@dataclass(frozen=True, slots=True)
class Memory:
    """What a worker process remembers between micro-batches, or buckets of one."""

    live: LiveCache = field(default_factory=LiveCache)
    runs: RunCache = field(default_factory=RunCache)
    entered: Last[Mapping[int, Sequence[Message]]] = field(default_factory=Last)  # by bucket


WORKER: Final = Memory()
"""Of this process."""
