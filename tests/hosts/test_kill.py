"""kill -9 of the driver, its JVM and its workers in the middle of a micro-batch."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from askos.algebra import first_difference
from askos.local import run
from askos.physical import build
from tests.build import S1, S2
from tests.hosts import victim
from tests.hosts.strategies import LATENESS
from tests.hosts.three import elements, table

ROOT = Path(__file__).parents[2]
VICTIM = victim.__name__
ALL = 4  # the driver, the JVM, the workers' parent and a worker
LONG = 300.0  # seconds after which a victim that neither ends nor reaches its batch is stuck


def descendants(pid: int) -> list[int]:
    """The process and all below it, as /proc tells."""
    parents = {}
    for entry in Path("/proc").iterdir():
        try:
            status = (entry / "stat").read_text() if entry.name.isdigit() else ""
        except OSError:
            continue
        if status:
            parents[int(entry.name)] = int(status.rpartition(")")[2].split()[1])
    found = [pid]
    for parent in found:
        found += [child for child, of in parents.items() if of == parent]
    return found


def start(folder: Path, module: str = VICTIM) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", module, str(folder)]
    with open(folder / "victim.log", "ab") as log:
        return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)


def batches(folder: Path, which: str) -> int:
    return len(list((folder / "checkpoint" / which).glob("[0-9]*")))


def kill_in_the_middle(folder: Path, after: int, module: str = VICTIM) -> None:
    """Start, and kill everything once a batch after `after` committed ones is under way: also one
    that was under way when the last driver was killed, as soon as workers are at it."""
    process = start(folder, module)
    deadline = time.monotonic() + LONG
    while (
        batches(folder, "commits") < after
        or batches(folder, "offsets") <= batches(folder, "commits")
        or len(descendants(process.pid)) < ALL
    ):
        assert process.poll() is None, (folder / "victim.log").read_text()
        assert time.monotonic() < deadline, (folder / "victim.log").read_text()
        time.sleep(0.02)
    time.sleep(0.2)
    for pid in descendants(process.pid):
        with suppress(ProcessLookupError):  # one that has just ended by itself
            os.kill(pid, signal.SIGKILL)
    process.wait()


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_kill_9_in_the_middle_of_a_batch_changes_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    streams = {source: [victim.rows(source, i) for i in range(victim.FILES)] for source in (S1, S2)}
    for source, name in ((S1, "one"), (S2, "two")):
        (tmp_path / name).mkdir()
        for number, rows in enumerate(streams[source]):
            file = tmp_path / name / f"{number:03}.parquet"
            pq.write_table(table(rows), file)
            os.utime(file, (1_700_000_000 + number,) * 2)
    kill_in_the_middle(tmp_path, after=2)
    kill_in_the_middle(tmp_path, after=5)
    assert start(tmp_path).wait(LONG) == 0, (tmp_path / "victim.log").read_text()
    assert batches(tmp_path, "commits") > victim.FILES
    found = spark.read.parquet(str(tmp_path / "out")).collect()
    assert {row["output"] for row in found} == {"result"}
    got = elements([row.asDict() for row in found], build(victim.plan()))
    whole = {source: [row for rows in files for row in rows] for source, files in streams.items()}
    uninterrupted = run(victim.plan(), whole, lateness=LATENESS)
    assert first_difference(uninterrupted, got) is None
