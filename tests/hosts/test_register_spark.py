"""Queries that join others of their kind on Spark itself: from another process, over restarts, and
through kill -9."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from askos import spark as host
from askos.algebra import Answer
from askos.prepared import prepare
from askos.spark.host import stopping
from askos.spark.logs import control_files, control_logs, last_in
from askos.spark.sources import Reader
from askos.terms import Solution, Variable
from tests.build import EX, S1
from tests.hosts import register_victim as victim
from tests.hosts.moments import arrivals, judge
from tests.hosts.test_kill import LONG, ROOT, kill_in_the_middle, start
from tests.hosts.three import READERS, table

REPORT = "SELECT ?v FROM STREAM <wind> [RANGE 10ms STEP 10ms] {{ <{}> <speed> ?v }}"


def texts(*turbines: str) -> dict[str, str]:
    return {turbine: REPORT.format(turbine) for turbine in turbines}


def rows(answers: Iterable[Answer]) -> dict[int, list[str]]:
    return {a.at: sorted(map(value, a.rows)) for a in answers if a.rows}


def value(row: object) -> str:
    assert isinstance(row, Solution)
    return str(row[Variable("v")])


@pytest.mark.thorough
@pytest.mark.parametrize("reader", READERS)
def test_another_process_lets_a_query_join_which_goes_on_after_a_restart(
    reader: Reader, spark: SparkSession, tmp_path: Path
) -> None:
    checkpoint, answers, data = tmp_path / "checkpoint", tmp_path / "answers", tmp_path / "wind"
    data.mkdir()

    def blow(number: int, **values: int) -> None:
        at = 10 * number - 5
        lines = (f'<{EX}{t}> <{EX}speed> "{v}" <urn:ms:{at}> .\n' for t, v in values.items())
        (data / f".{number}").write_text("".join(lines), "utf-8")
        os.replace(data / f".{number}", data / f"{number}.nq")

    frames = {EX.wind: host.nquads(spark, data, reader=reader)}
    sink = host.Parquet(answers)
    begun = host.start(spark, texts("T1", "T2"), frames, sink, checkpoint, base=str(EX))
    with stopping(begun):
        blow(1, T1=1, T2=2, T3=3)
        host.drain(begun)
        query = tmp_path / "third.rq"
        query.write_text(REPORT.format("T3"))
        command = ["register", str(checkpoint), str(query), "--name", "T3", "--base", str(EX)]
        done = subprocess.run(
            [sys.executable, "-m", "askos", *command], cwd=ROOT, capture_output=True, text=True
        )
        assert done.stdout == f"T3 joins the queries of {checkpoint}\n", done.stderr
        blow(2, T1=4, T2=5, T3=6)
        host.drain(begun)
    blow(3, T1=7, T2=8, T3=9, T4=10)
    given = texts("T4", "T2", "T1")
    followed: dict[str, list[Answer]] = {}
    told = host.follow(spark, given, frames, answers, checkpoint, base=str(EX))
    for name, answer in told:
        followed.setdefault(name, []).append(answer)
    want = {
        "T1": {10: ["1"], 20: ["4"], 30: ["7"]},
        "T2": {10: ["2"], 20: ["5"], 30: ["8"]},
        "T3": {20: ["6"], 30: ["9"]},
        "T4": {30: ["10"]},
    }
    assert {name: rows(found) for name, found in followed.items()} == want
    third = host.reports(spark, answers, REPORT.format("T3"), name="T3", base=str(EX))
    assert rows(third) == want["T3"]


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_kill_9_while_a_query_joins_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """It is registered when a micro-batch has been killed that has not heard of it, and the next
    one that is killed has."""
    (tmp_path / "rows").mkdir()
    for file in range(victim.FILES):
        path = tmp_path / "rows" / f"{file:03}.parquet"
        pq.write_table(table(victim.rows(file)), path)
        os.utime(path, (1_700_000_000 + file,) * 2)
    kill_in_the_middle(tmp_path, 2, victim.__name__)
    checkpoint = tmp_path / "checkpoint"
    killed = last_in(checkpoint / "offsets")
    assert host.Control(checkpoint).register(victim.text("t3")) == "t3"
    kill_in_the_middle(tmp_path, killed + 1, victim.__name__)
    assert start(tmp_path, victim.__name__).wait(LONG) == 0, (tmp_path / "victim.log").read_text()
    heard = first_that_heard(checkpoint)
    assert heard == killed + 1
    for name in ("t1", "t2", "t3"):
        query = prepare(victim.text(name), sources=victim.KNOWN)
        seen = range(heard if name == "t3" else 0, victim.FILES)
        want = judge(query, [arrivals(S1, *victim.rows(file)) for file in seen])
        found = host.reports(spark, tmp_path / "out", query, name=name)
        assert rows(want)
        assert rows(found) == rows(want)


def first_that_heard(checkpoint: Path) -> int:
    """The micro-batch from which on the registration counts; each reads one file."""
    batches = range(last_in(checkpoint / "offsets") + 1)
    return next(
        batch
        for batch in batches
        for log in control_logs(checkpoint, batch)
        if any(name.startswith("register-") for name in control_files(*log))
    )
