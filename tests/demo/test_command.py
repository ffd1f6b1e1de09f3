"""What `askos demo` says of a folder that is not empty."""

from __future__ import annotations

from pathlib import Path

import pytest

from askos.cli import main
from askos.generate.park import Park
from askos.generate.simulate import simulate
from askos.generate.writing import Wanted, write_park


def refused(out: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main(["demo", str(out), *options]) == 1
    return capsys.readouterr().err


def test_a_folder_with_other_files_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "letter.txt").touch()
    assert f"{tmp_path} is not empty" in refused(tmp_path, capsys)


def test_a_demo_that_is_done_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.html").touch()
    said = refused(tmp_path, capsys)
    assert "holds a demo that is done" in said
    assert "--force" in said


def test_an_unfinished_demo_goes_on_with_its_own_park_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = simulate(Park(turbines=2, hours=1, joining=True, seed=5))
    write_park(made, tmp_path / "park", Wanted(("parquet",), 2))
    said = refused(tmp_path, capsys, "--turbines", "2", "--hours", "1", "--seed", "6")
    assert "holds an unfinished demo of another park" in said
    assert "--seed as before" in said
