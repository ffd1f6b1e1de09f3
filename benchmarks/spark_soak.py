"""Whether a query on Spark stays as small as its windows: many triples, generated in the stream.

    python benchmarks/spark_soak.py [--triples 1000000] [--rows 100000] [--json]

Turbines send power readings, and some of them alarms; their names are new every hour, so that names
come and go as elements do.  The query has a left join, a DISTINCT and a group.  About sixty times a
run it is noted: the elements that operators keep, the memory of the JVM and of its Python workers,
and the size of the checkpoint.

After the first third, when windows are full and Spark has as many micro-batches as it keeps, none
of them may grow: the mean of the last third is held against the mean of the second, since Spark
looks once a minute for what it no longer needs, and how much that is by then depends on the pace.
Progress on the error output, then a table.  Spark keeps what the last hundred micro-batches have
stored, so a run with fewer than three hundred needs `--retain` to be flat.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos import spark as host

EX: Final = "http://wind.example/"
START: Final = 1_780_272_000_000
SECONDS: Final = 60  # of the stream in a micro-batch
TURBINES: Final = 20_000
SAMPLES: Final = 60
GROWN: Final = {"elements": 1.1, "jvm": 1.15, "workers": 1.15, "checkpoint": 1.15}
QUERY: Final = f"""
PREFIX : <{EX}>
SELECT ?t (COUNT(?p) AS ?n) (MAX(?p) AS ?most)
FROM STREAM :scada WINDOW RANGE 5 MINUTE SLIDE 1 MINUTE
WHERE {{ {{ SELECT DISTINCT ?t ?p ?a WHERE {{ ?t :power ?p OPTIONAL {{ ?t :alarm ?a }} }} }} }}
GROUP BY ?t
"""


@dataclass(frozen=True)
class Sample:
    """What is there after some triples: elements and bytes."""

    triples: int
    elements: int
    jvm: int
    workers: int
    checkpoint: int


def triples(spark: SparkSession, rows: int) -> DataFrame:
    """A stream of triples, so many in each micro-batch, spread over its time."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows)
    source = source.option("startTimestamp", START).option("numPartitions", 2)
    made = source.option("advanceMillisPerBatch", SECONDS * 1_000).load()
    value, step = F.col("value"), SECONDS * 1_000 / rows
    ts = F.lit(START) + (value * F.lit(step)).cast("bigint")
    mixed = F.pmod(F.xxhash64(value), F.lit(TURBINES))
    hour = F.floor(ts / F.lit(3_600_000))
    alarm = F.pmod(value, F.lit(50)) == 0
    power = F.pmod(F.xxhash64(value, F.lit(1)), F.lit(30_000)) / 10
    number = F.format_string('"%.1f"^^<http://www.w3.org/2001/XMLSchema#decimal>', power)
    return made.select(
        F.format_string(f"<{EX}turbine/%d/%d>", hour, mixed).alias("s"),
        F.when(alarm, f"<{EX}alarm>").otherwise(f"<{EX}power>").alias("p"),
        F.when(alarm, F.format_string('"A%d"', mixed % 9)).otherwise(number).alias("o"),
        ts.alias("ts"),
    )


# ---- what is there ---------------------------------------------------------------------------


def memory(process: int) -> int:
    """Bytes of a process that are in memory now, and nobody else's."""
    try:
        with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as told:
            return sum(int(line.split()[1]) * 1024 for line in told if line.startswith("Pss:"))
    except OSError:  # it has just ended
        return 0


def below(process: int) -> Iterator[int]:
    """All processes that one has started, and those these have."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
        threads = Path(f"/proc/{process}/task").iterdir()
        texts = [text, *(_children(thread) for thread in threads if thread.name != str(process))]
    except OSError:
        return
    for child in {int(child) for text in texts for child in text.split()}:
        yield child
        yield from below(child)


def _children(thread: Path) -> str:
    try:
        return (thread / "children").read_text(encoding="ascii")
    except OSError:
        return ""


def is_java(process: int) -> bool:
    """Whether it is Spark's own."""
    try:
        return Path(f"/proc/{process}/comm").read_text(encoding="ascii").strip() == "java"
    except OSError:
        return False


