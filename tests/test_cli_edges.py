"""The command where its surroundings fail: closed pipes, full disks, links in circles, Ctrl-C."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock, Mock

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.java_gateway import GatewayClient

from askos import cli
from askos.cli import main, on_spark
from tests.build import EX

QUERY = f"PREFIX : <{EX}> SELECT ?x FROM STREAM :s1 WINDOW RANGE 10 SLIDE 5 {{ ?x :p ?y }}"
LINE = f'<{EX.a}> <{EX.p}> "1" <urn:ms:1> .\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("q.rq").write_text(QUERY)
    Path("stream").mkdir()
    Path("stream/1.nq").write_text(LINE)
    return tmp_path


COMMAND = "import sys; from askos.__main__ import main; sys.exit(main())"


def by_itself(*arguments: str, stdout: int, code: str = COMMAND) -> tuple[int, str]:
    """The command in a process of its own: its exit code, and what it says on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(Path(cli.__file__).parents[2])},
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_who_reads_no_further_ends_the_command_without_a_word(folder: Path) -> None:
    """As in `askos parse q.rq | head -1`; the code is that of a process which SIGPIPE ends."""
    reader, writer = os.pipe()
    os.close(reader)
    assert by_itself("parse", "q.rq", stdout=writer) == (141, "")
    os.close(writer)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_what_cannot_be_written_is_told(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        code, told = by_itself("parse", "q.rq", stdout=full.fileno())
    assert code == 4
    assert told.splitlines() == [
        "askos: No space left on device",
        "hint: check that the path exists, is yours and has room",
    ]


def test_every_command_may_be_interrupted(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_run", interrupted)
    assert main(["parse", "q.rq"]) == 130
    assert capsys.readouterr().err == "askos: interrupted\n"


@pytest.mark.parametrize("module", ["askos.cli", "argparse", "askos.cli.run", "rdflib", "lark"])
def test_ctrl_c_while_the_command_is_loaded_ends_it_with_one_line(
    folder: Path, module: str
) -> None:
    """The first import of `module` is when it comes."""
    code = f"""
import os, signal, sys
from importlib.abc import MetaPathFinder

class Interrupter(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # tests may run in the background
sys.meta_path.insert(0, Interrupter())
from askos.__main__ import main
sys.exit(main())
"""
    assert by_itself("parse", "q.rq", stdout=subprocess.DEVNULL, code=code) == (
        130,
        "askos: interrupted\n",
    )


def test_ctrl_c_while_java_works_leaves_no_traceback(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """py4j logs that its call broke off: some of it by the root logger."""
    monkeypatch.setattr(logging.getLogger(), "filters", [])
    monkeypatch.setattr(logging.getLogger("py4j"), "level", logging.NOTSET)
    monkeypatch.setattr("pyspark.sql.SparkSession.getActiveSession", lambda: None)
    monkeypatch.setattr("askos.spark.session", Mock())
    client = MagicMock(deque=[])
    client._get_connection().send_command.side_effect = KeyboardInterrupt
    with on_spark.session(folder), pytest.raises(KeyboardInterrupt):
        GatewayClient.send_command(client, "a call")
    assert not caplog.records
    logging.error("other errors are told")
    assert len(caplog.records) == 1


# ---- streams and checkpoints that cannot be ------------------------------------------------------


def run(*arguments: str, host: str = "local") -> int:
    return main(["run", "q.rq", "--stream", f"{EX.s1}=stream", "--host", host, *arguments])


def told(code: int, expected: int, capsys: pytest.CaptureFixture[str]) -> str:
    """What was said: one line, and a hint."""
    assert code == expected
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("hint: ")
    return lines[0]


def test_a_link_in_a_circle_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("stream/loop.nq").symlink_to("loop.nq")
    said = told(run(), 3, capsys)
    assert said == "askos: stream/loop.nq: Too many levels of symbolic links"
    Path("stream/loop.nq").rename("stream/again")
    Path("stream/again").unlink()
    Path("stream/again").symlink_to(folder / "stream")
    assert "again is a link to a folder that it is in" in told(run(), 3, capsys)


def test_links_to_folders_are_followed_as_spark_does(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("stream").rename("elsewhere")
    Path("stream").mkdir()
    Path("stream/linked").symlink_to(folder / "elsewhere")
    assert run("--format", "csv") == 0
    assert capsys.readouterr().out.splitlines() == ["x,ts,te", f"{EX.a},1,10"]


def test_pages_of_parquet_that_are_damaged_are_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {name: [f"<{EX[name]}{n}>" for n in range(999)] for name in "spo"}
    pq.write_table(pa.table({**texts, "ts": range(999)}), "stream/2.parquet")
    data = bytearray(Path("stream/2.parquet").read_bytes())
    data[10:300] = b"\xff" * 290
    Path("stream/2.parquet").write_bytes(data)
    assert run() == 3
    assert "askos: stream/2.parquet cannot be read: " in capsys.readouterr().err


def test_a_file_in_place_of_a_checkpoint_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("taken").touch()
    said = told(run("--checkpoint", "taken", host="spark"), 4, capsys)
    assert said == "askos: File exists: taken"
    said = told(run("--checkpoint", "taken/below", host="spark"), 4, capsys)
    assert said == "askos: Not a directory: taken/below"


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '{"stamp": "data"}'])
def test_a_checkpoint_that_has_lost_its_files_is_told(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(on_spark, "session", stopped)
    assert run("--checkpoint", "kept", host="spark") == 130
    monkeypatch.setattr("askos.spark.checkpoint.resume", lambda *_: "what is stored")
    Path("kept/input.json").write_text(text)
    capsys.readouterr()
    said = told(run("--checkpoint", "kept", host="spark"), 2, capsys)
    assert said == "askos: checkpoint kept was made with other files, or stamps"
