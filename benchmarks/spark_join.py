"""Our windowed join against Spark's own stream-stream join, and a pass without state.

    python benchmarks/spark_join.py [--rows 100000] [--batches 24] [--rounds 3]
        [--small-batches 144] [--json]

Two streams of triples are joined on their subject where their validity [ts, ts + w) overlaps.
Spark's join has the same condition on event times, and watermarks, so that it evicts state as
ours does; it runs with Spark's default settings for RocksDB, with ours, and with all state in
memory, where it need not survive anything.  Each has the Java that suits it: Spark's own joins are
all Java, and have both of its compilers; a session of askos has the quick one alone, since the
thorough one takes more than it gains for hundreds of micro-batches.  The pass and our join run with
either, and the pass in a session with Spark's own settings too, as a user has who does not know
askos.  Of few rows a query with one bucket, and so with one task, is quicker; of many, one with a
bucket for each core is.  A pass with one task is no quicker than one with two.

All read the same Parquet files, one per stream and micro-batch, and write Parquet; that they give
the same answers is checked.
Everything is measured in one run, in turns, by a process for each Java, of which one works at a
time: compare the ratios, not the seconds.  The first half of a contestant's batches is warm-up, in
which the JVM compiles what a stream that runs on for days has compiled long ago; state stores are
closed before the next one's turn.  What is told is the median of the other batches, without the
first round if there are several.  Of small batches, which Java's compilers and the machine's mood
from one minute to the next weigh most on, there are more, and four rounds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from subprocess import PIPE
from typing import Any, Final, TypeAlias

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.streaming.query import StreamingQuery

from askos import spark as host
from askos.spark.sessions import PROVIDER
from benchmarks.joins import Data, empty, native, ours, stateless, through_spark

SMALL: Final = 1000  # rows of a micro-batch whose time is nearly all fixed cost
TURNS: Final = 4  # rounds of these
REPORTS: Final = 10_000  # of micro-batches, that Spark keeps
OURS: Final = "askos join"
ONE: Final = "askos join, one bucket"
COMPILERS: Final = "  .. all of Java's compilers"
IN_MEMORY: Final = "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider"
Run: TypeAlias = Callable[[str, str], dict[str, Any]]
"""Measures a contestant at a size, in the process that has its Java."""


# ---- the contestants -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contestant:
    """A query to measure, and the settings of its state store."""

    start: Callable[[SparkSession, Data, Path], StreamingQuery]
    provider: str
    changelog: bool = True
    count_rows: bool = True  # Spark's default; askos turns it off
    java: str = "askos"  # whose settings Java has: one of JAVA

    def prepare(self, spark: SparkSession) -> None:
        """Set the session up."""
        spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", str(REPORTS))
        store = "spark.sql.streaming.stateStore"
        spark.conf.set(f"{store}.providerClass", self.provider)
        for name, value in (
            ("changelogCheckpointing.enabled", self.changelog),
            ("trackTotalNumberOfRows", self.count_rows),
        ):
            spark.conf.set(f"{store}.rocksdb.{name}", str(value).lower())


CONTESTANTS: Final = {
    "stateless pass": Contestant(stateless, PROVIDER),
    COMPILERS: Contestant(stateless, PROVIDER, java="spark"),
    "  .. Spark's own settings": Contestant(stateless, PROVIDER, java="plain"),
    "an empty stage of Spark's": Contestant(empty, PROVIDER, count_rows=False),
    OURS: Contestant(ours, PROVIDER, count_rows=False),
    f"{OURS},{COMPILERS[4:]}": Contestant(ours, PROVIDER, count_rows=False, java="spark"),
    ONE: Contestant(partial(ours, buckets=1), PROVIDER, count_rows=False),
    "  .. written by Spark": Contestant(through_spark, PROVIDER, count_rows=False),
    "  .. files read by Spark": Contestant(
        partial(ours, reader="spark"), PROVIDER, count_rows=False
    ),
    "Spark join, RocksDB": Contestant(native, PROVIDER, java="spark"),
    "  .. with askos's settings": Contestant(native, PROVIDER, count_rows=False, java="spark"),
    "  .. state in memory": Contestant(native, IN_MEMORY, java="spark"),
}
PASSES: Final = tuple(CONTESTANTS)[:2]
PLAIN: Final = tuple(CONTESTANTS)[2]
EMPTY: Final = tuple(CONTESTANTS)[3]
SILENT: Final = tuple(CONTESTANTS)[:4]  # that join nothing
WARM: Final = tuple(CONTESTANTS)[5]
NATIVE: Final = tuple(CONTESTANTS)[9:]
JAVA: Final = ("askos", "spark", "plain")  # our settings, with all of Java's compilers, none


# ---- measuring -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds and rows of each micro-batch but the first ones, and the answers."""

    seconds: list[float]
    rows: int
    answers: DataFrame

    @property
    def rate(self) -> float:
        return self.rows * len(self.seconds) / sum(self.seconds)


