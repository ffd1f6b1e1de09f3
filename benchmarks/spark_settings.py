"""What each setting of our Spark session gains: the join with all of them, and without one.

    python benchmarks/spark_settings.py [--rows 100000] [--batches 20] [--rounds 2] [--json]

The join is that of `spark_join.py`, at 100,000 and at 1,000 rows a micro-batch.  Some settings hold
for a whole JVM, so every session is a process of its own.  Sessions take turns: one with all
settings, then each with one left out, which then is as Spark has it by default; and so again.  The
first batches of a session, --warm-up 8, do not count; what is told is the median of the others, and
how many times as long it is as with all settings.  That all give the same answers is checked.
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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from unittest import mock

from askos import spark as host
from askos.spark import sessions
from benchmarks.daemon import LEFT_OUT
from benchmarks.joins import Data, ours
from benchmarks.spark_join import SMALL, clear, fingerprint

ALL: Final = "all settings"
_STORE: Final = "spark.sql.streaming.stateStore.rocksdb"
_JAVA: Final = "spark.driver.extraJavaOptions"
_QUICK: Final = "-XX:TieredStopAtLevel=1"
_CODE: Final = "-XX:ReservedCodeCacheSize=256m"
_PARALLEL: Final = "-XX:+UseParallelGC"
_DAEMON: Final = "spark.python.daemon.module"
_MANAGERS: Final = "org.apache.spark.sql.execution.streaming.checkpointing"


@dataclass(frozen=True, slots=True)
class Without:
    """A session without one of our settings: `instead` is what Spark has by default, `needed` is
    what queries are started with otherwise, `daemon` what the parent of workers leaves out, and
    `uncalled` a function of `askos.spark` that is not called."""

    instead: Mapping[str, str] = field(default_factory=dict)
    needed: str | None = None
    daemon: str | None = None
    uncalled: str | None = None


SESSIONS: Final = {
    ALL: Without(),
    "files without processes": Without(
        {"spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem"}
    ),
    "checkpoint file manager": Without(
        {
            "spark.sql.streaming.checkpointFileManagerClass": (
                f"{_MANAGERS}.FileContextBasedCheckpointFileManager"
            )
        }
    ),
    "forgetting what is unused": Without(uncalled="classes.forget_unused"),
    "names of files by our classes": Without(uncalled="classes._parts"),
    "folders as one source": Without(uncalled="inputs.usable"),
    "payloads in files": Without(uncalled="host.on_this_machine"),
    "no code of stages": Without(needed="spark.sql.codegen.wholeStage"),
    "no code of projections": Without(needed="spark.sql.codegen.factoryMode"),
    "sockets that are files": Without({"spark.python.unix.domain.socket.enabled": "false"}),
    "parallel collector": Without({_JAVA: f"{_QUICK} {_CODE}"}),
    "quick compiler alone": Without({_JAVA: _PARALLEL}),
    "  .. its room for code": Without({_JAVA: f"{_PARALLEL} {_QUICK}"}),
    "parent of workers": Without({_DAEMON: "pyspark.daemon"}),
    "  .. its frozen objects": Without({_DAEMON: "benchmarks.daemon"}, daemon="freeze"),
    "  .. its kept memory": Without({_DAEMON: "benchmarks.daemon"}, daemon="keep_freed_memory"),
    "changelog of state": Without(needed=f"{_STORE}.changelogCheckpointing.enabled"),
    "uncounted state": Without(needed=f"{_STORE}.trackTotalNumberOfRows"),
    "bounded memory of state": Without(needed=f"{_STORE}.boundedMemoryUsage"),
    "large Arrow batches": Without(needed="spark.sql.execution.arrow.maxRecordsPerBatch"),
}
"""All that is set for speed, or that might cost; what a query cannot do without is not here."""


# ---- one session -----------------------------------------------------------------------------


def run_session(name: str, sizes: Mapping[str, Data], warm_up: int, work: Path) -> dict[str, Any]:
    """The join at all sizes, in this process: seconds of micro-batches, and a sum of answers."""
    without = SESSIONS[name]
    if without.daemon:
        os.environ[LEFT_OUT] = without.daemon
    if without.uncalled:
        mock.patch(f"askos.spark.{without.uncalled}", return_value=None).start()
    runtimes: tuple[dict[str, str], ...] = (sessions.RUNTIME, sessions.INTERPRETED)
    for runtime in runtimes:
        runtime.pop(without.needed or "", None)
    spark = host.session(memory="4g", settings=without.instead, log=work / "spark.log")
    found: dict[str, Any] = {}
    for size, data in sizes.items():
        folder = Path(tempfile.mkdtemp(dir=work))
        query = ours(spark, data, folder)
        query.awaitTermination()
        batches = [p for p in query.recentProgress if p["numInputRows"]][warm_up:]
        seconds = [p["durationMs"]["triggerExecution"] / 1000 for p in batches]
        answers = fingerprint(spark.read.parquet(str(folder / "out")))
        found[size] = {"seconds": seconds, "answers": answers}
        clear(spark)
        shutil.rmtree(folder)
    spark.stop()
    return found


# ---- all of them -----------------------------------------------------------------------------


def compare(options: argparse.Namespace, work: Path) -> dict[str, dict[str, float]]:
    """The median seconds of a micro-batch, by session and size."""
    sizes = _sizes(options, work)
    for data in sizes.values():
        data.write()
    seconds: dict[str, dict[str, list[float]]] = {name: {} for name in SESSIONS}
    answers = set()
    for turn in range(options.rounds):
        for name in SESSIONS:
            got = _in_a_process(name, options, work)
            for size, measured in got.items():
                seconds[name].setdefault(size, []).extend(measured["seconds"])
                answers.add((size, *measured["answers"]))
            print(f"  {turn + 1} {name}: {_medians(seconds[name])}", file=sys.stderr, flush=True)
    assert len(answers) == len(sizes), f"the sessions differ: {answers}"
    return {name: _medians(found) for name, found in seconds.items()}


def _sizes(options: argparse.Namespace, work: Path) -> dict[str, Data]:
    return {
        "big": Data(work / "data" / "big", options.rows, options.batches),
        "small": Data(work / "data" / "small", SMALL, options.batches),
    }


def _in_a_process(name: str, options: argparse.Namespace, work: Path) -> dict[str, Any]:
    numbers = {"--rows": options.rows, "--batches": options.batches, "--warm-up": options.warm_up}
    given: Iterable[str] = (str(part) for pair in numbers.items() for part in pair)
    command = [sys.executable, "-m", "benchmarks.spark_settings", "--session", name, *given]
    command += ["--work", str(work)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=_ROOT)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


_ROOT: Final = Path(__file__).parents[1]


def _medians(found: Mapping[str, list[float]]) -> dict[str, float]:
    return {size: round(statistics.median(times), 4) for size, times in found.items()}


def ratios(found: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """How many times as long a micro-batch takes without each setting."""
    return {
        name: {size: round(own[size] / found[ALL][size], 3) for size in own}
        for name, own in found.items()
        if name != ALL
    }


def _text(found: Mapping[str, Mapping[str, float]], options: argparse.Namespace) -> str:
    gained = ratios(found)
    measured = (options.batches - options.warm_up) * options.rounds
    lines = [
        f"{options.batches} micro-batches a session, {options.rounds} rounds; medians of"
        f" {measured}; {os.cpu_count()} cores",
        "",
        f"{'':34}{f'{options.rows} rows':>17}{f'{SMALL} rows':>19}",
    ]
    for name, own in found.items():
        big, small = (gained[name][s] if name in gained else 1.0 for s in ("big", "small"))
        label = name if name == ALL else f"without {name}" if name[0] != " " else name
        lines.append(
            f"{label:34}{own['big']:>8.3f} s{big:>6.2f}x{own['small']:>10.3f} s{small:>6.2f}x"
        )
    return "\n".join(lines)


def main() -> None:
    """Measure, and print a table; with --json also one object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--warm-up", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="ratios as JSON, on the last line")
    parser.add_argument("--session", choices=SESSIONS, help="only this one, over data of --work")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.session:
        sizes = _sizes(options, options.work)
        print(json.dumps(run_session(options.session, sizes, options.warm_up, options.work)))
        return
    work = Path(tempfile.mkdtemp(prefix="askos-bench-"))
    try:
        found = compare(options, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(_text(found, options))
    if options.json:
        print(json.dumps({"ratios": ratios(found), "seconds": found}))


if __name__ == "__main__":
    main()
