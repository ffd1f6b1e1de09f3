"""Streams whose files are read in Python, by path: Spark only says which are new.

Rows that pass through Spark's own readers are carried to Python one micro-batch at a time, as
texts.  Where Python can open the files itself, it reads them by columns, knows the lines, and need
not take apart what no pattern can match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame
from pyspark.sql.streaming.readwriter import DataStreamReader

from askos.io.streams import StreamFiles
from askos.spark.classes import PATHS, usable

FILE_SCHEMA: Final = "path string, modificationTime timestamp, length bigint, content binary"
"""The columns that Spark gives of a file as a whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Files:
    """Files of one kind: `frame` says which, as `named` does."""

    frame: DataFrame
    files: StreamFiles


class FileStream(ClassicFrame):
    """A stream of files: a DataFrame like any other, which also knows how to read them by path.

    What is derived from it is an ordinary DataFrame, and is read by Spark.
    """

    def __init__(self, rows: DataFrame, parts: Sequence[Files]) -> None:
        super().__init__(rows._jdf, rows.sparkSession)
        self.parts = tuple(parts)


def named(reader: DataStreamReader, place: str, *, stamped: bool) -> DataFrame:
    """The files of a reader: their paths, never their content; and where rows are `stamped`, the
    time of the micro-batch.

    They are asked for once: each mention of a source has its place in a checkpoint's offsets.
    """
    if usable():
        files = reader.format(PATHS).schema("path string").load(place)
    else:
        files = reader.format("binaryFile").schema(FILE_SCHEMA).load(place)
    # Only there: it stands in the code that Spark makes of the query, which then is another one,
    # and compiled, in every micro-batch.
    now = [F.unix_millis(F.current_timestamp()).alias("at")] if stamped else []
    return files.select("path", *now)


def reachable(spark: SparkSession, place: str) -> bool:
    """Whether Python workers find files by the paths that Spark has: on this machine, where
    nobody has said that paths mean another file system."""
    context = spark.sparkContext
    hadoop = context._jsc.hadoopConfiguration()
    here = str(context.master).startswith("local") and "://" not in place
    return here and str(hadoop.get("fs.defaultFS")).startswith("file:")
