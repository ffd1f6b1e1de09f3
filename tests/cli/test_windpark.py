"""`askos generate windpark`."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

from askos.cli import generate as command
from askos.cli import main

SMALL = ["--turbines", "3", "--hours", "1", "--files", "2"]


def windpark(out: Path, *options: str) -> int:
    return main(["generate", "windpark", str(out), *SMALL, *options])


def test_a_park_has_streams_graph_truth_and_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert windpark(tmp_path / "out", "--joining", "--layout", "openoa") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [
        ["scada", "nquads"],
        ["events", "nquads"],
        ["scada", "parquet"],
        ["events", "parquet"],
    ]
    there = {entry.name for entry in (tmp_path / "out").iterdir()}
    assert there >= {"nquads", "parquet", "openoa"}
    assert there >= {"park.ttl", "joining.ttl", "truth.csv", "park.json"}


def test_the_summary_comes_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert windpark(tmp_path / "out", "--json", "--format", "parquet", "--seed", "4") == 0
    said = json.loads(capsys.readouterr().out)
    assert said == json.loads((tmp_path / "out" / "park.json").read_text(encoding="utf-8"))
    assert (said["seed"], said["turbines"], said["joining"]) == (4, 3, False)


def test_force_replaces_a_park_and_nothing_else(tmp_path: Path) -> None:
    windpark(tmp_path, "--joining")
    (tmp_path / "mine.txt").write_text("mine")
    assert windpark(tmp_path) == 1
    assert windpark(tmp_path, "--force", "--format", "nquads") == 0
    there = sorted(entry.name for entry in tmp_path.iterdir())
    assert there == ["mine.txt", "nquads", "park.json", "park.ttl", "strays", "truth.csv"]


@pytest.mark.parametrize("layout", ["openoa", "kelmarsh"])
def test_a_query_reads_what_was_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], layout: str
) -> None:
    windpark(tmp_path / "out", "--layout", layout, "--format", "parquet")
    query = tmp_path / "oil.rq"
    query.write_text(
        "PREFIX wtrm: <http://iec.org/61400-25/root/ln/classes/WTRM#> "
        "SELECT ?turbine (COUNT(*) AS ?n) FROM STREAM <urn:oil> WINDOW RANGE 1 DAY FIXED "
        "WHERE { ?turbine wtrm:TrmTmpGbxOil ?oil } GROUP BY ?turbine HAVING (COUNT(*) = 6)"
    )
    capsys.readouterr()
    stream = ["--stream", f"urn:oil={tmp_path / 'out' / layout}", "--csv-map", layout]
    assert main(["run", str(query), *stream, "--host", "local", "--format", "csv"]) == 0
    told = capsys.readouterr().out
    assert {f"http://wind.example/T0{n},6" in told for n in (1, 2, 3)} == {True}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--turbines=0"], "turbines must be a whole number >= 1, not 0"),
        (["--interval=7"], "interval must divide a minute"),
        (["--files=0"], "files must be"),
        (["--live=60"], "a live park is written in one format"),
        (["--live=0", "--format=nquads"], "--live needs a speed above 0"),
        (["--live=9", "--format=nquads", "--layout=openoa"], "a live park has no layouts of CSV"),
    ],
)
def test_what_makes_no_sense_is_told_before_anything_is_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    (tmp_path / "park.ttl").write_text("mine")
    assert windpark(tmp_path, "--force", *options) == 2
    assert message in capsys.readouterr().err
    assert (tmp_path / "park.ttl").read_text() == "mine"


def test_a_live_park_comes_part_by_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(command, "_paced", lambda speed: waited.append)
    assert windpark(tmp_path / "out", "--live", "3600", "--format", "parquet") == 0
    assert waited == [1860.0, 3720.0]
    told = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in told] == ["part 1 of 2", "part 2 of 2"]
    assert len(list((tmp_path / "out" / "parquet" / "scada").iterdir())) == 2


def test_time_passes_as_fast_as_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    now, slept = [100.0], list[float]()
    clock = Namespace(monotonic=lambda: now[0], sleep=slept.append)
    monkeypatch.setattr(command, "time", clock)
    wait = command._paced(60)
    wait(120.0)
    now[0] = 103.0
    wait(120.0)
    assert slept == [2.0, 0.0]
