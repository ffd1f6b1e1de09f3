"""Streams of triples from files: DataFrames of (s, p, o, ts).

Terms are N-Triples texts, ts is milliseconds.  Any streaming DataFrame with these columns will do.
A column `arrived` says when a row was recorded, for streams that declare `ahead_ms`; a column
`file` says where it is from, and is told with rows that are refused.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Final, TypeAlias, get_args
from typing import Literal as Literals

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.streaming.readwriter import DataStreamReader

from askos.errors import StreamError, require
from askos.io.folders import files_below
from askos.io.grammar import BLANK_NODE, DATE, NUMBER, SCHEME, SPACE, STOP, TAG
from askos.io.streams import StreamFiles
from askos.physical.limit import NO_LIMIT, Limit
from askos.spark.faults import told
from askos.spark.folders import Files, FileStream, Place, reachable
from askos.spark.sessions import check
from askos.terms import IRI, STRING

FILES_PER_TRIGGER: Final = 16
_EVER: Final = "36500d"  # else Spark leaves out, without a word, who is a week older than others
_TERMS: Final = "s string, p string, o string"
# `askos.io.grammar`, as Java spells it: possessive, so that long terms cost no stack.
_IRI: Final = rf"(?=<{SCHEME}){IRI}"
_NODE: Final = f"{_IRI}|{BLANK_NODE}"
_OBJECT: Final = rf"{_NODE}|{STRING}(?:\^\^{_IRI}|{TAG})?"
_TRIPLE: Final = rf"(?s)\A{SPACE}({_NODE}){SPACE}({_IRI}){SPACE}({_OBJECT})"
_LABEL: Final = rf"{SPACE}(?:{NUMBER}|{DATE})"
_END: Final = rf"{STOP}\z"
_NOTHING: Final = rf"(?s)\A{SPACE}(?:#.*)?\z"
_DATE: Final = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,3}0*)?"
    r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)$"
)
FILE: Final = "file"

Stamp: TypeAlias = Literals["data", "arrival"]
"""Where arrival times come from: the data, or the micro-batch that brings it."""
Reader: TypeAlias = Literals["python", "spark"]
"""Who opens files."""


def located(folder: str | Path) -> str:
    """A path as Spark finds it too: its JVM may have been started somewhere else."""
    return str(folder) if "://" in str(folder) else str(Path(folder).absolute())


@told()
def parquet(
    spark: SparkSession,
    path: str | Path,
    files_per_trigger: int = FILES_PER_TRIGGER,
    *,
    stamp: Stamp = "data",
    files: str | None = None,
    ts: str = "bigint",
    sequence: bool = False,
    arrived: str | None = None,
    reader: Reader | None = None,
) -> DataFrame:
    """A directory of Parquet files with columns s, p, o, ts, or one file, in the order of age.

    With `sequence` a column `seq` is read too: the source's own numbering of triples of one
    instant, which count and predicate windows go by.

    `ts` is Spark's type of that column: bigint, timestamp or timestamp_ntz.  With the stamp
    "arrival" it is not read: rows have the time of their micro-batch, as in `nquads`.  `arrived`
    is the type of the column of that name, if there is one to be read.  With `files`, only files so
    named are read, `*.parquet` say, also those in subdirectories.

    The `reader` is "python", which opens the files by path, or "spark"; by default the first, where
    the workers are on this machine and the files too.  On a cluster it wants them mounted alike.
    """
    folder = _Folder(spark, path, files_per_trigger, files)
    terms = f"{_TERMS}, seq bigint" if sequence else _TERMS
    if _by_arrival(stamp):
        rows = folder.reader.schema(terms).parquet(folder.place).select("*", _file())
        rows = rows.withColumn("ts", _arrival()).withColumn("arrived", _arrival())
    else:
        recorded = f", arrived {arrived}" if arrived else ""
        columns = f"{terms}, ts {ts}{recorded}"
        rows = folder.reader.schema(columns).parquet(folder.place).select("*", _file())
    return folder.stream(rows, StreamFiles("parquet", stamp == "arrival"), reader)


def _file() -> Column:
    return F.col("_metadata.file_path").alias(FILE)


@told()
def nquads(
    spark: SparkSession,
    path: str | Path,
    files_per_trigger: int = FILES_PER_TRIGGER,
    *,
    stamp: Stamp = "data",
    files: str | None = None,
    reader: Reader | None = None,
) -> DataFrame:
    """A directory of N-Quads files, or one file; graph labels are arrival times, as in
    `askos.io.instants`: `<urn:ms:1780272000000>` or `"2026-06-01T00:00:00Z"^^xsd:dateTime`.

    With the stamp "arrival" the files hold N-Triples, without labels, and a triple has the time
    of the micro-batch that brings it.  Spark logs that time before it runs the micro-batch, so
    what is run again after a failure gets the same.  Blank lines and comments are skipped; any
    other line that is no statement is refused, with its text.  `files` and `reader` are as in
    `parquet`.
    """
    folder = _Folder(spark, path, files_per_trigger, files)
    lines = folder.reader.text(folder.place).select("value", _file())
    lines = lines.where(~F.col("value").rlike(_NOTHING))
    if _by_arrival(stamp):
        stamps = [_arrival().alias(name) for name in ("ts", "arrived")]
        rows = _split(lines, _TRIPLE + _END, 3).select("s", "p", "o", *stamps, FILE)
    else:
        parts = _split(lines, f"{_TRIPLE}{_LABEL}{_END}", 5)
        rows = parts.select("s", "p", "o", _instant(F.col("rest")).alias("ts"), FILE)
    return folder.stream(rows, StreamFiles("nquads", stamp == "arrival"), reader)


class _Folder:
    """Files to be read: those of a directory, or one file."""

    def __init__(
        self, spark: SparkSession, path: str | Path, files_per_trigger: int, files: str | None
    ) -> None:
        check(spark)
        self._spark, self._path = spark, located(path)
        self._options = {"maxFilesPerTrigger": str(files_per_trigger), "maxFileAge": _EVER}
        if files is not None and not Path(self._path).is_file():
            self._options |= {"pathGlobFilter": files, "recursiveFileLookup": "true"}
            if "://" not in self._path:
                deque(files_below(Path(self._path)), maxlen=0)  # refuses links in a circle

    @property
    def reader(self) -> DataStreamReader:
        """Spark's reader."""
        return self._spark.readStream.options(**self._options)

    @property
    def place(self) -> str:
        """A directory, or a pattern that only one file matches, since Spark streams no files but
        those that match a pattern."""
        file = Path(self._path)
        if file.is_file():
            return f"{_literally(str(file.parent))}/{{{_literally(file.name)}}}"
        return self._path if "://" in self._path else _literally(self._path)

    def stream(self, rows: DataFrame, files: StreamFiles, reader: Reader | None) -> DataFrame:
        """The rows as Spark reads them; and the files, where Python is to."""
        known = get_args(Reader)
        require(reader in (None, *known), f"there is no reader {reader!r}", " or ".join(known))
        here = reader == "python" or (reader is None and reachable(self._spark, self._path))
        parts = [Files(Place(self.place, self._options), files)]
        return FileStream(rows, parts, by_path=here)


