"""Static graphs reloaded on Spark, judged by another engine; and through kill -9."""

from __future__ import annotations

import os
import re
from pathlib import Path
from time import monotonic, sleep

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from askos import spark as host
from askos.cli import main
from askos.prepared import prepare
from askos.sources import Catalogue
from askos.spark.answers import RELOADS, REPORTS, RESULTS
from askos.terms import Solution, Triple, URIRef, Variable, n3
from tests.build import S1
from tests.hosts import reload_victim as victim
from tests.hosts.reload_victim import LIMITS, PARK
from tests.hosts.test_kill import LONG, kill_in_the_middle, start
from tests.hosts.three import SparkRun, Told, built, table, told

CHANGES = ((PARK, victim.park(1)), (LIMITS, victim.limits(1)), (PARK, victim.park(2)))
QUERY = prepare(victim.TEXT, sources=victim.sources())


def check(spark: SparkSession, out: Path) -> None:
    """Every report equals what another engine answers on exactly one pair of versions."""
    found = [row.asDict() for row in spark.read.parquet(str(out)).collect()]
    notes = sorted((r["note"], r["at"]) for r in found if r["output"] == RELOADS)
    starts = {int(re.findall(r"reload (\d+)", note)[0]): at for note, at in notes}
    versions = {PARK: [(0, victim.park(0))], LIMITS: [(0, victim.limits(0))]}
    for number, (graph, triples) in enumerate(CHANGES, 1):
        versions[graph].append((starts[number], triples))
    answers = told([r for r in found if r["output"] in (RESULTS, REPORTS)], built(QUERY))
    last = (victim.FILES * 15 + 30) // victim.EVERY
    assert len(answers) in (last - 1, last)
    _judge(answers, versions)


def _judge(answers: Told, versions: dict[URIRef, list[tuple[int, list[Triple]]]]) -> None:
    for answer in answers:
        rows = {_row(solution) for solution in answer.rows}
        assert rows == victim.by_another_engine(answer.at, versions), answer.at


def _row(solution: Solution) -> tuple[str, str]:
    return n3(solution[Variable("site")]), n3(solution[Variable("high")])


@pytest.mark.thorough
def test_two_joined_graphs_are_reloaded_mid_stream(spark: SparkSession, tmp_path: Path) -> None:
    assert len(built(QUERY).stages) == 2
    run = SparkRun(spark, QUERY, tmp_path)
    control = host.Control(run.checkpoint)
    for file in range(victim.FILES):
        run.push(S1, victim.rows(file))
        if file in (2, 3, 5):
            number = (2, 3, 5).index(file)
            assert control.reload(*CHANGES[number]) == number + 1
        if file == 3:
            run.restart()
    run.end()
    check(spark, run.out)


@pytest.mark.thorough
def test_a_file_that_has_changed_is_reloaded_by_the_driver(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Once a file is another one, the driver tells; how soon depends on its timer alone."""
    file = tmp_path / "limits.nt"
    write(file, victim.limits(0))
    known = Catalogue().stream(S1).graph(PARK, victim.park(0)).graph(LIMITS, file, every_ms=50)
    run = SparkRun(spark, prepare(victim.TEXT, sources=known), tmp_path)
    run.push(S1, victim.rows(0))
    write(file, victim.limits(1))
    deadline = monotonic() + LONG
    while not any(run.checkpoint.glob("control/reload-*.json")):
        assert monotonic() < deadline
        sleep(0.05)
    run.push(S1, victim.rows(1))
    run.end()
    (row,) = run.rows(RELOADS)
    assert "limits>, reload 1: counts from" in row["note"]


def write(file: Path, triples: list[Triple]) -> None:
    """Whole or not at all, as one should replace a file that others read."""
    new = file.with_suffix(".new")
    new.write_text("".join(f"{' '.join(map(n3, triple))} .\n" for triple in triples))
    os.replace(new, file)


@pytest.mark.soak
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes in /proc")
def test_kill_9_between_and_during_reloads_changes_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    """One reload is heard in the micro-batch that is killed, the others by who goes on."""
    (tmp_path / "rows").mkdir()
    for file in range(victim.FILES):
        path = tmp_path / "rows" / f"{file:03}.parquet"
        pq.write_table(table(victim.rows(file)), path)
        os.utime(path, (1_700_000_000 + file,) * 2)
    kill_in_the_middle(tmp_path, 2, victim.__name__)
    control = host.Control(tmp_path / "checkpoint")
    control.reload(*CHANGES[0])
    kill_in_the_middle(tmp_path, 2, victim.__name__)
    control.reload(*CHANGES[1])
    graph = tmp_path / "park.nt"
    write(graph, CHANGES[2][1])
    assert main(["reload", str(control.checkpoint), f"{PARK}={graph}"]) == 0
    assert start(tmp_path, victim.__name__).wait(LONG) == 0, (tmp_path / "victim.log").read_text()
    check(spark, tmp_path / "out")
