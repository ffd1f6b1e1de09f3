"""What a further exchange costs, and what a second core gains.

    python benchmarks/spark_stages.py [--rows 100000 400000] [--batches 36] [--rounds 2] [--json]

One stream is joined with itself along a chain: readings of turbines by their turbine, then sites by
their name, then regions by theirs.  Each step asks for other keys, so that there are 1, 2 and 3
exchanges: as many stages, in the same micro-batch.  All read the same Parquet files, two for each
micro-batch, since a file is read by one task, and write Parquet.  Sessions take turns: everything
on one core; one task at a time, where Java and Python still run side by side on both; two cores.
That they give the same answers is checked.  The first round, and in each run the first third of
the batches, is warm-up; what is told is the median of the others.  What Spark itself needs for a
micro-batch is the work of one thread, and the same for few rows as for many: so the second core
gains more where there are more of them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos import spark as host
from askos.physical import build
from askos.prepared import prepare
from askos.terms import URIRef

BASE: Final = "http://bench.example/"
STREAM: Final = URIRef(BASE + "stream")
START: Final = 1_780_272_000_000
FILES: Final = 2  # of a micro-batch
STEPS: Final = ("?t :reading ?v . ?t :site ?s", "?s :region ?r", "?r :grid ?g")
PREDICATES: Final = ("reading", "site", "region", "grid")


def query(exchanges: int, window: int) -> str:
    """A chain that asks for so many exchanges."""
    chain = " . ".join(STEPS[:exchanges])
    return f"""PREFIX : <{BASE}>
SELECT * FROM STREAM <{STREAM}> WINDOW RANGE {window} SLIDE 1 {{ {chain} }}"""


@dataclass(frozen=True, slots=True)
class Data:
    """A triple a millisecond, in files of a micro-batch: in turns a reading of a turbine, its
    site, the region of a site, the grid of a region.  A window holds one batch, and there are as
    many keys of each kind as it holds triples of the kind."""

    folder: Path
    rows: int
    batches: int

    def write(self) -> Data:
        self.folder.mkdir(parents=True)
        generator = np.random.default_rng(7)
        for number in range(self.batches):
            whole, size = self._table(generator, number), self.rows // FILES
            for part in range(FILES):
                file = self.folder / f"{number:04}-{part}.parquet"
                pq.write_table(whole.slice(part * size, size), file)
                os.utime(file, (1_700_000_000 + number,) * 2)
        return self

    def _table(self, generator: np.random.Generator, number: int) -> pa.Table:
        kinds = np.arange(self.rows) % len(PREDICATES)
        keys = self.rows // len(PREDICATES)
        subjects, objects = (generator.integers(0, keys, self.rows) for _ in range(2))
        rows = list(zip(kinds.tolist(), subjects.tolist(), objects.tolist(), strict=True))
        return pa.table(
            {
                "s": [f"<{BASE}{max(kind, 1)}/{s}>" for kind, s, _ in rows],
                "p": [f"<{BASE}{PREDICATES[kind]}>" for kind, _, _ in rows],
                "o": [f"<{BASE}{kind + 1}/{o}>" if kind else f'"{o}"' for kind, _, o in rows],
                "ts": np.arange(self.rows) + START + number * self.rows,
            }
        )


@dataclass(frozen=True, slots=True)
class Session:
    """How many tasks run at a time, and on how many cores everything does."""

    tasks: int
    cores: int

    def start(self, work: Path) -> SparkSession:
        spark = host.session(self.tasks, memory="3g", log=work / "spark.log")
        jvm: Any = spark.sparkContext._jvm
        cores = ALL_CORES[: self.cores]
        for process in (os.getpid(), int(jvm.java.lang.ProcessHandle.current().pid())):
            for thread in os.listdir(f"/proc/{process}/task"):  # whoever they start is there too
                with suppress(ProcessLookupError):
                    os.sched_setaffinity(int(thread), cores)
        return spark


ALL_CORES: Final = sorted(os.sched_getaffinity(0))
SESSIONS: Final = {"1 core": Session(1, 1), "1 task": Session(1, 2), "2 cores": Session(2, 2)}


@dataclass(frozen=True, slots=True)
class Run:
    """Seconds of each micro-batch after the warm-up, and a sum over the answers."""

    seconds: list[float]
    answers: tuple[int, int]


def measure(spark: SparkSession, exchanges: int, data: Data, folder: Path) -> Run:
    """Run a query over the data."""
    text = query(exchanges, data.rows)
    streams = {STREAM: host.parquet(spark, data.folder, files_per_trigger=FILES)}
    sink, trigger = host.Parquet(folder / "out"), {"availableNow": True}
    started = host.start(spark, text, streams, sink, folder / "checkpoint", trigger=trigger)
    started.awaitTermination()
    done = [p for p in started.recentProgress if p["numInputRows"]][data.batches // 3 :]
    seconds = [p["durationMs"]["triggerExecution"] / 1000 for p in done]
    return Run(seconds, fingerprint(spark.read.parquet(str(folder / "out"))))


def fingerprint(answers: DataFrame) -> tuple[int, int]:
    """How many answers, and a sum of their hashes: equal for equal bags."""
    results = answers.where("output = 'result'")
    columns = [name for name in results.columns if name not in ("output", "note")]
    row = results.select(F.count("*"), F.sum(F.xxhash64(*columns).cast("decimal(38)"))).first()
    assert row is not None
    return int(row[0]), int(row[1] or 0)


def compare(data: Data, rounds: int, work: Path) -> dict[tuple[int, str], float]:
    """Median seconds by exchanges and session."""
    seconds: dict[tuple[int, str], list[float]] = {}
    prints: dict[int, set[tuple[int, int]]] = {}
    for turn in range(rounds):
        for name, session in SESSIONS.items():
            spark = session.start(work)
            for exchanges in range(1, len(STEPS) + 1):
                folder = Path(tempfile.mkdtemp(dir=work))
                run = measure(spark, exchanges, data, folder)
                shutil.rmtree(folder)
                prints.setdefault(exchanges, set()).add(run.answers)
                if turn or rounds == 1:
                    seconds.setdefault((exchanges, name), []).extend(run.seconds)
                what = f"{exchanges} exchanges, {name}"
                print(f"  {what}: {statistics.median(run.seconds):.2f} s", file=sys.stderr)
            spark.stop()
    assert all(len(found) == 1 for found in prints.values()), f"the answers differ: {prints}"
    return {key: statistics.median(found) for key, found in seconds.items()}


def stages(exchanges: int, rows: int) -> int:
    """How many the plan has: what is measured must be what is said."""
    prepared = prepare(query(exchanges, rows))
    plan = build(prepared.plan, prepared.report, prepared.columns, prepared.clock)
    return len(plan.stages)


def main() -> None:
    """Measure, and print a table; with --json also one object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 400_000])
    parser.add_argument("--batches", type=int, default=36)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="ratios as JSON, on the last line")
    options = parser.parse_args()
    told = {}
    for rows in options.rows:
        found = one_size(rows, options)
        print(_text(found, rows, options), flush=True)
        told[str(rows)] = _object(found)
    if options.json:
        print(json.dumps(told))