def size(folder: Path) -> int:
    """Bytes of all files below a folder; answers are none of it."""
    found = 0
    for file in folder.rglob("*"):
        try:
            found += file.stat().st_size if file.is_file() else 0
        except OSError:  # it has just been removed
            continue
    return found


def sample(done: int, checkpoint: Path) -> Sample:
    """What is there now."""
    java = [process for process in below(os.getpid()) if is_java(process)]
    workers = {process for one in java for process in below(one)}
    elements = sum(operator.elements for operator in host.profile(checkpoint).operators)
    return Sample(
        done, elements, sum(map(memory, java)), sum(map(memory, workers)), size(checkpoint)
    )


# ---- the run ---------------------------------------------------------------------------------


def run(options: argparse.Namespace, work: Path) -> list[Sample]:
    """Feed the query, and look at it now and then."""
    retained = {"spark.sql.streaming.minBatchesToRetain": str(options.retain)}
    spark = host.session(memory=options.memory, log=work / "spark.log", settings=retained)
    streams = {f"{EX}scada": triples(spark, options.rows)}
    checkpoint = work / "checkpoint"
    started = host.start(spark, QUERY, streams, host.Parquet(work / "answers"), checkpoint)
    found = list[Sample]()
    try:
        while not found or found[-1].triples < options.triples:
            done, due = _done(started, options.rows), found[-1].triples if found else 0
            if done >= due + max(options.triples // SAMPLES, options.rows):
                found.append(sample(done, checkpoint))
                _say(found[-1])
            time.sleep(0.2)
    finally:
        started.stop()
        spark.stop()
    return found


def _done(started: Any, rows: int) -> int:
    """How many triples have been read; raises what has stopped the query."""
    if started.exception() is not None:
        raise started.exception()
    last = started.lastProgress
    return 0 if last is None else (int(last["batchId"]) + 1) * rows


def _say(one: Sample) -> None:
    print(
        f"{one.triples:,} triples, {one.elements:,} elements, {one.jvm / 1e6:,.0f} MB Java,"
        f" {one.workers / 1e6:,.0f} MB Python, {one.checkpoint / 1e6:,.1f} MB checkpoint",
        file=sys.stderr,
        flush=True,
    )


def grown(found: list[Sample], what: str) -> float:
    """The mean of the last third, in that of the second."""
    third = len(found) // 3
    before, after = (
        fmean(getattr(one, what) for one in part) for part in (found[third:-third], found[-third:])
    )
    return float(after / max(before, 1))


def main() -> int:
    """Run, and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--rows", type=int, default=100_000, help="of a micro-batch")
    parser.add_argument("--memory", default="2g", help="of Spark's Java")
    parser.add_argument("--retain", type=int, default=100, help="micro-batches that Spark keeps")
    parser.add_argument("--json", action="store_true", help="how much grew, on the last line")
    options = parser.parse_args()
    work, begun = Path(tempfile.mkdtemp(prefix="askos-soak-")), time.monotonic()
    try:
        found = run(options, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    minutes = (time.monotonic() - begun) / 60
    print(
        f"{found[-1].triples:,} triples, {options.rows:,} a micro-batch, of which Spark keeps"
        f" {options.retain}; {minutes:.0f} minutes\n"
    )
    _table(found)
    ratios = {what: grown(found, what) for what in GROWN}
    flat = all(ratio <= GROWN[what] for what, ratio in ratios.items())
    told = ", ".join(f"{what} {ratio:.2f}" for what, ratio in ratios.items())
    print(f"\nthe last third in the second: {told}: {'flat' if flat else 'GROWS'}")
    if options.json:
        print(json.dumps({"triples": found[-1].triples, "grown": ratios, "flat": flat}))
    return 0 if flat else 1


def _table(found: list[Sample]) -> None:
    names = [field.name for field in fields(Sample)]
    print("".join(f"{name:>14}" for name in names))
    for one in found[:: max(len(found) // 12, 1)]:
        counts = (f"{one.triples:,}", f"{one.elements:,}")
        sizes = (f"{size / 1e6:,.1f} MB" for size in (one.jvm, one.workers, one.checkpoint))
        print("".join(f"{text:>14}" for text in (*counts, *sizes)))


if __name__ == "__main__":
    sys.exit(main())
