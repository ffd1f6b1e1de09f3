"""Streams whose files are read in Python, by path: Spark only says which are new.

Rows that pass through Spark's own readers are carried to Python one micro-batch at a time, as
texts.  Where Python can open the files itself, it reads them by columns, knows the lines, and need
not take apart what no pattern can match.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeGuard

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
    return _stamped(reader.load(place.path).select("path"), stamped)


def unread(spark: SparkSession, *, stamped: bool) -> DataFrame:
    """No files, as the source of all folders has them where tasks of their own read them."""
    return _stamped(spark.createDataFrame([], "folder int, path string"), stamped)


def _stamped(files: DataFrame, stamped: bool) -> DataFrame:
    # Only there: it stands in the code that Spark makes of the query, which then is another one,
    # and compiled, in every micro-batch.
    if not stamped:
        return files
    return files.select("*", F.unix_millis(F.current_timestamp()).alias("at"))


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """Several places as one source, of packed rows; where Java has the class (`Folders.java`).

    `packing` is what packs the files of a micro-batch; as long as they have no more than `little`
    bytes, the `buckets` with these ids, which are in so many `partitions`, do that themselves.
    """

    places: Sequence[Place]
    packing: DataFrame
    buckets: Sequence[int]
    partitions: int
    little: int

    def rows(self, name: str) -> DataFrame:
        """The rows; the `name` is that of who reads them."""
        spark = self.packing.sparkSession
        keep: Any = spark.sparkContext._jvm
        keep.askos.Folders.pack(name, self.packing._jdf)
        reader = spark.readStream.format(FOLDERS).options(
            folders=str(len(self.places)),
            packing=name,
            partitions=str(self.partitions),
            buckets=",".join(map(str, self.buckets)),
            little=str(self.little),
        )
        for number, place in enumerate(self.places):
            given = {"path": place.path, **place.options}
            reader = reader.options(**{f"{number}.{key}": value for key, value in given.items()})
        return reader.load()


def reachable(spark: SparkSession, place: str) -> bool:
    """Whether Python workers find files by the paths that Spark has: on this machine, where
    nobody has said that paths mean another file system."""
    context = spark.sparkContext
    hadoop = context._jsc.hadoopConfiguration()
    here = str(context.master).startswith("local") and "://" not in place
    return here and str(hadoop.get("fs.defaultFS")).startswith("file:")
