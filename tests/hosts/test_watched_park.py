"""`askos demo` on a small park: the jobs agree with the truth, and the page shows it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from askos.cli import main
from askos.demo.folder import Folder
from askos.demo.running import run_jobs
from askos.demo.showing import html, joined, summary
from askos.generate.jobs import jobs
from askos.generate.park import Park
from askos.generate.simulate import simulate
from askos.generate.writing import Wanted, write_park
from tests.pages import DOCS

CHOSEN = ("over-temperature", "silent")


def test_jobs_find_what_happened_and_a_turbine_joins(spark: SparkSession, tmp_path: Path) -> None:
    made = simulate(Park(turbines=6, hours=8, joining=True, seed=3))
    write_park(made, tmp_path / "park", Wanted(("parquet",), 2))
    known, told = [jobs()[name] for name in CHOSEN], list[str]()
    run = run_jobs(spark, Folder(tmp_path / "park"), known, tmp_path / "checkpoint", told.append)
    assert any("joins" in line for line in told)
    assert [score.kind for score in run.scores] == ["gearbox-overtemperature", "silent"]
    assert [score.hits for score in run.scores] == [score.faults for score in run.scores]
    assert run.scores[0].faults
    assert made.park.names[-1] in joined(run)
    assert "triples a second" in html(run, known, [])
    assert any("gearbox-overtemperature" in line for line in summary(run))


@pytest.mark.thorough
def test_a_run_that_was_interrupted_goes_on_and_says_the_same(
    spark: SparkSession, tmp_path: Path
) -> None:
    made = simulate(Park(turbines=6, hours=8, joining=True, seed=3))
    write_park(made, tmp_path / "park", Wanted(("parquet",), 2))
    folder, known, told = Folder(tmp_path / "park"), [jobs()[CHOSEN[0]]], list[str]()

    def interrupt(line: str) -> None:
        if line.startswith("part 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_jobs(spark, folder, known, tmp_path / "checkpoint", interrupt)
    run = run_jobs(spark, folder, known, tmp_path / "checkpoint", told.append)
    assert not any("joins" in line for line in told)  # it was told before
    assert [(score.recall, score.precision) for score in run.scores] == [(1.0, 1.0)]
    assert any("was interrupted" in line for line in summary(run))
    again = run_jobs(spark, folder, known, tmp_path / "checkpoint", told.append)
    assert again.alerts == run.alerts


@pytest.mark.soak
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="kills a group of processes")
def test_the_proof_finds_no_difference(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "proof", "--proof"]) == 0
    told = capsys.readouterr().out
    if request.config.getoption("update_golden"):
        page = (DOCS / "demo.md").read_text(encoding="utf-8").replace(proof(), told)
        (DOCS / "demo.md").write_text(page, encoding="utf-8")
        (DOCS / "proof.txt").write_text(told, encoding="utf-8")
    assert told == proof()


def proof() -> str:
    return (DOCS / "proof.txt").read_text(encoding="utf-8")


def test_the_page_shows_the_proof() -> None:
    assert f"```text\n{proof()}```" in (DOCS / "demo.md").read_text(encoding="utf-8")


@pytest.mark.soak
def test_the_command_writes_a_page(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "out", "--turbines", "4", "--hours", "4"]) == 0
    told = capsys.readouterr().out
    assert "report.html in a browser" in told
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "rows</text>" in page
    assert main(["demo", "out"]) == 1
    assert "out holds a demo that is done" in capsys.readouterr().err