def measure(spark: SparkSession, name: str, data: Data, folder: Path, skip: int) -> Measured:
    """Run a contestant over the data; leave out the first batches, while the JVM warms up."""
    CONTESTANTS[name].prepare(spark)
    query = CONTESTANTS[name].start(spark, data, folder)
    query.awaitTermination()
    batches = [p for p in query.recentProgress if p["numInputRows"]][skip:]
    seconds = [p["durationMs"]["triggerExecution"] / 1000 for p in batches]
    return Measured(seconds, data.rows, spark.read.parquet(str(folder / "out")))


def fingerprint(answers: DataFrame) -> tuple[int, int]:
    """How many answers, and a sum of their hashes: equal for equal bags."""
    row = answers.select(
        F.count("*").alias("n"), F.sum(F.xxhash64("x", "y", "z", "ts", "te").cast("decimal(38)"))
    ).first()
    assert row is not None
    return int(row[0]), int(row[1])


def clear(spark: SparkSession) -> None:
    """Close the state stores of a query that has ended, which otherwise are looked after for a
    while: nobody shall pay for what another leaves behind."""
    jvm: Any = spark.sparkContext._jvm
    jvm.org.apache.spark.sql.execution.streaming.state.StateStore.stop()
    jvm.System.gc()


def compare(size: str, rounds: int, processes: Mapping[str, Run]) -> dict[str, Any]:
    """All contestants, in turn; the first of several rounds counts not."""
    seconds: dict[str, list[float]] = {name: [] for name in CONTESTANTS}
    prints = dict[str, Any]()
    for turn in range(rounds):
        for name, each in CONTESTANTS.items():
            got = processes[each.java](name, size)
            if turn or rounds == 1:
                seconds[name] += got["seconds"]
            prints[name] = got["answers"]
            told = statistics.median(got["seconds"])
            print(f"  {turn + 1} {size} {name}: {told:.3f} s", file=sys.stderr, flush=True)
        joins = {str(prints[name]) for name in CONTESTANTS if name not in SILENT}
        assert len(joins) == 1, f"the joins differ: {prints}"
    return {
        name: {
            "seconds per batch": round(statistics.median(times), 4),
            "rows per second": round(got["rows"] / statistics.median(times)),
            "answers": prints[name],
        }
        for name, times in seconds.items()
    }


def session(java: str, log: Path) -> SparkSession:
    """A session on all cores, with the settings of one of JAVA."""
    if java == "plain":
        builder: SparkSession.Builder = SparkSession.builder
        return builder.master("local[*]").config("spark.driver.memory", "4g").getOrCreate()
    compilers = {"spark.driver.extraJavaOptions": "-XX:+UseParallelGC"} if java == "spark" else {}
    return host.session(memory="4g", log=log, settings=compilers)


def serve(options: argparse.Namespace, work: Path, java: str) -> None:
    """Measure who is asked for, in this process, and answer with the figures."""
    spark = session(java, work / f"{java}.log")
    for line in sys.stdin:
        name, size = json.loads(line)
        data, folder = _sizes(options, work)[size], Path(tempfile.mkdtemp(dir=work))
        got = measure(spark, name, data, folder, data.batches // 2)
        answers = None if name in SILENT else fingerprint(got.answers)
        clear(spark)
        shutil.rmtree(folder)
        found = {"seconds": got.seconds, "rows": got.rows, "answers": answers}
        print(json.dumps(found), flush=True)
    spark.stop()


@contextmanager
def process(options: argparse.Namespace, work: Path, java: str) -> Iterator[Run]:
    """A process for one of JAVA, which measures who it is asked for, and else does nothing."""
    names = ("rows", "batches", "small-batches")
    given = [f"--{name}={vars(options)[name.replace('-', '_')]}" for name in names]
    command = [sys.executable, __file__, *given, java, str(work)]
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) as made:
        asked, answers = made.stdin, made.stdout
        assert asked is not None
        assert answers is not None

        def run(name: str, size: str) -> dict[str, Any]:
            print(json.dumps([name, size]), file=asked, flush=True)
            found: dict[str, Any] = json.loads(answers.readline())
            return found

        yield run