def _literally(path: str) -> str:
    """A path that has no wildcards: Spark takes every path for a pattern."""
    return re.sub(r"([*?\[\]{},\\])", r"\\\1", path)


def _by_arrival(stamp: str) -> bool:
    known = get_args(Stamp)
    require(stamp in known, f"there is no stamp {stamp!r}", f"one of {', '.join(known)}")
    return stamp == "arrival"


def _arrival() -> Column:
    """The time of the micro-batch: in a streaming query `current_timestamp` is what the log of
    offsets says, not what a worker's clock says."""
    return F.unix_millis(F.current_timestamp())


def _split(lines: DataFrame, statement: str, groups: int) -> DataFrame:
    """The groups of a statement as s, p, o and `rest`; a line that is none is an o alone.

    One pass of the regular expression: the groups, separated by what no line contains.  It reads
    bytes that are no UTF-8 as U+FFFD, so a line that has some stays as it is.
    """
    joined = "\n".join(f"${place + 1}" for place in range(groups))
    parts = F.split(F.regexp_replace("value", statement, joined), "\n")
    split = lines.select("value", FILE, parts.alias("parts"))
    good = (F.size("parts") == groups) & F.is_valid_utf8("value")
    s, p, o = (F.when(good, F.col("parts")[place]) for place in range(3))
    rest = F.when(good, F.slice("parts", 4, max(groups - 3, 1)))
    return split.select(
        s.alias("s"),
        p.alias("p"),
        F.coalesce(o, F.col("value")).alias("o"),
        rest.alias("rest"),
        FILE,
    )


