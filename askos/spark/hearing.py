"""Packing what the control stream tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from askos.errors import StreamError
from askos.physical.marks import END
from askos.spark.control import Told, read_control
from askos.spark.job import Job
from askos.spark.messages import Message, refused
from askos.spark.named import File, files_of, local_path

_SHOWN: Final = 1000  # bytes of a control file that is refused


@dataclass(frozen=True, slots=True)
class Hearer:
    """A stage that hears the control stream, and the streams that its query reads."""

    channels: tuple[str, ...]
    buckets: tuple[int, ...]
    stage: int
    query: str = ""

    def heard(self, told: Told) -> Iterator[Message]:
        """What a file tells it."""
        reload = told.reloads.get(self.query)
        for bucket in self.buckets:
            if told.mark is not None and told.mark.channel in (END, *self.channels):
                yield Message.of(bucket, told.mark, self.stage)
            if reload is not None:
                yield Message.of_reload(bucket, reload, self.stage)


@dataclass(frozen=True, slots=True)
class PackControl:
    """What the control stream tells, to every bucket of every stage.

    A file that says nothing we know is told as refused, and changes nothing: Spark gives it
    again in every replay, so it must not stop the query.
    """

    hearers: tuple[Hearer, ...]

    def at(self, micro_batch: Callable[[], int]) -> PackControl:
        """The same in every micro-batch."""
        return self

    def taken(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[str, bytes]]:
        """What is in files that Spark has read."""
        return ((file["path"], file["content"]) for file in files_of(batches))

    def read(self, files: Iterable[File]) -> Iterator[tuple[str, bytes]]:
        """What is in files that are named."""
        for file in files:
            path = local_path(file["path"])
            try:
                yield file["path"], path.read_bytes()
            except OSError as error:
                raise StreamError(
                    f"{path} cannot be read: {error}",
                    hint="entries of the control stream are never removed: put it back",
                ) from error

    def pack(self, files: Iterable[tuple[str, bytes]]) -> Iterator[list[Message]]:
        """Pack what files tell, each given with its path."""
        messages = [m for path, content in files for m in self._heard(path, content)]
        if messages:
            yield messages

    def _heard(self, path: str, content: bytes) -> Iterator[Message]:
        known = dict.fromkeys(channel for hearer in self.hearers for channel in hearer.channels)
        try:
            told = read_control(content, [*known])
        except StreamError as error:
            text, file = content[:_SHOWN].decode("utf-8", "replace"), path.rpartition("/")[2]
            first, why = self.hearers[0], f"control file {file}: {error.message}"
            yield refused(first.buckets[0], [text], [why], first.query)
            return
        for hearer in self.hearers:
            yield from hearer.heard(told)


def pack_control(jobs: Sequence[Job]) -> PackControl:
    """How the control stream enters the stages of all jobs."""
    hearers = (
        Hearer(tuple(map(str, job.given)), job.buckets(number), number, job.place.name)
        for job in jobs
        for number in map(job.number, job.plan.stages)
    )
    return PackControl(tuple(hearers))
