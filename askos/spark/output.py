"""How answers leave the last stage: as rows for Spark's sinks, or as files with a log.

Where driver and workers see one file system the stages write Parquet themselves, and Spark carries
nothing but the names of the files.  Everywhere else the stages send their answers packed, and they
are unpacked into rows, by columns, on their way to a sink.
"""

from __future__ import annotations

import logging
import pickle
import re
import traceback
import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from askos.spark.answers import Table
from askos.spark.classes import handed_over
from askos.spark.errors import written
from askos.spark.messages import messages
from askos.spark.parts import CODECS, Folder
from askos.spark.sessions import check, on_this_machine, tells_tasks
from askos.spark.sinklog import SinkLog, drop_orphans
from askos.spark.sources import located

_CODEC: Final = "spark.sql.parquet.compression.codec"
_INTERVAL: Final = "spark.sql.streaming.fileSink.log.compactInterval"


# ---- rows ------------------------------------------------------------------------------------


def as_rows(packed: DataFrame, answers: Table) -> DataFrame:
    """What the last stages send, as the rows of answers."""
    return packed.mapInArrow(partial(unpacked, pickle.dumps(answers)), answers.schema)


def unpacked(table: bytes, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows that packed answers hold; a function for mapInArrow."""
    answers: Table = pickle.loads(table)
    for batch in batches:
        for message in messages(batch):
            for told in answers.told(message):
                yield from answers.rows(told)


# ---- files -----------------------------------------------------------------------------------


def direct(spark: SparkSession, folder: str | Path) -> Folder | None:
    """The folder, where stages can write to it themselves; else None, with a warning."""
    check(spark)
    reasons = list(_obstacles(spark, folder))
    if reasons:
        warnings.warn(
            f"Spark itself writes the answers to {folder}, which takes longer: {reasons[0]}",
            stacklevel=4,  # beyond `told`
        )
        return None
    return Folder(str(local(folder)), CODECS[_codec(spark)])


def _obstacles(spark: SparkSession, folder: str | Path) -> Iterator[str]:
    """Why stages cannot write to a folder."""
    if not on_this_machine(spark):
        master = spark.sparkContext.master
        yield f"its workers may be on other machines (its master is {master})"
    scheme = _scheme(spark, folder)
    if scheme != "file":
        yield f"the folder is in a file system of its own ({scheme})"
    if not tells_tasks():
        yield "PYSPARK_PIN_THREAD is false"
    if _codec(spark) not in CODECS:
        yield f"{_CODEC} is {_codec(spark)}"


def _scheme(spark: SparkSession, folder: str | Path) -> str:
    """Of the file system in which Spark finds a folder."""
    context: Any = spark.sparkContext
    path = context._jvm.org.apache.hadoop.fs.Path(located(folder))
    files = path.getFileSystem(context._jsc.hadoopConfiguration())
    return str(files.getUri().getScheme())


def _codec(spark: SparkSession) -> str:
    return str(spark.conf.get(_CODEC, "snappy")).lower()


def local(folder: str | Path) -> Path:
    """A folder on this machine, which may be given as an address; like Hadoop, we take that
    literally.

    >>> str(local("file:///a%20b/c?")), str(local("/a%20b"))
    ('/a%20b/c?', '/a%20b')
    """
    return Path(re.sub("^file://[^/]*", "", located(folder)))


def logged(packed: DataFrame, out: Folder, checkpoint: Path) -> Any:
    """A DataStreamWriter that puts the files which the stages name into the sink's log."""
    interval = int(packed.sparkSession.conf.get(_INTERVAL, "10") or "10")
    log = SinkLog(Path(out.path), interval)
    log.begin(checkpoint)
    commit = Commit(log)
    writer = handed_over(packed, "payload", commit.take)
    return (writer or packed.writeStream.foreachBatch(commit)).outputMode("append")


class Commit:
    """Ends a micro-batch: runs it, and puts its files into the log.

    A micro-batch that was in the log before the driver was killed is run again, since Spark wants
    its state, but counts as it stands in the log: it says the same.  What it wrote now is removed
    later, as are the files of tasks that failed.
    """

    def __init__(self, log: SinkLog) -> None:
        self._log, self._last, self._cleaned = log, log.last, False

    def __call__(self, parts: DataFrame, batch: int) -> None:
        """Called by Spark for every micro-batch, which it runs."""
        self.take([bytes(row["payload"]) for row in parts.select("payload").collect()], batch)

    def take(self, entries: Iterable[bytes], batch: int) -> None:
        """Called with the files of a micro-batch that has been run; what is empty names none."""
        with written():
            if batch > self._last:
                self._log.add(batch, [entry.decode() for entry in entries if entry])
                self._last = batch
            if not self._cleaned:  # what the last run left is settled now
                drop_orphans(self._log)
                self._cleaned = True


def _of_others(record: logging.LogRecord) -> bool:
    """Whether py4j should log what it says: not the traceback of a micro-batch of ours that failed,
    since Spark raises that, where somebody waits for it."""
    frames = traceback.walk_tb(record.exc_info[2] if record.exc_info else None)
    return all(frame.f_code is not Commit.take.__code__ for frame, _ in frames)


logging.getLogger("py4j.clientserver").addFilter(_of_others)
