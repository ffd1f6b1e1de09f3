"""How long an answer takes from the arrival of its rows, at a steady pace, on Spark.

    python benchmarks/latency.py [--rates 1000 10000] [--seconds 60] [--rounds 2] [--json]

A feeder writes a Parquet file ten times a second, with rows that are stamped when it is there to be
read.  The query joins what two kinds of rows say of one turbine in the last second; the other
contestant is a pass without state, which reads, filters and writes the same rows; beside it is what
Spark's stateful processing costs with nothing in it, for which the times of all rows go through an
empty stage.  All write Parquet, and an answer is there when the log of the sink names its file.
Its latency is from the later of its rows until then.

They run in turns, each over a stream of its own, after some files that are warm-up, and after a
short round of all that does not count, in which Java compiles what it will need.  That the join
gives all its answers is checked against a join of the same rows in one go.  Trust the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos import spark as host
from benchmarks.joins import Nothing

EX: Final = "http://wind.example/"
TICK: Final = 0.1  # seconds between two files
WINDOW: Final = 1_000  # milliseconds
WARM: Final = 20  # files before the feeder begins, each a micro-batch
_WARM_SECONDS: Final = 10.0  # of the round that does not count
SCHEMA: Final = "s string, p string, o string, ts bigint"
QUERY: Final = f"""
PREFIX : <{EX}>
SELECT ?t ?w ?p FROM STREAM :scada WINDOW RANGE {WINDOW} MS SLIDE
WHERE {{ ?t :wind ?w . ?t :power ?p }}
"""

Times = npt.NDArray[np.int64]


# ---- rows that arrive ------------------------------------------------------------------------


def feed(folder: Path, rate: int, seconds: float) -> None:
    """Write files at a steady pace; each is there as a whole, when its rows are stamped."""
    begun = time.time()
    for tick in range(int(seconds / TICK)):
        time.sleep(max(begun + tick * TICK - time.time(), 0))
        write(folder, WARM + tick, rate)


def write(folder: Path, tick: int, rate: int) -> None:
    """A file that arrives now."""
    table, hidden = arrivals(tick, int(rate * TICK), rate), folder / f".{tick:06}.parquet"
    pq.write_table(table.append_column("ts", pa.repeat(_now(), len(table))), hidden)
    os.replace(hidden, folder / f"{tick:06}.parquet")


def _now() -> int:
    return time.time_ns() // 1_000_000


def arrivals(tick: int, rows: int, rate: int) -> pa.Table:
    """Rows without times: an element meets about two."""
    random = np.random.default_rng(tick)
    turbines = random.integers(0, max(rate * WINDOW // 2_000, 1), rows)
    wind = random.integers(0, 2, rows).astype(bool)
    values = random.integers(0, 10_000, rows)
    return pa.table(
        {
            "s": [f"<{EX}T{n}>" for n in turbines.tolist()],
            "p": np.where(wind, f"<{EX}wind>", f"<{EX}power>").tolist(),
            "o": [f'"{n}"' for n in values.tolist()],
        }
    )


# ---- the contestants -------------------------------------------------------------------------


def ours(spark: SparkSession, data: Path, folder: Path) -> Any:
    """The query, as any."""
    streams = {f"{EX}scada": host.parquet(spark, data, files_per_trigger=1_000)}
    return host.start(spark, QUERY, streams, host.Parquet(folder / "out"), folder / "checkpoint")


def stateless(spark: SparkSession, data: Path, folder: Path) -> Any:
    """Read, filter, write."""
    return _written(_read(spark, data), folder)


def empty(spark: SparkSession, data: Path, folder: Path) -> Any:
    """Read, filter, and let the times of all rows go through a stage with state."""
    buckets = _read(spark, data).select("ts").mapInArrow(_in_buckets, "bucket int, ts bigint")
    with host.settings(spark):
        staged = buckets.groupBy("bucket").transformWithState(
            Nothing(), "bucket int, ts bigint", "Append", "None"
        )
        return _written(staged, folder)


def _read(spark: SparkSession, data: Path) -> DataFrame:
    reader = spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1_000)
    return reader.parquet(str(data)).where(F.col("p").isin(f"<{EX}wind>", f"<{EX}power>"))


def _written(rows: DataFrame, folder: Path) -> Any:
    writer = rows.writeStream.format("parquet").option("path", str(folder / "out"))
    return writer.option("checkpointLocation", str(folder / "checkpoint")).start()


def _in_buckets(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        bucket = pa.array(np.arange(len(batch)) % 2, pa.int32())
        yield pa.record_batch({"bucket": bucket, "ts": batch["ts"]})


CONTESTANTS: Final[dict[str, Callable[..., Any]]] = {
    "askos": ours,
    "empty stage": empty,
    "stateless": stateless,
}


# ---- measuring -------------------------------------------------------------------------------


def measure(spark: SparkSession, who: str, rate: int, seconds: float, folder: Path) -> Times:
    """Milliseconds from arrival to answer, of each answer after the warm-up."""
    data = folder / "data"
    data.mkdir(parents=True)
    started = CONTESTANTS[who](spark, data, folder)
    for tick in range(WARM):
        write(data, tick, rate)
        started.processAllAvailable()
    begun = _now()
    feed(data, rate, seconds)
    started.processAllAvailable()
    started.stop()
    if who == "askos":
        check(spark, folder)
    found = np.concatenate([np.empty((0, 2), np.int64), *committed(folder / "out")])
    late: Times = (found[:, 1] - found[:, 0])[found[:, 0] >= begun]
    return late


def committed(folder: Path) -> Iterator[Times]:
    """When rows arrived, and when they were answered: by the files that Spark's log names."""
    named = set[Path]()
    for entry in sorted((folder / "_spark_metadata").glob("[0-9]*"), key=_number):
        lines = entry.read_text("utf-8").splitlines()[1:]
        files = {Path(unquote(json.loads(line)["path"].removeprefix("file://"))) for line in lines}
        for file in filter(_has_answers, files - named):
            arrived = pq.ParquetFile(file).read(columns=["ts"])["ts"].to_numpy()
            told = np.full(len(arrived), entry.stat().st_mtime_ns // 1_000_000)
            yield np.stack([arrived, told], axis=1)
        named |= files


def _has_answers(file: Path) -> bool:
    """Not what was refused, or is late."""
    return not file.parent.name.startswith("output=") or file.parent.name == "output=result"


def _number(entry: Path) -> int:
    return int(entry.name.partition(".")[0])


def check(spark: SparkSession, folder: Path) -> None:
    """The answers are those of a join in one go."""
    rows = spark.read.schema(SCHEMA).parquet(str(folder / "data"))
    want = _joined(rows)
    found = spark.read.parquet(str(folder / "out")).where("output = 'result'")
    got = found.select("t", "w", "p", "ts")
    prints = [
        tuple(
            told.agg(F.count("*"), F.sum(F.xxhash64(*told.columns).cast("decimal(38)"))).first()
            or ()
        )
        for told in (want, got)
    ]
    assert prints[0] == prints[1], f"the answers differ: {prints}"


def _joined(rows: DataFrame) -> DataFrame:
    """Pairs whose windows overlap, from the later row on; a triple that comes again while it holds
    goes on."""
    wind = rows.where(f"p = '<{EX}wind>'").select(
        "s", F.col("o").alias("w"), F.col("ts").alias("a")
    )
    power = rows.where(f"p = '<{EX}power>'").select(
        "s", F.col("o").alias("p"), F.col("ts").alias("b")
    )
    met = wind.join(power, "s").where(F.abs(F.col("a") - F.col("b")) < WINDOW)
    return met.select(F.col("s").alias("t"), "w", "p", F.greatest("a", "b").alias("ts"))


def compare(
    spark: SparkSession, rate: int, options: argparse.Namespace, work: Path
) -> dict[str, dict[str, float]]:
    """Milliseconds of each contestant, in the middle and of the slowest hundredth."""
    late: dict[str, list[Times]] = {who: [] for who in CONTESTANTS}
    for _ in range(options.rounds):
        for who in CONTESTANTS:
            folder = Path(tempfile.mkdtemp(dir=work))
            late[who].append(measure(spark, who, rate, options.seconds, folder))
            shutil.rmtree(folder)
            print(f"  {who}: {np.median(late[who][-1]):.0f} ms", file=sys.stderr, flush=True)
    every = {who: np.concatenate(parts) for who, parts in late.items()}
    return {
        who: {"p50": float(np.median(ms)), "p99": float(np.percentile(ms, 99))}
        for who, ms in every.items()
    }


def main() -> None:
    """Compare at each rate, and tell the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rates", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="all of it as JSON, on the last line")
    options = parser.parse_args()
    work = Path(tempfile.mkdtemp(prefix="askos-bench-"))
    spark = host.session(memory="4g", log=work / "spark.log")
    try:
        warm = argparse.Namespace(rounds=1, seconds=min(options.seconds, _WARM_SECONDS))
        compare(spark, options.rates[-1], warm, work)
        found = {rate: compare(spark, rate, options, work) for rate in options.rates}
    finally:
        spark.stop()
        shutil.rmtree(work, ignore_errors=True)
    print(
        f"{options.rounds} runs of {options.seconds:g} s each, in turns; {os.cpu_count()} cores\n"
    )
    print(f"{'rows a second':>14}{'':14}{'p50':>10}{'p99':>18}")
    for rate, told in found.items():
        for who, ms in told.items():
            times = "".join(f"{ms[at]:>7,.0f} ms ({ratio(told, who, at):.2f}x)" for at in ms)
            print(f"{rate:>14,}  {who:12}{times}")
    if options.json:
        ratios, least = (
            {str(rate): ratio(told, who, "p50") for rate, told in found.items()}
            for who in ("askos", "empty stage")
        )
        print(json.dumps({"ratio_p50": ratios, "ratio_p50_of_an_empty_stage": least, "ms": found}))


def ratio(told: dict[str, dict[str, float]], who: str, what: str) -> float:
    """How many times the latency of a pass without state."""
    return told[who][what] / told["stateless"][what]


if __name__ == "__main__":
    main()