def _sizes(options: argparse.Namespace, work: Path) -> dict[str, Data]:
    return {
        "big": Data(work / "big", options.rows, options.batches),
        "small": Data(work / "small", SMALL, options.small_batches),
    }


def everything(options: argparse.Namespace, work: Path) -> dict[str, Any]:
    """Measure in a process for each Java, of which one works at a time."""
    for data in _sizes(options, work).values():
        data.write()
    rounds = {"big": options.rounds, "small": max(options.rounds, TURNS)}
    with ExitStack() as every:
        running = {java: every.enter_context(process(options, work, java)) for java in JAVA}
        return {size: compare(size, turns, running) for size, turns in rounds.items()}


def main() -> None:
    """Measure, and print a table; with --json also one object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--batches", type=int, default=24)
    parser.add_argument("--small-batches", type=int, default=144)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="ratios as JSON, on the last line")
    parser.add_argument("only", nargs="*", help=argparse.SUPPRESS)  # one of JAVA, and a folder
    options = parser.parse_args()
    if options.only:
        java, folder = options.only
        serve(options, Path(folder), java)
        return
    work = Path(tempfile.mkdtemp(prefix="askos-bench-"))
    try:
        found = everything(options, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"{_run(options)}\n\n{_text(found, options.rows)}")
    if options.json:
        print(json.dumps({**_ratios(found), **found}))


def _run(options: argparse.Namespace) -> str:
    """What was run."""
    turns = max(options.rounds, TURNS)
    return (
        f"{options.batches} micro-batches for each query and {options.rounds} rounds; of"
        f" {SMALL:,} rows {options.small_batches} and {turns}; medians of the later half of each,"
        f" without the first round if there are several; {os.cpu_count()} cores"
    )


def _ratios(found: dict[str, Any]) -> dict[str, float]:
    """How many times as fast as Spark's own joins, and how many times a pass a small step costs:
    against the quicker of two passes, and others, and with one bucket, as suits so few rows."""
    big, small = found["big"], found["small"]
    own, (rocksdb, _, memory) = big[OURS]["rows per second"], NATIVE

    def cost(name: str, *passes: str) -> float:
        least = min(small[each]["seconds per batch"] for each in passes)
        return float(small[name]["seconds per batch"] / least)

    same, warm = PASSES
    return {
        "ratio_rocksdb": own / big[rocksdb]["rows per second"],
        "ratio_memory": own / big[memory]["rows per second"],
        "fixed_cost": cost(OURS, same, warm),
        "fixed_cost_of_one_bucket": cost(ONE, same, warm),
        "fixed_cost_in_the_same_session": cost(OURS, same),
        "fixed_cost_with_all_of_javas_compilers": cost(WARM, warm),
        "fixed_cost_of_an_empty_stage": cost(EMPTY, same, warm),
        "fixed_cost_by_sparks_own_settings": cost(OURS, PLAIN),
    }


def _text(found: dict[str, Any], rows: int) -> str:
    big, small = found["big"], found["small"]
    lines = [f"{'':37}{f'{rows} rows a micro-batch':>30}{f'{SMALL} rows':>14}"]
    lines += [
        f"{name:37}{big[name]['rows per second']:>14,} rows/s"
        f"{big[name]['seconds per batch']:>8.3f} s{small[name]['seconds per batch']:>13.4f} s"
        for name in CONTESTANTS
    ]
    own = big[OURS]["rows per second"]
    ratios = _ratios(found)
    lines += ["", "rows per second, askos against"]
    lines += [f"  {name:24}{own / big[name]['rows per second']:>6.1f}x" for name in NATIVE]
    lines += [
        "fixed cost of a micro-batch, one stage against the quicker pass:"
        f" {ratios['fixed_cost']:.2f}x",
        f"  with one bucket: {ratios['fixed_cost_of_one_bucket']:.2f}x",
        f"  against the pass in the same session: {ratios['fixed_cost_in_the_same_session']:.2f}x",
        "  both with all of Java's compilers:"
        f" {ratios['fixed_cost_with_all_of_javas_compilers']:.2f}x",
        f"  of an empty stage of Spark's: {ratios['fixed_cost_of_an_empty_stage']:.2f}x",
        "  against the pass with Spark's own settings:"
        f" {ratios['fixed_cost_by_sparks_own_settings']:.2f}x",
        f"answers, the same from all joins: {big['askos join']['answers'][0]:,}",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
