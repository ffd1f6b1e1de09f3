"""Java that says nothing, fails, or is interrupted while it starts: no test starts a real one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from time import monotonic, sleep

import pytest

from askos import cli
from askos.spark import java
from tests.build import EX

QUERY = f"PREFIX : <{EX}> SELECT ?x FROM STREAM :s1 WINDOW RANGE 10 SLIDE 5 {{ ?x :p ?y }}"
LINE = f'<{EX.a}> <{EX.p}> "1" <urn:ms:1> .\n'
SILENT = "echo $$ > pid\nexec sleep 600"
SOON = 20


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("q.rq").write_text(QUERY)
    Path("s1.nq").write_text(LINE)
    Path("temporary").mkdir()
    return tmp_path


def start(script: str, patience: float = 60, temporary: str = "temporary") -> subprocess.Popen[str]:
    """The command in a process of its own, with a script for what starts Spark."""
    submit = Path("spark/bin/spark-submit")
    submit.parent.mkdir(parents=True)
    submit.write_text(f"#!/bin/sh\ncd '{Path.cwd()}'\n{script}\n")
    submit.chmod(0o755)
    # Where tests run in the background, SIGINT is ignored, and what they start inherits that.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        " from askos.cli import main; from askos.spark import java;"
        f" java.PATIENCE = {patience}; sys.exit(main())"
    )
    places = {
        "PYTHONPATH": str(Path(cli.__file__).parents[2]),
        "SPARK_HOME": str(Path("spark").absolute()),
        "TMPDIR": str(Path(temporary).absolute()),
    }
    return subprocess.Popen(
        [sys.executable, "-c", code, "run", "q.rq", "--stream", f"{EX.s1}=s1.nq"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={name: os.environ[name] for name in os.environ if name != "JAVA_HOME"} | places,
        start_new_session=True,
        text=True,
    )


def ended(command: subprocess.Popen[str]) -> tuple[int, list[str]]:
    """Its exit code, and what it said; nothing of it is left."""
    out, told = command.communicate(timeout=60)
    assert not out
    assert not list(Path("temporary").iterdir())
    return command.returncode, told.splitlines()


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def wait_for_pid() -> int:
    until, file = monotonic() + SOON, Path("pid")
    while not (file.exists() and file.read_text()):
        assert monotonic() < until
        sleep(0.05)
    return int(file.read_text())


def test_ctrl_c_ends_java_that_is_starting(folder: Path) -> None:
    command = start(SILENT)
    pid = wait_for_pid()
    os.killpg(command.pid, signal.SIGINT)  # as a terminal does: to Java too, which ignores it
    try:
        assert command.wait(SOON) == 130
        assert gone(pid)
        assert ended(command) == (130, ["askos: interrupted"])
    finally:
        if not gone(pid):
            os.kill(pid, signal.SIGKILL)


def test_java_that_says_nothing_is_not_waited_for_without_end(folder: Path) -> None:
    command = start(SILENT, patience=0.5)
    pid = wait_for_pid()
    try:
        code, (said, hint) = ended(command)
        assert (code, said) == (4, "askos: Spark's Java said nothing for 0 s")
        assert hint == (
            "hint: wait until the machine is less busy, or make room in"
            f" {folder / 'temporary'}; then try again"
        )
        assert gone(pid)
    finally:
        if not gone(pid):
            os.kill(pid, signal.SIGKILL)


def test_what_java_said_before_it_failed_is_told(folder: Path) -> None:
    """The log itself goes with the temporary folder."""
    code, (said, hint) = ended(start("echo 26/11/17 WARN a >&2; echo no Java here >&2; exit 1"))
    assert code == 4
    assert said.startswith("askos: Spark does not start: [JAVA_GATEWAY_EXITED]")
    assert hint.startswith("hint: it needs Java 17 or later, and on the PATH is ")
    assert hint.endswith("; it said: no Java here")


@pytest.mark.parametrize("place", ["missing", "q.rq"])
def test_without_a_temporary_folder_of_ones_own_java_starts_all_the_same(
    place: str, folder: Path
) -> None:
    code, (_, hint) = ended(start("echo no Java here >&2; exit 1", temporary=place))
    assert code == 4
    assert hint.endswith("; it said: no Java here")


def test_a_failure_of_java_that_is_known_is_told_as_such(folder: Path) -> None:
    thrown = "java.nio.file.FileSystemException: /tmp/spark-1: Read-only file system"
    code, (said, hint) = ended(start(f"echo {thrown} >&2; exit 1"))
    assert (code, said) == (4, "askos: Spark cannot write: Read-only file system")
    assert "Spark's temporary files" in hint


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_a_full_temporary_folder_is_told_before_java_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> object:
        return Path("/dev/full").open("wb", buffering=0)

    java.check_room()
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/full")
    with pytest.raises(OSError, match="No space left on device: '/full'"):
        java.check_room()
