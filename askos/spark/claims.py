"""Whose answers a folder holds.

Spark's file sink logs the micro-batches that it has written by number, and leaves out a number
that its log has already.  Of two checkpoints that write into one folder, the second would lose its
answers without a word.  So a folder belongs to the checkpoint that wrote there first, and a small
file in it says which:

    {"checkpoint": "/data/checkpoint", "key": of its term ids, by which it is known if it is moved}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol

from pyspark.sql import SparkSession

from askos.errors import SetupError
from askos.spark.checkpoint import read_document
from askos.spark.files import write_whole
from askos.spark.logs import SINK, last, last_in

_CLAIM: Final = "_askos.json"  # Spark leaves out files so named


class _Place(Protocol):
    """A folder of answers, in whatever file system."""

    def read(self) -> str | None:
        """What the claim says, if there is one."""

    def write(self, claim: str) -> None:
        """Put a claim there, and make the folder if need be."""

    def written(self) -> Iterable[str]:
        """The names of the files in the folder of Spark's log."""


def claim(spark: SparkSession, folder: str | Path, checkpoint: Path) -> int:
    """Make a folder the checkpoint's own; SetupError, naming the other, if it is another's.  Gives
    the last micro-batch in its log, -1 if there is none."""
    remote = "://" in str(folder)
    return settle(
        _Remote(spark, str(folder)) if remote else _Local(Path(folder)), str(folder), checkpoint
    )


def settle(place: _Place, folder: str, checkpoint: Path) -> int:
    """Refuse another's place, else claim it, and tell what was written last."""
    key = str(read_document(checkpoint)["key"])
    written = last(place.written())
    match _said(place.read()):
        case {"key": str(owner), "checkpoint": str(other)}:
            taken = owner != key and (written >= 0 or _goes_on(Path(other), owner))
        case _:  # written before there were claims, or by something else than askos
            other = "one that askos does not know"
            taken = written > last_in(checkpoint / "offsets")
    if taken:
        raise SetupError(
            f"{folder} holds the answers of another checkpoint: {other}",
            hint="give each checkpoint a folder of its own; if those answers are no longer wanted,"
            " remove the folder first",
        )
    place.write(json.dumps({"checkpoint": str(checkpoint.absolute()), "key": key}) + "\n")
    return written


def _said(text: str | None) -> Any:
    with suppress(ValueError):
        return json.loads(text or "")
    return None


def _goes_on(checkpoint: Path, key: str) -> bool:
    """Whether a checkpoint is still there that claimed a folder and has not written yet."""
    with suppress(SetupError):
        return bool(read_document(checkpoint)["key"] == key)
    return False


class _Local:
    """A folder on this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self) -> str | None:
        with suppress(FileNotFoundError, NotADirectoryError):
            return (self._folder / _CLAIM).read_text("utf-8", "replace")
        return None

    def write(self, claim: str) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        write_whole(self._folder / _CLAIM, claim)

    def written(self) -> Iterable[str]:
        return [file.name for file in (self._folder / SINK).glob("*")]


class _Remote:
    """A folder that only Spark's JVM reaches, by Hadoop's file systems."""

    def __init__(self, spark: SparkSession, folder: str) -> None:
        self._jvm: Any = spark._jvm
        context: Any = spark.sparkContext
        self._folder = self._path(folder)
        self._files = self._folder.getFileSystem(context._jsc.hadoopConfiguration())

    def _path(self, *parts: Any) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(*parts)

    def read(self) -> str | None:
        file = self._path(self._folder, _CLAIM)
        if not self._files.exists(file):
            return None
        data = self._files.open(file)
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(data, "UTF-8"))
        finally:
            data.close()

    def write(self, claim: str) -> None:
        data = self._files.create(self._path(self._folder, _CLAIM), True)
        try:
            data.write(bytearray(claim.encode()))
        finally:
            data.close()

    def written(self) -> Iterable[str]:
        log = self._path(self._folder, SINK)
        found = self._files.listStatus(log) if self._files.exists(log) else ()
        return [str(each.getPath().getName()) for each in found]
