"""Packing files that Python reads, and of which Spark says only which are new."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeAlias

import pyarrow as pa

from askos.columns.ids import Ids
from askos.io.streams import Rows, StreamFiles, gathered
from askos.spark.errors import writing
from askos.spark.hearing import PackControl
from askos.spark.measuring import packing
from askos.spark.messages import NOBODY, READ, Message, to_arrow
from askos.spark.named import File, files_of, local_path
from askos.spark.pack import Pack
from askos.spark.parcels import Parcels
from askos.spark.parts import micro_batch


@dataclass(frozen=True, slots=True)
class PackFiles:
    """The same of files that are read here: all that Spark gives is their paths, and when their
    micro-batch began, where that counts.  Tells at the end how many rows there were."""

    rows: Pack
    files: StreamFiles

    def at(self, micro_batch: Callable[[], int]) -> PackFiles:
        """As it is in a micro-batch."""
        return replace(self, rows=self.rows.at(micro_batch))

    def taken(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Rows]:
        """The rows of files that Spark names."""
        return self.read(files_of(batches))

    def read(self, files: Iterable[File]) -> Iterator[Rows]:
        """The rows of files that are named."""
        return gathered(
            rows
            for file in files
            for rows in self.files.read(local_path(file["path"]), file.get("at", 0))
        )

    def pack(self, rows: Iterable[Rows]) -> Iterator[list[Message]]:
        """Pack rows, and tell how many there were."""
        count = 0

        def parts() -> Iterator[tuple[Ids, pa.RecordBatch]]:
            nonlocal count
            for part in rows:
                count += len(part)
                yield part.passing, part.batch

        yield from self.rows.pack(parts())
        yield [Message(NOBODY, READ, mark=count)]


@dataclass(frozen=True, slots=True)
class PackFolders:
    """All that comes from files, of which Spark says in which folder each is, by its number: the
    control stream's is the last."""

    parts: tuple[PackFiles | PackControl, ...]

    def at(self, micro_batch: Callable[[], int]) -> PackFolders:
        """As it is in a micro-batch."""
        return replace(self, parts=tuple(part.at(micro_batch) for part in self.parts))

    def taken(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, Any]]:
        """What is in files that Spark names."""
        return self.read(files_of(batches))

    def read(self, files: Iterable[File]) -> Iterator[tuple[int, Any]]:
        """What is in files that are named, by folder."""
        number = itemgetter("folder")
        for folder, own in groupby(sorted(files, key=number), number):
            for found in self.parts[folder].read(own):
                yield folder, found

    def pack(self, found: Iterable[tuple[int, Any]]) -> Iterator[list[Message]]:
        """Pack it, one folder after the other."""
        for folder, own in groupby(found, itemgetter(0)):
            yield from self.parts[folder].pack(part for _, part in own)


Packing: TypeAlias = Pack | PackFiles | PackFolders | PackControl


def packed(
    pack: bytes, profile: str, parcels: Parcels | None, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    """What a pickled `Packing` gives; a function for mapInArrow.

    It is unpickled here, where askos.terms has been imported: without it, rdflib would rewrite the
    literals of the query.
    """
    made: Any = pickle.loads(pack).at(micro_batch)
    for messages in writing(partial(packing, profile, made.pack), made.taken(batches)):
        yield to_arrow(messages if parcels is None else parcels.left(messages, micro_batch))