def _instant(label: Column) -> Column:
    """The instant of a label, its number or the text of its date; null if it has none.

    A date must have its zone, be no finer than a millisecond, and be in the calendar.
    """
    number, date = label[0], label[1]
    real = F.when(date.rlike(_DATE), date.try_cast("timestamp"))
    return F.coalesce(number.try_cast("bigint"), F.unix_millis(real))


_KAFKA: Final = {"topic", "partition", "offset", "timestamp"}
"""The columns of a DataFrame that comes from there."""


def together(frames: Sequence[DataFrame]) -> DataFrame:
    """One stream of the rows of several; files are read by path where those of all are."""
    rows = reduce(
        lambda one, other: one.unionByName(other, allowMissingColumns=True),
        [triples(frame, ordered=True) for frame in frames],
    )
    streams = [frame for frame in frames if isinstance(frame, FileStream)]
    if len(streams) < len(frames):
        return rows
    parts = [part for stream in streams for part in stream.parts]
    return FileStream(rows, parts, by_path=all(stream.by_path for stream in streams))


def triples(rows: DataFrame, *, ordered: bool = False, limit: Limit = NO_LIMIT) -> DataFrame:
    """The columns s, p, o and ts of a stream, ts in milliseconds; where elements are `ordered`,
    also the column `seq`, if it has one, or Kafka's partition and offset; and `arrived`, where the
    `limit` asks for it; and `file`, if it has that, which is told of rows that are refused."""
    types = dict(rows.dtypes)
    missing = [name for name in ("s", "p", "o", "ts") if name not in types]
    if missing or not _is_time(types["ts"]):
        raise StreamError(
            f"a stream needs columns s, p, o and ts, but this one has {rows.schema.simpleString()}",
            hint="s, p and o are N-Triples texts, ts is milliseconds as bigint, or a timestamp",
        )
    columns = [F.col("s"), F.col("p"), F.col("o"), _millis("ts", types).alias("ts")]
    if ordered and (sequence := _sequence(types)) is not None:
        columns.append(sequence.alias("seq"))
    if limit.ahead is not None:
        columns.append(_millis(_recorded(types), types).alias("arrived"))
    if types.get(FILE) == "string":
        columns.append(F.col(FILE))
    return rows.select(*columns)


def _sequence(types: Mapping[str, str]) -> Column | None:
    """The source's own numbering: `seq`, else Kafka's, by partition and then by offset."""
    if "seq" in types:
        return F.col("seq").cast("bigint")
    if not types.keys() >= _KAFKA:
        return None
    # A partition has room for 2^40 messages before the next one begins.
    return F.shiftleft(F.col("partition").cast("bigint"), 40) + F.col("offset")


def _recorded(types: Mapping[str, str]) -> str:
    """The column that says when a row was recorded: `arrived`, else Kafka's own."""
    kafka = types.keys() >= _KAFKA
    name = "timestamp" if kafka and "arrived" not in types else "arrived"
    if not _is_time(types.get(name, "")):
        raise StreamError(
            f"a stream that declares ahead_ms needs a column `arrived`, a timestamp or"
            f" milliseconds, but this one has {', '.join(types)}",
            hint="give when each row was recorded; Kafka's columns do, and so does"
            ' withColumn("arrived", current_timestamp()), which is the time of the micro-batch',
        )
    return name


def _is_time(kind: str) -> bool:
    return kind.startswith(("timestamp", "bigint", "int"))


def _millis(name: str, types: Mapping[str, str]) -> Column:
    if types[name].startswith("timestamp"):
        return F.unix_millis(F.col(name).cast("timestamp"))
    return F.col(name).cast("bigint")
