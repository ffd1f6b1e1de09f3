"""Monitoring queries on Spark, from Parquet to Parquet, beside DataFrame jobs written by hand.

    python benchmarks/spark_query.py [--rows 100000] [--batches 24] [--rounds 2]
        [--queries a b c d e] [--json]

The questions are those of local_query.py: 100 turbines send 1,000 readings a second, half of them
wind speeds and half of them power, and now and then an alarm; a window holds the last ten seconds
and is reported every second.  A micro-batch is one file of so many rows, so of a hundred reports.

The jobs by hand say the same with Spark's own windows, as an expert would: where the answer follows
from one aggregation it is one, without a join.  So (a), whose join multiplies every power of a
turbine alike, is the mean power of those with strong wind; (d) and (e) sort and subtract lists.
(c) needs an outer join of two streams.  For (a), pyoxigraph holds the window in a store, from which
what has left is removed, and evaluates the query at every report.

Everything is measured in one run, in rounds, whose order is turned round each time; the first half
of a contestant's micro-batches in each is warm-up, and what is told is the median of all others.
The answers must be equal, by value, for all reports that both have told.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos import Catalogue
from askos import spark as host
from askos.terms import URIRef
from benchmarks.local_query import (
    EX,
    PARK,
    QUESTIONS,
    RANGE,
    SCADA,
    TURBINES,
    XSD,
    name,
    park,
    theirs,
)

RATE: Final = 1_000  # rows a second
START: Final = 1_780_272_000  # seconds: Spark takes a time of 0 for a late one
STORE_STEPS: Final = 30  # reports of pyoxigraph


# ---- data ------------------------------------------------------------------------------------


def write(folder: Path, rows: int, batches: int) -> None:
    """Files of a micro-batch each.  No triple comes twice in a window: Spark counts rows, and a
    window of C-SPARQL is a set."""
    folder.mkdir(parents=True)
    for number in range(batches):
        file = folder / f"{number:04}.parquet"
        pq.write_table(readings(number * rows, rows), file)
        os.utime(file, (1_700_000_000 + number,) * 2)


def readings(first: int, count: int) -> pa.Table:
    """Rows from that number on, a thousand a second."""
    random = np.random.default_rng(first)
    places = np.arange(first, first + count)
    turbine = random.integers(0, TURBINES - 10, count)
    kind = random.integers(0, 1_000, count)  # two in a thousand are alarms
    wind = kind < 500
    # The place of a row is in its last digits: so all are different for longer than a window.
    size = random.integers(0, np.where(wind, 25, 3_000)) * 100_000 + places % 100_000
    objects = [f'"{n // 100_000}.{n % 100_000:05}"^^<{XSD}decimal>' for n in size.tolist()]
    verbs = np.where(wind, f"<{EX}wind>", f"<{EX}power>").astype(object)
    for row in np.flatnonzero(kind >= 998).tolist():
        verbs[row], objects[row] = f"<{EX}alarm>", f'"A{places[row] % 100_000}"'
    times = (START * 1_000 + places * 1_000 // RATE) | 1  # none at the edge of a window
    subjects = [name(n) for n in turbine.tolist()]
    return pa.table({"s": subjects, "p": verbs.tolist(), "o": objects, "ts": times})


# ---- askos -----------------------------------------------------------------------------------


def ours(spark: SparkSession, letter: str, data: Path, folder: Path) -> Any:
    """The text, as any query."""
    known = Catalogue().stream(SCADA)
    if QUESTIONS[letter].static:
        known = known.graph(PARK, [(_iri(s), _iri(p), _iri(o)) for s, p, o in park()])
    streams = {SCADA: host.parquet(spark, data, files_per_trigger=1)}
    return host.start(
        spark,
        QUESTIONS[letter].stream,
        streams,
        host.Parquet(folder / "out"),
        folder / "checkpoint",
        trigger={"availableNow": True},
        sources=known,
    )


def _iri(text: str) -> URIRef:
    return URIRef(text[1:-1])


# ---- by hand ---------------------------------------------------------------------------------


def by_hand(spark: SparkSession, letter: str, data: Path, folder: Path) -> Any:
    """The same as a DataFrame job."""
    schema = "s string, p string, o string, ts bigint"
    rows = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(data))
    timed = rows.withColumn("time", F.timestamp_millis("ts")).withWatermark("time", "0 seconds")
    writer = JOBS[letter](timed).writeStream.format("parquet").option("path", str(folder / "out"))
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    return writer.trigger(availableNow=True).start()


def is_a(verb: str) -> Column:
    """Whether a row is a reading of that kind."""
    return F.col("p") == f"<{EX}{verb}>"


def value() -> Column:
    """The number of a reading."""
    return F.substring_index(F.substring("o", 2, 20), '"', 1).cast("decimal(12,5)")


def windows() -> Column:
    """The last ten seconds, every second."""
    return F.window("time", f"{RANGE} seconds", "1 second")


def at() -> Column:
    """When a window is reported."""
    return F.unix_millis("window.end").alias("at")


def hand_a(rows: DataFrame) -> DataFrame:
    """Every power of a turbine is joined with the same winds: their number cancels out."""
    chosen = rows.where(is_a("power") | is_a("wind") & (value() > 12))
    groups = chosen.groupBy(windows(), "s").agg(
        F.avg(F.when(is_a("power"), value())).alias("mean"),
        F.count(F.when(is_a("wind"), 1)).alias("winds"),
    )
    met = groups.where("winds > 0 and mean is not null")
    return met.select(at(), F.col("s").alias("t"), "mean")


def hand_b(rows: DataFrame) -> DataFrame:
    """Mean power."""
    groups = rows.where(is_a("power")).groupBy(windows(), "s").agg(F.avg(value()).alias("mean"))
    return groups.select(at(), F.col("s").alias("t"), "mean")


def hand_c(rows: DataFrame) -> DataFrame:
    """Power, with alarms where there are some."""
    power = rows.where(is_a("power")).select(
        windows(), F.col("s").alias("t"), F.col("o").alias("p")
    )
    alarm = rows.where(is_a("alarm")).select(
        windows().alias("other"), F.col("s").alias("u"), F.col("o").alias("a")
    )
    same = (F.col("window") == F.col("other")) & (F.col("t") == F.col("u"))
    return power.join(alarm, same, "left_outer").select(at(), "t", "p", "a")


def hand_d(rows: DataFrame) -> DataFrame:
    """The five largest: streams cannot be sorted, but lists can."""
    row = F.struct((-value()).alias("n"), F.col("s").alias("t"), F.col("o").alias("p"))
    chosen = rows.where(is_a("power")).groupBy(windows())
    lists = chosen.agg(F.slice(F.array_sort(F.collect_list(row)), 1, 5).alias("top"))
    return lists.select(at(), F.explode("top").alias("row")).select("at", "row.t", "row.p")


def hand_e(rows: DataFrame) -> DataFrame:
    """All turbines but those that were heard."""
    every = F.array(*(F.lit(name(n)) for n in range(TURBINES)))
    heard = rows.where(is_a("power")).groupBy(windows()).agg(F.collect_set("s").alias("heard"))
    return heard.select(at(), F.explode(F.array_except(every, "heard")).alias("t"))


JOBS: Final[dict[str, Callable[[DataFrame], DataFrame]]] = {
    "a": hand_a,
    "b": hand_b,
    "c": hand_c,
    "d": hand_d,
    "e": hand_e,
}
CONTESTANTS: Final[dict[str, Callable[..., Any]]] = {"askos": ours, "by hand": by_hand}


# ---- measuring -------------------------------------------------------------------------------


def measured(started: Any, skip: int) -> list[float]:
    """Seconds of each micro-batch but the first ones."""
    started.awaitTermination()
    batches = [p for p in started.recentProgress if p["numInputRows"]][skip:]
    return [p["durationMs"]["triggerExecution"] / 1000 for p in batches]


def answers(spark: SparkSession, folder: Path) -> DataFrame:
    """What was told, as (at, values): numbers that are computed to nine digits."""
    found = spark.read.parquet(str(folder / "out"))
    if "output" in found.columns:
        found = found.where("output = 'result'")
    columns = [name for name in ("t", "mean", "p", "a") if name in found.columns]
    shown = [_number(c) if c == "mean" else F.coalesce(c, F.lit("")).alias(c) for c in columns]
    return found.select("at", *shown)


def _number(column: str) -> Column:
    bare = F.regexp_replace(F.col(column).cast("string"), r'^"|"\^\^.*$', "")
    return F.format_string("%.6e", bare.cast("double")).alias(column)


def check(spark: SparkSession, letter: str, folders: dict[str, Path], rows_read: int) -> int:
    """How many answers are equal: all of those reports that both have told as a whole.  Spark's
    own windows close a micro-batch later."""
    first, last = (START + RANGE) * 1_000, START * 1_000 + rows_read * 1_000 // RATE
    prints = set()
    for folder in folders.values():
        rows = answers(spark, folder).where(F.col("at").between(first, last))
        total = F.sum(F.xxhash64(*rows.columns).cast("decimal(38)"))
        prints.add(tuple(rows.agg(F.count("*"), total).first() or ()))
    assert len(prints) == 1, f"the answers of {letter} differ: {prints}"
    return int(prints.pop()[0])


def compare(
    spark: SparkSession, letter: str, work: Path, options: argparse.Namespace
) -> dict[str, float]:
    """Seconds a micro-batch of each, and how many answers there are."""
    spent: dict[str, list[float]] = {who: [] for who in CONTESTANTS}
    equal = 0
    for turn in range(options.rounds):
        folders = {who: Path(tempfile.mkdtemp(dir=work)) for who in CONTESTANTS}
        for who in [*CONTESTANTS][:: -1 if turn % 2 else 1]:
            started = CONTESTANTS[who](spark, letter, work / "data", folders[who])
            seconds = measured(started, options.batches // 2)
            spent[who] += seconds
            said = f"  {letter}, {who}: {statistics.median(seconds):.3f} s"
            print(said, file=sys.stderr, flush=True)
            clear(spark)
        equal = check(spark, letter, folders, options.rows * (options.batches - 2))
        for folder in folders.values():
            shutil.rmtree(folder)
    return {**{who: statistics.median(times) for who, times in spent.items()}, "answers": equal}


def clear(spark: SparkSession) -> None:
    """Close the state stores of a query that has ended: nobody shall pay for another's."""
    jvm: Any = spark.sparkContext._jvm
    jvm.org.apache.spark.sql.execution.streaming.state.StateStore.stop()
    jvm.System.gc()


