"""Streams of triples from files: DataFrames of (s, p, o, ts).

Terms are N-Triples texts, ts is milliseconds.  Any streaming DataFrame with these columns will do.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from pathlib import Path
from typing import Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos.algebra import Pattern
from askos.errors import StreamError
from askos.interval import FOREVER
from askos.physical import Feed
from askos.terms import XSD, Literal, URIRef, Variable, n3

FILES_PER_TRIGGER: Final = 16
SCHEMA: Final = "s string, p string, o string, ts bigint"
_STATEMENT: Final = (
    r"(?s)^\s*(<[^>]*>|_:\S+)\s+(<[^>]*>)\s+(\S.*?)\s+<urn:ms:([0-9]{1,19})>\s*\.\s*(#.*)?$"
)
_SAMPLE: Final = 64  # of the triples that match nothing, one in so many tells the time


def located(folder: str | Path) -> str:
    """A path as Spark finds it too: its JVM may have been started somewhere else."""
    return str(folder) if "://" in str(folder) else str(Path(folder).absolute())


def parquet(
    spark: SparkSession, folder: str | Path, files_per_trigger: int = FILES_PER_TRIGGER
) -> DataFrame:
    """A directory of Parquet files with columns s, p, o, ts, read in the order of their age."""
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", files_per_trigger)
    return reader.parquet(located(folder))


def nquads(
    spark: SparkSession, folder: str | Path, files_per_trigger: int = FILES_PER_TRIGGER
) -> DataFrame:
    """A directory of N-Quads files whose graph labels are arrival times: `<urn:ms:1780272000000>`.

    Blank lines and comments are skipped; any other line that is no such statement is refused,
    with its text.
    """
    lines = spark.readStream.option("maxFilesPerTrigger", files_per_trigger).text(located(folder))
    lines = lines.where(F.expr("trim(value) != '' and not startswith(ltrim(value), '#')"))
    # One pass of the regular expression: the parts, separated by what no line contains.
    parts = F.split(F.regexp_replace("value", _STATEMENT, "$1\n$2\n$3\n$4"), "\n")
    split = lines.select("value", parts.alias("parts"))
    good = F.size("parts") == 4
    s, p, o, ts = (F.when(good, F.col("parts")[place]) for place in range(4))
    return split.select(
        s.alias("s"),
        p.alias("p"),
        F.coalesce(o, F.col("value")).alias("o"),
        ts.try_cast("bigint").alias("ts"),
    )


def relevant(rows: DataFrame, feeds: tuple[Feed, ...]) -> DataFrame:
    """The rows some pattern may match, and enough others to know the time.

    What matches nothing dies in the JVM, before Python sees it.  But progress must not depend
    on the patterns: a part of the other rows, chosen by hash, is kept for its timestamp.  And
    what is no triple at all is kept, to be refused with its reason.
    """
    patterns = [_pattern(feed) for feed in feeds]
    if any(pattern is None for pattern in patterns):
        return rows
    wanted = reduce(or_, [_matches(pattern) for pattern in patterns if pattern is not None])
    sample = F.pmod(F.hash("s", "p", "o", "ts"), F.lit(_SAMPLE)) == 0
    return rows.where(F.coalesce(wanted, F.lit(True)) | sample | _suspect())


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


def _suspect() -> Column:
    """Rows that are no triples."""
    good = (
        F.col("s").rlike(rf"^({_IRI}|{_BLANK})$")
        & F.col("p").rlike(rf"^{_IRI}$")
        & F.col("o").rlike(rf'(?s)^({_IRI}|{_BLANK}|".*"(@[A-Za-z0-9-]+|\^\^{_IRI})?)$')
        & F.col("ts").between(0, FOREVER - 1)
    )
    return ~F.coalesce(good, F.lit(False))


_IRI: Final = r"<[^\x00-\x20<>\"{}|^`]*>"  # escapes are looked at later
_BLANK: Final = r"_:\S+"


def triples(rows: DataFrame) -> DataFrame:
    """The columns s, p, o and ts of a stream, ts in milliseconds."""
    types = dict(rows.dtypes)
    missing = [name for name in ("s", "p", "o", "ts") if name not in types]
    if missing or not types["ts"].startswith(("timestamp", "bigint", "int")):
        raise StreamError(
            f"a stream needs columns s, p, o and ts, but this one has {rows.schema.simpleString()}",
            hint="s, p and o are N-Triples texts, ts is milliseconds as bigint, or a timestamp",
        )
    stamped = types["ts"].startswith("timestamp")
    ts = F.unix_millis(F.col("ts").cast("timestamp")) if stamped else F.col("ts").cast("bigint")
    return rows.select("s", "p", "o", ts.alias("ts"))
