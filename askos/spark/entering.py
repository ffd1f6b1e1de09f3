"""How a stream enters the stages: from its source to packed rows."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos.interval import FOREVER
from askos.io.streams import StreamFiles
from askos.physical import Feed
from askos.physical.limit import Limit
from askos.spark.folders import Files, FileStream
from askos.spark.job import Job
from askos.spark.messages import READ, SCHEMA
from askos.spark.pack import Pack
from askos.spark.pack_files import PackFiles, Packing, packed
from askos.spark.progress import ROWS
from askos.spark.relevant import constants, relevant
from askos.spark.sources import triples


def entering(rows: DataFrame, pack: Pack, job: Job, *, clock: bool = False) -> DataFrame:
    """What `pack` makes of a stream; `job` is one of those that take it."""
    needed = triples(rows, ordered=_ordered(pack), limit=pack.limit)
    found = relevant(needed, pack.feeds, clock=clock, limit=pack.limit)
    return mapped(found, pack, job)


def in_place(rows: FileStream, pack: Pack) -> Iterator[tuple[Files, PackFiles]]:
    """What `pack` makes of a stream that is read by path, for each place of its files."""
    needed = triples(rows, ordered=_ordered(pack), limit=pack.limit).columns
    for part in rows.parts:
        yield part, PackFiles(pack, chosen(part.files, needed, pack.feeds, pack.limit))


def _ordered(pack: Pack) -> bool:
    return any(feed.order is not None for feed in pack.feeds)


def chosen(
    files: StreamFiles, columns: Iterable[str], feeds: tuple[Feed, ...], limit: Limit
) -> StreamFiles:
    """Read of files what is asked for; where rows are compared with their arrival, all."""
    last = FOREVER - 1 if limit.not_after is None else min(limit.not_after, FOREVER - 1)
    known = constants(feeds) if limit.ahead is None else None
    return replace(files, columns=frozenset(columns), constants=known, last=last)


def counted(found: DataFrame) -> DataFrame:
    """Packed rows that the last stages send; how many rows were read by path is a metric of the
    query's progress.  Who takes them passes over those that say so: Spark would need some time in
    every micro-batch to be ready for leaving them out."""
    count = F.sum(F.when(F.col("port") == READ, F.col("mark"))).alias("rows")
    return found.observe(ROWS, count)


def mapped(rows: DataFrame, pack: Packing, job: Job) -> DataFrame:
    """Rows as packed ones; `job` is one of those that take them."""
    function = partial(packed, pickle.dumps(pack), job.profile, job.parcels)
    return rows.mapInArrow(function, SCHEMA)
