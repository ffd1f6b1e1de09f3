"""What enters a query: its streams, and the control stream, as packed rows.

Files that are read by path, and those of the control stream, come from one source of Spark's where
its Java has our class for that (`Folders.java`): each source more is a query of its own to Spark in
every micro-batch, and a branch of the whole that is planned and run.  Elsewhere each folder is a
source, and so it is where a checkpoint has begun like that; one that has begun with one source can
go on with several (see `askos.spark.unfolding`).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession

from askos.spark.checkpoint import has_run
from askos.spark.classes import usable
from askos.spark.control import Control
from askos.spark.entering import entering, in_place, mapped
from askos.spark.folders import (
    FILE_SCHEMA,
    Files,
    FileStream,
    Place,
    Together,
    by_path,
    named,
    unread,
)
from askos.spark.hearing import pack_control
from askos.spark.job import Job
from askos.spark.logs import is_one_source
from askos.spark.measuring import is_running
from askos.spark.pack import Pack
from askos.spark.pack_files import PackFiles, PackFolders
from askos.spark.sessions import on_this_machine
from askos.spark.sources import located
from askos.spark.unfolding import Read, begin_with, begun_with, running, settle, unfold
from askos.terms import URIRef

LITTLE: Final = 512 << 10
"""Bytes of new files that stages read themselves: that each of Spark's tasks reads all of them
takes less time than tasks of their own, and a shuffle."""


@dataclass(frozen=True)
class Inputs:
    """The streams of some jobs, each with how it is packed, and the buckets of the first stages."""

    spark: SparkSession
    jobs: Sequence[Job]
    streams: Mapping[URIRef, DataFrame]
    control: Control
    packs: Sequence[Pack]
    buckets: Sequence[int]

    def frame(self) -> DataFrame:
        """All that enters."""
        return reduce(DataFrame.union, self._parts())

    @cached_property
    def folders(self) -> PackFolders | None:
        """How files are packed, where folders are one source and stages may read them: not where
        rows have the time of the micro-batch, which only Spark tells."""
        found = self._by_path
        stamped = any(files.files.stamped for files, _ in found)
        return None if stamped or not self._together else self._all_folders

    def _parts(self) -> Iterator[DataFrame]:
        if self._together:
            yield self._one_source()
        for pack in self.packs:
            rows = self.streams[pack.source]
            if not by_path(rows):
                yield entering(rows, pack, self.jobs[0], clock=self._clock)
            elif not self._together:
                yield from self._each(rows, pack)
        if not self._together:
            yield self._control()

    @cached_property
    def _together(self) -> bool:
        """Whether folders are one source, which a checkpoint may have to give up."""
        checkpoint = self.control.checkpoint
        settle(checkpoint)
        if not has_run(checkpoint) and not is_running(self.spark, checkpoint):
            # What a query noted that came no further says nothing.
            shutil.rmtree(checkpoint / "sources", ignore_errors=True)
        begun = is_one_source(checkpoint)
        if begun is False:
            return False
        frames = [self.streams[pack.source] for pack in self.packs]
        files = (rows for rows in frames if isinstance(rows, FileStream))
        possible = usable() and on_this_machine(self.spark) and all(rows.by_path for rows in files)
        streams = [*map(_read, frames)]
        if begun and possible and streams == begun_with(checkpoint):
            return True
        if begun:
            if is_running(self.spark, checkpoint):
                raise running(checkpoint)
            unfold(checkpoint, [sum(each) for each in streams])
        elif possible:
            begin_with(checkpoint, streams)
        return begun is None and possible

    # ---- files -------------------------------------------------------------------------------

    @cached_property
    def _by_path(self) -> Sequence[tuple[Files, PackFiles]]:
        """Those of all streams that are read by path."""
        streams = ((self.streams[pack.source], pack) for pack in self.packs)
        return [each for rows, pack in streams if by_path(rows) for each in in_place(rows, pack)]

    @property
    def _all_folders(self) -> PackFolders:
        return PackFolders((*(pack for _, pack in self._by_path), pack_control(self.jobs)))

    def _one_source(self) -> DataFrame:
        """Those, and the files of the control stream."""
        stamped = any(files.files.stamped for files, _ in self._by_path)
        packing = mapped(unread(self.spark, stamped=stamped), self._all_folders, self.jobs[0])
        return Together(
            [*(files.place for files, _ in self._by_path), self._told],
            packing,
            self.buckets,
            self.jobs[0].fingerprint.partitions,
            0 if self.folders is None else LITTLE,
        ).rows(located(self.control.checkpoint))

    def _each(self, rows: FileStream, pack: Pack) -> Iterator[DataFrame]:
        """Those of one stream."""
        for files, made in in_place(rows, pack):
            found = named(self.spark, files.place, stamped=files.files.stamped)
            yield mapped(found, made, self.jobs[0])

    def _control(self) -> DataFrame:
        """The control stream, a row for each file, as bytes: anybody may put anything there."""
        reader = self.spark.readStream.format("binaryFile").schema(FILE_SCHEMA)
        files = reader.load(self._told.path).select("path", "content")
        return mapped(files, pack_control(self.jobs), self.jobs[0])

    @property
    def _told(self) -> Place:
        """Of the control stream: by a pattern, or Spark would take subfolders for columns."""
        return Place(f"{located(self.control.folder)}/*.json", {})

    @property
    def _clock(self) -> bool:
        return any(job.plan.clock is not None for job in self.jobs)


def _read(rows: DataFrame) -> Read:
    """How a stream is read, where folders are one source."""
    if by_path(rows):
        return Read(len(rows.parts), 0)
    plan: Any = rows._jdf.queryExecution().analyzed()
    leaves = plan.collectLeaves()
    streaming = [leaves.apply(place).isStreaming() for place in range(leaves.size())]
    return Read(0, streaming.count(True))
