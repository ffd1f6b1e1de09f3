"""Stages in levels: all that can run side by side are one stateful operator of Spark's.

A streaming DataFrame that is used twice in one of Spark's queries is run twice, with two states.
So the stages of all queries stand in one line of levels.  What enters is read and packed once, for
all of them.  A level runs the buckets of its own stages, each known by an id that no other stage
has, and passes on what is meant for later ones; what comes out of the last one is told.  Only
stages that have state in common run in the same buckets (see `askos.spark.shares`).
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import chain
from typing import TYPE_CHECKING

from askos.physical import Stage
from askos.spark.cache import WORKER, Memory
from askos.spark.job import Job
from askos.spark.measuring import packing, tasks
from askos.spark.messages import FILES, Message
from askos.spark.named import files_named
from askos.spark.pack_files import PackFolders
from askos.spark.parts import micro_batch
from askos.spark.stage import StageTask
from askos.terms import URIRef

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import MapState


@dataclass(frozen=True, slots=True)
class Step:
    """A stage of a job."""

    job: Job
    stage: Stage

    @property
    def number(self) -> int:
        """Among the stages of all queries."""
        return self.job.number(self.stage)


@dataclass(frozen=True)
class Level:
    """Stages none of which takes what another of them gives."""

    steps: tuple[Step, ...]
    folders: PackFolders | None = None  # which this one reads, where there is little to be read

    @cached_property
    def places(self) -> dict[int, tuple[list[Step], int]]:
        """The bucket of each id: of which stages, and which one."""
        found: dict[int, tuple[list[Step], int]] = {}
        for step in self.steps:
            for place, bucket in enumerate(step.job.buckets(step.number)):
                found.setdefault(bucket, ([], place))[0].append(step)
        return found

    def run(
        self,
        bucket: int,
        rows: Iterator[Message],
        state: MapState,
        memory: Memory = WORKER,
        micro_batch: Callable[[], int] = micro_batch,
    ) -> Iterator[Message]:
        """Take the packed rows of a bucket, give those that follow."""
        if bucket not in self.places:
            yield from rows
            return
        steps, place = self.places[bucket]
        task, *others = (
            StageTask(step.job, step.stage.number, state, memory, micro_batch) for step in steps
        )
        own, passing = list[Message](), list[Message]()
        for message in self._entered(bucket, rows, memory, micro_batch):
            (own if message.bucket == bucket else passing).append(message)
        sent, parcels = chain(passing, task.step(place, own, others)), self.steps[0].job.parcels
        yield from sent if parcels is None else parcels.left(sent, micro_batch)

    def _entered(
        self,
        bucket: int,
        rows: Iterable[Message],
        memory: Memory,
        micro_batch: Callable[[], int],
    ) -> Iterator[Message]:
        """What comes to a bucket, also in files that it is to read; from the first one on its way
        goes what these have for buckets of later levels."""
        for message in rows:
            if message.port == FILES:
                read = partial(self._read, bytes(message.payload), micro_batch)
                # Files may come again with other lines, or be read anew by a query that goes on.
                name = self.steps[0].job.cache, tasks() or micro_batch(), read.args[0]
                yield from memory.entered.get(name, read).get(bucket, ())
            else:
                yield message

    def _read(self, named: bytes, micro_batch: Callable[[], int]) -> dict[int, list[Message]]:
        """What is in files, by the bucket that takes it."""
        assert self.folders is not None, "files are named to who can read them"
        folders, found = self.folders.at(micro_batch), dict[int, list[Message]]()
        first, rows = next(iter(self.places)), folders.read(files_named(named))
        for packed in packing(self.steps[0].job.profile, folders.pack, rows):
            for message in packed:
                to = message.bucket if message.bucket in self.places else first
                found.setdefault(to, []).append(message)
        return found

    def packed(self) -> bytes:
        """As it travels.  Compressed, since what is larger than 1 MB Spark sends in a way that
        the process which asks for the state does not know: wide plans are."""
        return zlib.compress(pickle.dumps(self))


@lru_cache(maxsize=8)
def opened(packed: bytes) -> Level:
    """What `Level.packed` gave; a worker runs many buckets, again and again."""
    level = pickle.loads(zlib.decompress(packed))
    assert isinstance(level, Level)
    return level


def levels(jobs: Sequence[Job]) -> list[Level]:
    """The stages of all jobs, each as early as what it takes is there."""
    ranks, published = dict[int, int](), dict[URIRef, int]()
    found: dict[int, list[Step]] = {}
    for job in jobs:  # those that publish come before their readers
        least = max((published[stream] + 1 for stream in job.place.derived), default=0)
        for stage in job.plan.stages:
            before = (ranks[job.place.first + number] + 1 for number, _ in stage.upstream)
            rank = ranks[job.number(stage)] = max([least, *before])
            found.setdefault(rank, []).append(Step(job, stage))
        if job.place.publishes is not None:
            published[job.place.publishes] = ranks[job.last]
    return [Level(tuple(steps)) for _, steps in sorted(found.items())]