def store_seconds(rows: int) -> float:
    """What pyoxigraph takes for as many reports of (a) as a micro-batch has."""
    times = [seconds for seconds, _ in theirs(QUESTIONS["a"], STORE_STEPS)][RANGE:]
    return float(statistics.median(times) * rows / RATE)


def main() -> None:
    """Compare, and tell the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--batches", type=int, default=24, help="of a round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--queries", nargs="+", choices=QUESTIONS, default=list(QUESTIONS))
    parser.add_argument("--json", action="store_true", help="the ratios as JSON, on the last line")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="askos-bench-"))
    settings = {
        "spark.sql.streaming.noDataMicroBatches.enabled": "false",  # as askos has it
        "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",  # jobs by hand are all Java
    }
    spark = host.session(memory="4g", log=work / "spark.log", settings=settings)
    try:
        write(work / "data", options.rows, options.batches)
        print(_heading(options), flush=True)
        ratios = {letter: told(spark, letter, work, options) for letter in options.queries}
    finally:
        spark.stop()
        shutil.rmtree(work, ignore_errors=True)
    if options.json:
        print(json.dumps({"ratios": ratios}))


def told(
    spark: SparkSession, letter: str, work: Path, options: argparse.Namespace
) -> dict[str, float]:
    """Measure a question, and print a line of it."""
    found = compare(spark, letter, work, options)
    if letter == "a":
        found["pyoxigraph"] = store_seconds(options.rows)
    own = found["askos"]
    others: dict[str, float] = {
        who: found[who] / own for who in ("by hand", "pyoxigraph") if who in found
    }
    shown = "".join(f", {who} {found[who]:7.3f} s: {ratio:5.1f}x" for who, ratio in others.items())
    print(f"{letter}: askos {own:.3f} s{shown}; {int(found['answers']):,} answers", flush=True)
    return others


def _heading(options: argparse.Namespace) -> str:
    measured = options.batches - options.batches // 2
    return (
        f"{options.rounds} rounds of {options.batches} micro-batches of {options.rows:,} rows for"
        f" each; medians of the last {measured} of every round; {os.cpu_count()} cores"
    )


if __name__ == "__main__":
    main()
