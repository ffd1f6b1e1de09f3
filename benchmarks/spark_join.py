"""Our windowed join against Spark's own stream-stream join, and a pass without state.

    python benchmarks/spark_join.py [--rows 100000] [--batches 24] [--rounds 3] [--json]

Two streams of triples are joined on their subject where their validity [ts, ts + w) overlaps.
Spark's join has the same condition on event times, and watermarks, so that it evicts state as
ours does; it runs with Spark's default settings for RocksDB, with ours, and with all state in
memory, where it need not survive anything.  Each has the Java that suits it: Spark's own joins are
all Java, and have both of its compilers; a session of askos has the quick one alone, since what
the thorough one takes is more than it gains in a run as short as this.  The pass has both, and a
session with Spark's own settings too, as a user has who does not know askos.

All read the same Parquet files, one per stream and micro-batch, and write Parquet; that they give
the same answers is checked.
Everything is measured in one run, in turns, by a process for each Java, of which one works at a
time: compare the ratios, not the seconds.  The first half of a contestant's batches is warm-up, in
which the JVM compiles what a stream that runs on for days has compiled long ago; state stores are
closed before the next one's turn.  What is told is the median of the other batches, without the
first round if there are several.  Of small batches, which the machine's mood from one minute to
the next weighs most on, there are four rounds.
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
        store = "spark.sql.streaming.stateStore"
        spark.conf.set(f"{store}.providerClass", self.provider)
        for name, value in (
            ("changelogCheckpointing.enabled", self.changelog),
            ("trackTotalNumberOfRows", self.count_rows),
        ):
            spark.conf.set(f"{store}.rocksdb.{name}", str(value).lower())


CONTESTANTS: Final = {
    "stateless pass": Contestant(stateless, PROVIDER),
    "  .. all of Java's compilers": Contestant(stateless, PROVIDER, java="spark"),
    "  .. Spark's own settings": Contestant(stateless, PROVIDER, java="plain"),
    "an empty stage of Spark's": Contestant(empty, PROVIDER, count_rows=False),
    "askos join": Contestant(ours, PROVIDER, count_rows=False),
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
NATIVE: Final = tuple(CONTESTANTS)[7:]
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
            "seconds per batch": round(statistics.median(times), 3),
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
    given = [f"--{name}={getattr(options, name)}" for name in ("rows", "batches")]
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
    sizes = {"big": options.rows, "small": SMALL}
    return {name: Data(work / name, rows, options.batches) for name, rows in sizes.items()}


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
    measured, turns = options.batches - options.batches // 2, max(options.rounds, TURNS)
    return (
        f"{options.batches} micro-batches for each query; rounds: {options.rounds}, of {SMALL:,}"
        f" rows {turns}; medians of the last {measured} of each, without the first;"
        f" {os.cpu_count()} cores"
    )


def _ratios(found: dict[str, Any]) -> dict[str, float]:
    """How many times as fast as Spark's own joins, and how many times a pass a small step costs: a
    pass in the same session, and in others."""
    big, small = found["big"], found["small"]
    own, (rocksdb, _, memory) = big["askos join"]["rows per second"], NATIVE
    same, warm = (small[name]["seconds per batch"] for name in PASSES)
    pace = min(same, warm)
    return {
        "ratio_rocksdb": own / big[rocksdb]["rows per second"],
        "ratio_memory": own / big[memory]["rows per second"],
        "fixed_cost": small["askos join"]["seconds per batch"] / pace,
        "fixed_cost_in_the_same_session": small["askos join"]["seconds per batch"] / same,
        "fixed_cost_of_an_empty_stage": small[EMPTY]["seconds per batch"] / pace,
        "fixed_cost_by_sparks_own_settings": (
            small["askos join"]["seconds per batch"] / small[PLAIN]["seconds per batch"]
        ),
    }


def _text(found: dict[str, Any], rows: int) -> str:
    big, small = found["big"], found["small"]
    lines = [f"{'':29}{f'{rows} rows a micro-batch':>30}{f'{SMALL} rows':>14}"]
    lines += [
        f"{name:29}{big[name]['rows per second']:>14,} rows/s{big[name]['seconds per batch']:>7} s"
        f"{small[name]['seconds per batch']:>12} s"
        for name in CONTESTANTS
    ]
    own = big["askos join"]["rows per second"]
    ratios = _ratios(found)
    lines += ["", "rows per second, askos against"]
    lines += [f"  {name:24}{own / big[name]['rows per second']:>6.1f}x" for name in NATIVE]
    lines += [
        "fixed cost of a micro-batch, one stage against the quicker pass:"
        f" {ratios['fixed_cost']:.2f}x",
        f"  against the pass in the same session: {ratios['fixed_cost_in_the_same_session']:.2f}x",
        f"  of an empty stage: {ratios['fixed_cost_of_an_empty_stage']:.2f}x",
        "  against the pass with Spark's own settings:"
        f" {ratios['fixed_cost_by_sparks_own_settings']:.2f}x",
        f"answers, the same from all joins: {big['askos join']['answers'][0]:,}",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