def one_size(rows: int, options: argparse.Namespace) -> dict[tuple[int, str], float]:
    """All queries in all sessions, with so many rows a micro-batch."""
    for exchanges in range(1, len(STEPS) + 1):
        assert stages(exchanges, rows) == exchanges
    work = Path(tempfile.mkdtemp(prefix="askos-bench-"))
    try:
        data = Data(work / "data", rows, options.batches).write()
        return compare(data, options.rounds, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _text(found: dict[tuple[int, str], float], rows: int, options: argparse.Namespace) -> str:
    lines = [
        f"{options.batches} micro-batches of {rows:,} rows for each query, medians of the"
        f" last {options.batches - options.batches // 3}, round {options.rounds}",
        "",
        f"{'exchanges':12}{''.join(f'{name:>10}' for name in SESSIONS)}{'gain':>8}",
    ]
    for exchanges in range(1, len(STEPS) + 1):
        times = "".join(f"{found[exchanges, name]:>8.3f} s" for name in SESSIONS)
        lines.append(f"{exchanges:<12}{times}{_gain(found, exchanges):>7.2f}x")
    return "\n".join([*lines, ""])


def _gain(found: dict[tuple[int, str], float], exchanges: int) -> float:
    """What the second core gains."""
    return found[exchanges, "1 core"] / found[exchanges, "2 cores"]


def _object(found: dict[tuple[int, str], float]) -> dict[str, Any]:
    return {
        f"{exchanges} exchanges": {
            **{f"seconds_{name.replace(' ', '_')}": found[exchanges, name] for name in SESSIONS},
            "gain": _gain(found, exchanges),
        }
        for exchanges in range(1, len(STEPS) + 1)
    }


if __name__ == "__main__":
    main()
