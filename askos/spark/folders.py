"""Streams whose files are read in Python, by path: Spark only says which are new.

Rows that pass through Spark's own readers are carried to Python one micro-batch at a time, as
texts.  Where Python can open the files itself, it reads them by columns, knows the lines, and need
not take apart what no pattern can match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeGuard

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame

from askos.io.streams import StreamFiles
from askos.spark.classes import FOLDERS

FILE_SCHEMA: Final = "path string, modificationTime timestamp, length bigint, content binary"
"""The columns that Spark gives of a file as a whole."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A folder, or a pattern of files, as Spark is to watch it."""

    path: str
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Files:
    """Files of one kind, in one place."""

    place: Place
    files: StreamFiles


class FileStream(ClassicFrame):
    """A stream of files: a DataFrame like any other, which also knows which they are, and whether
    they are to be read by path.

    What is derived from it is an ordinary DataFrame, and is read by Spark.
    """

    def __init__(self, rows: DataFrame, parts: Sequence[Files], *, by_path: bool = True) -> None:
        super().__init__(rows._jdf, rows.sparkSession)
        self.parts, self.by_path = tuple(parts), by_path


def by_path(rows: DataFrame) -> TypeGuard[FileStream]:
    """Whether a stream's files are read by path."""
    return isinstance(rows, FileStream) and rows.by_path


def named(spark: SparkSession, place: Place, *, stamped: bool) -> DataFrame:
    """The new files of a place: their paths, never their content; and where rows are `stamped`,
    the time of the micro-batch.

    They are asked for once: each mention of a source has its place in a checkpoint's offsets.
    """
    reader = spark.readStream.options(**place.options).format("binaryFile").schema(FILE_SCHEMA)
    return _stamped(reader.load(place.path), ["path"], stamped)


def all_named(spark: SparkSession, places: Sequence[Place], *, stamped: bool) -> DataFrame:
    """The same of several, with the number of each, as one source; where Java has the class."""
    reader = spark.readStream.format(FOLDERS).option("folders", str(len(places)))
    for number, place in enumerate(places):
        given = {"path": place.path, **place.options}
        reader = reader.options(**{f"{number}.{name}": value for name, value in given.items()})
    return _stamped(reader.load(), ["folder", "path"], stamped)


def _stamped(files: DataFrame, columns: Sequence[str], stamped: bool) -> DataFrame:
    # Only there: it stands in the code that Spark makes of the query, which then is another one,
    # and compiled, in every micro-batch.
    now = [F.unix_millis(F.current_timestamp()).alias("at")] if stamped else []
    return files.select(*columns, *now)


def reachable(spark: SparkSession, place: str) -> bool:
    """Whether Python workers find files by the paths that Spark has: on this machine, where
    nobody has said that paths mean another file system."""
    context = spark.sparkContext
    hadoop = context._jsc.hadoopConfiguration()
    here = str(context.master).startswith("local") and "://" not in place
    return here and str(hadoop.get("fs.defaultFS")).startswith("file:")
