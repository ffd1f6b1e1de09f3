"""Streams of triples from files: DataFrames of (s, p, o, ts).

Terms are N-Triples texts, ts is milliseconds.  Any streaming DataFrame with these columns will do.
A column `arrived` says when a row was recorded, for streams that declare `ahead_ms`; a column
`file` says where it is from, and is told with rows that are refused.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from functools import reduce
from operator import and_, or_
from pathlib import Path
from typing import Final, TypeAlias, get_args
from typing import Literal as Literals

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.streaming.readwriter import DataStreamReader

from askos.algebra import Pattern
from askos.algebra.chains import chained
from askos.errors import StreamError, require
from askos.interval import FOREVER
from askos.io.folders import files_below
from askos.io.instants import DATE_TYPE
from askos.physical import Feed
from askos.physical.ingest import PLAIN
from askos.physical.limit import NO_LIMIT, Limit
from askos.spark.faults import told
from askos.spark.sessions import check
from askos.terms import IRI, STRING, XSD, Literal, URIRef, Variable, n3

FILES_PER_TRIGGER: Final = 16
_TERMS: Final = "s string, p string, o string"
_LABEL: Final = rf'(?:<urn:ms:(-?[0-9]+)>|"([^"]*)"{DATE_TYPE})'
_OBJECT: Final = r'"[^"\\]*+(?:\\.[^"\\]*+)*+"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?|<[^>]*>|[^\s<"]+'
_TRIPLE: Final = rf"(?s)^\s*(<[^>]*>|_:\S+)\s*(<[^>]*>)\s*({_OBJECT})"
_END: Final = r"\s*\.\s*(?:#.*)?$"
_DATE: Final = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,3}0*)?"
    r"(?:Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)$"
)
FILE: Final = "file"
_SAMPLE: Final = 64  # of the triples that match nothing, one in so many tells the time

Stamp: TypeAlias = Literals["data", "arrival"]
"""Where arrival times come from: the data, or the micro-batch that brings it."""


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
) -> DataFrame:
    """A directory of Parquet files with columns s, p, o, ts, or one file, in the order of age.

    With `sequence` a column `seq` is read too: the source's own numbering of triples of one
    instant, which count and predicate windows go by.

    `ts` is Spark's type of that column: bigint, timestamp or timestamp_ntz.  With the stamp
    "arrival" it is not read: rows have the time of their micro-batch, as in `nquads`.  `arrived`
    is the type of the column of that name, if there is one to be read.  With `files`, only files so
    named are read, `*.parquet` say, also those in subdirectories.
    """
    reader, place = _reader(spark, path, files_per_trigger, files)
    terms = f"{_TERMS}, seq bigint" if sequence else _TERMS
    if _by_arrival(stamp):
        rows = reader.schema(terms).parquet(place).select("*", _file())
        return rows.withColumn("ts", _arrival()).withColumn("arrived", _arrival())
    recorded = f", arrived {arrived}" if arrived else ""
    return reader.schema(f"{terms}, ts {ts}{recorded}").parquet(place).select("*", _file())


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
) -> DataFrame:
    """A directory of N-Quads files, or one file; graph labels are arrival times, as in
    `askos.io.instants`: `<urn:ms:1780272000000>` or `"2026-06-01T00:00:00Z"^^xsd:dateTime`.

    With the stamp "arrival" the files hold N-Triples, without labels, and a triple has the time
    of the micro-batch that brings it.  Spark logs that time before it runs the micro-batch, so
    what is run again after a failure gets the same.  Blank lines and comments are skipped; any
    other line that is no statement is refused, with its text.  `files` is as in `parquet`.
    """
    reader, place = _reader(spark, path, files_per_trigger, files)
    lines = reader.text(place).select("value", _file())
    lines = lines.where(F.expr("trim(value) != '' and not startswith(ltrim(value), '#')"))
    if _by_arrival(stamp):
        stamps = [_arrival().alias(name) for name in ("ts", "arrived")]
        return _split(lines, _TRIPLE + _END, 3).select("s", "p", "o", *stamps, FILE)
    parts = _split(lines, rf"{_TRIPLE}\s*{_LABEL}{_END}", 5)
    return parts.select("s", "p", "o", _instant(F.col("rest")).alias("ts"), FILE)


def _reader(
    spark: SparkSession, path: str | Path, files_per_trigger: int, files: str | None
) -> tuple[DataStreamReader, str]:
    """A reader, and what it is to read: a directory, or a pattern that only one file matches,
    since Spark streams no files but those that match a pattern."""
    check(spark)
    reader = spark.readStream.option("maxFilesPerTrigger", files_per_trigger)
    place = located(path)
    if Path(place).is_file():
        return reader, f"{_literally(str(Path(place).parent))}/{{{_literally(Path(place).name)}}}"
    if files is not None:
        reader = reader.option("pathGlobFilter", files).option("recursiveFileLookup", "true")
    if "://" in place:
        return reader, place
    if files is not None:
        deque(files_below(Path(place)), maxlen=0)  # refuses links that lead in a circle
    return reader, _literally(place)


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


NOISE: Final = "noise"
_KAFKA: Final = {"topic", "partition", "offset", "timestamp"}
"""The columns of a DataFrame that comes from there."""


def relevant(
    rows: DataFrame, feeds: tuple[Feed, ...], *, clock: bool = False, limit: Limit = NO_LIMIT
) -> DataFrame:
    """The rows some pattern may match, and enough others to know the time.

    What matches nothing dies in the JVM, before Python sees it.  But progress must not depend
    on the patterns: a part of the other rows, chosen by hash, is kept for its timestamp.  And
    what is no triple at all, or beyond the `limit`, is kept, to be refused with its reason.

    A clock needs the times of all rows: then the others stay, as NOISE, with nothing but these.
    """
    patterns = [_pattern(feed) for feed in feeds]
    if any(pattern is None for pattern in patterns):
        return rows
    tests = [_matches(pattern) for pattern in patterns if pattern is not None]
    wanted = F.coalesce(chained(or_, [F.lit(False), *tests]), F.lit(True))
    if clock:
        noise = ~(wanted | _suspect(limit)) & _plain()
        texts = [F.when(~noise, F.col(name)).alias(name) for name in "spo"]
        rest = [F.col(name) for name in rows.columns if name not in "spo"]
        return rows.select(*texts, *rest, noise.alias(NOISE))
    sample = F.pmod(F.hash("s", "p", "o", "ts"), F.lit(_SAMPLE)) == 0
    return rows.where(wanted | sample | _suspect(limit))


def _pattern(feed: Feed) -> Pattern | None:
    found = next((node for node in feed.plan.walk() if isinstance(node, Pattern)), None)
    constant = found and any(not isinstance(p, Variable) for p in found.positions)
    return found if constant else None


def _matches(pattern: Pattern) -> Column:
    """Whether a row may match: its constants are there, as text, or in some other spelling."""
    tests = []
    for name, position in zip("spo", pattern.positions, strict=True):
        if not isinstance(position, Variable):
            spelled = F.col(name) == n3(position)
            escaped = F.contains(F.col(name), F.lit("\\"))
            tests.append(spelled | escaped | _respelled(name, position))
    return reduce(lambda left, right: left & right, tests)


def _respelled(name: str, term: object) -> Column:
    """Literals with a language tag, or an explicit xsd:string, have several spellings."""
    if isinstance(term, URIRef) or not isinstance(term, Literal):
        return F.lit(False)
    if term.language:
        return F.lower(F.col(name)) == n3(term).lower()
    return F.endswith(F.col(name), F.lit(f"^^<{XSD.string}>"))


def _suspect(limit: Limit) -> Column:
    """Rows that are no triples, or that are stamped too late."""
    last = FOREVER - 1 if limit.not_after is None else limit.not_after
    tag = r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*+"
    good = (
        F.col("s").rlike(rf"\A(?:{IRI}|{_BLANK})\z")
        & F.col("p").rlike(rf"\A{IRI}\z")
        & F.col("o").rlike(rf"\A(?:{IRI}|{_BLANK}|{STRING}(?:{tag}|\^\^{IRI})?)\z")
        & reduce(and_, (F.is_valid_utf8(name) for name in "spo"))
        & F.col("ts").between(0, min(last, FOREVER - 1))
    )
    if limit.ahead is not None:  # so written, nothing overflows
        earliest = F.greatest("ts", F.lit(0)) - F.lit(limit.ahead)
        good &= (F.col("arrived") >= earliest) & (F.col("arrived") >= 0)
    return ~F.coalesce(good, F.lit(False))


def _plain() -> Column:
    """Rows that are triples at sight: what is not is left to those who look closer, in every
    stage, so that all of them agree on which rows move the clock."""
    plain = [F.col(name).rlike(PLAIN) for name in "spo"]
    good = reduce(lambda left, right: left & right, plain)
    good &= ~F.startswith(F.col("s"), F.lit('"')) & F.startswith(F.col("p"), F.lit("<"))
    return F.coalesce(good & F.col("ts").between(0, FOREVER - 1), F.lit(False))


_BLANK: Final = r"_:\S+"


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
