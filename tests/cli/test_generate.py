"""`askos generate`, and the command itself."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

from askos import __version__
from askos.cli import main

SMALL = ["--turbines", "2", "--minutes", "3", "--files", "2"]


def generate(out: Path, *options: str) -> int:
    return main(["generate", "readings", str(out), *SMALL, *options])


def test_generating_prints_a_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate(tmp_path / "out") == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split() == ["stream", "format", "rows", "files", "first", "last", "folder"]
    assert [line.split()[:2] for line in lines] == [
        ["scada", "nquads"],
        ["events", "nquads"],
        ["scada", "parquet"],
        ["events", "parquet"],
    ]
    # 2 turbines, 2 triples, every 10 s for 3 min
    assert lines[0].split()[2:4] == ["72", "2"]
    assert lines[0].endswith(str(tmp_path / "out" / "nquads" / "scada"))
    assert (tmp_path / "out" / "nquads" / "scada" / "part-00000.nq").exists()


def test_the_summary_comes_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--json", "--format", "parquet", "--start", "2026-06-01T02:00:00+02:00"]
    assert generate(tmp_path / "out", "--seed", "9", *options) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["park"] == {
        "turbines": 2,
        "minutes": 3,
        "seed": 9,
        "start": 1780272000000,
        "interval": 10,
        "lateness": 30,
    }
    assert [each["stream"] for each in summary["streams"]] == ["scada", "events"]
    assert summary["streams"][0]["folder"] == str(tmp_path / "out" / "parquet" / "scada")
    assert not (tmp_path / "out" / "nquads").exists()


@pytest.mark.parametrize("form", ["nquads", "parquet"])
@pytest.mark.parametrize(
    ("failure", "code", "said"),
    [
        (OSError(errno.ENOSPC, "Error writing bytes"), 4, "No space left on device: {}"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
    ids=["full disk", "Ctrl-C"],
)
def test_what_could_not_be_written_as_a_whole_is_removed_so_that_the_command_may_be_given_again(
    failure: BaseException,
    code: int,
    said: str,
    form: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """At its second file."""
    with monkeypatch.context() as patched:
        for place in ("write_nquads", "pq.write_table"):
            patched.setattr(f"askos.generate.windpark.{place}", Mock(side_effect=[None, failure]))
        patched.setattr("askos.generate.windpark.os.utime", Mock())
        assert generate(tmp_path / "out", "--format", form) == code
    second = tmp_path / "out" / form / "scada" / f"part-00001.{form.replace('nquads', 'nq')}"
    assert capsys.readouterr().err.splitlines()[0] == f"askos: {said.format(second)}"
    assert not list((tmp_path / "out").iterdir())
    assert generate(tmp_path / "out", "--format", form) == 0


@pytest.mark.parametrize("start", ["1780272000000", "2026-06-01", "2026-06-01T00:00:00Z"])
def test_a_start_is_milliseconds_or_iso(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], start: str
) -> None:
    assert generate(tmp_path / "out", "--json", "--start", start) == 0
    assert json.loads(capsys.readouterr().out)["park"]["start"] == 1780272000000


def test_an_empty_folder_is_welcome(tmp_path: Path) -> None:
    assert generate(tmp_path) == 0


def test_a_folder_with_anything_in_it_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    assert generate(tmp_path) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"askos: {tmp_path} is not empty\nhint: ")
    assert "--force" in told
    assert [file.name for file in tmp_path.iterdir()] == ["mine.txt"]


def test_force_replaces_the_streams_and_nothing_else(tmp_path: Path) -> None:
    generate(tmp_path)
    (tmp_path / "mine.txt").write_text("mine")
    assert generate(tmp_path, "--force", "--format", "nquads", "--files", "1") == 0
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["mine.txt", "nquads"]
    assert len(list((tmp_path / "nquads" / "scada").iterdir())) == 1


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--turbines=0", "askos: turbines must be a whole number >= 1, not 0"),
        ("--files=0", "askos: files must be a whole number >= 1, not 0"),
        ("--interval=181", "askos: interval must be at most the 180 s that the park runs"),
    ],
)
def test_a_wrong_number_is_told_before_anything_is_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, message: str
) -> None:
    generate(tmp_path)
    assert generate(tmp_path, "--force", option) == 2
    assert capsys.readouterr().err.startswith(message)
    assert (tmp_path / "parquet" / "scada").exists()


def test_a_place_that_cannot_be_written_to_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert generate(tmp_path / "file") == 4
    told = capsys.readouterr().err
    assert told.startswith("askos: Not a directory: ")
    assert "hint: check that the path" in told


@pytest.mark.parametrize("arguments", [[], ["generate"], ["dance"], ["generate", "readings"]])
def test_wrong_usage_is_told(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: askos" in capsys.readouterr().err


def test_a_start_that_is_no_time_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        generate(tmp_path / "out", "--start", "soon")
    assert "'soon' is no time; write 2026-06-01T00:00:00Z" in capsys.readouterr().err


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"askos {__version__}\n"


def test_the_package_runs_as_a_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "askos", "generate", "readings", str(tmp_path / "out"), *SMALL]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("stream")
    assert (tmp_path / "out" / "parquet" / "scada").is_dir()


def test_importing_the_command_loads_nothing_heavy() -> None:
    heavy = ["lark", "numpy", "pyarrow", "pandas", "pyspark", "rdflib"]
    check = f"import sys, askos.cli; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
