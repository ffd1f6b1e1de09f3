"""`askos run` on Spark: what the local host prints, and checkpoints."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from askos import spark as host
from askos.cli import main
from askos.cli.on_spark import _Watch
from askos.cli.telling import Live
from askos.prepared import prepare
from askos.terms import Literal, Solution, Variable
from tests.build import EX

INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
WINDOW = "WINDOW RANGE 10 SLIDE 5"
FORMS = {
    "csv": f"SELECT ?x ?y FROM STREAM :s1 {WINDOW} {{ ?x :p ?y FILTER (?y > 1) }}",
    "nq": f"CONSTRUCT {{ ?x :seen ?y }} FROM STREAM :s1 {WINDOW} {{ ?x :p ?y }}",
    "xml": f"DESCRIBE ?x FROM STREAM :s1 {WINDOW} FROM :g {{ ?x :p ?y FILTER (?y > 1) }}",
    "json": f"ASK FROM STREAM :s1 {WINDOW} {{ ?x :p ?y FILTER (?y > 2) }}",
}


OPTIONS = ("--format", "tsv", "--stamp", "arrival")


def line(subject: str, value: int, at: int) -> str:
    return f'<{EX[subject]}> <{EX.p}> "{value}"{INTEGER} <urn:ms:{at}> .\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stream in files of both kinds, out of order, with a line that is no statement."""
    monkeypatch.chdir(tmp_path)
    deeper = tmp_path / "stream" / "deeper"
    deeper.mkdir(parents=True)
    (tmp_path / "stream" / "1.nq").write_text(line("a", 1, 51) + "rubbish\n" + line("b", 3, 7))
    (tmp_path / "stream" / ".hidden.nq").write_text("not looked at\n")
    rows = {"s": [f"<{EX.a}>"], "p": [f"<{EX.p}>"], "o": [f'"2"{INTEGER}']}
    ts = pa.array([3000], pa.timestamp("us", "UTC"))
    pq.write_table(pa.table({**rows, "ts": ts}), deeper / "2.parquet")
    (tmp_path / "static.ttl").write_text(f"<{EX.a}> <{EX.name}> 'A' .")
    return tmp_path


def write_query(text: str) -> None:
    Path("query.rq").write_text(f"PREFIX : <{EX}> {text}")


def run(*arguments: str) -> int:
    streams = ["--stream", f"{EX.s1}=stream", "--static", f"{EX.g}=static.ttl"]
    return main(["run", "query.rq", *streams, *arguments])


@pytest.mark.parametrize("kind", FORMS)
def test_spark_prints_what_the_local_host_prints(
    kind: str, spark: SparkSession, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_query(FORMS[kind])
    assert run("--format", kind, "--host", "local") == 0
    want = capsys.readouterr()
    assert "1 row refused" in want.err
    assert run("--format", kind) == 0
    got = capsys.readouterr()
    assert got.out == want.out
    assert len(got.out.splitlines()) > 2 or kind == "json"
    assert "1 row refused" in got.err
    assert "rubbish" in got.err


def test_a_run_that_was_stopped_goes_on_and_one_that_ended_says_so(
    spark: SparkSession,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_query(FORMS["csv"])
    arguments = ("--format", "csv", "--checkpoint", "kept")

    def stopped(*given: Any, watch: object, **options: Any) -> None:
        query = host.start(*given, **options)
        host.drain(query)
        query.stop()
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(host, "run", stopped)
        assert run(*arguments) == 130
    assert "the same command goes on where it stopped" in capsys.readouterr().err
    (folder / "stream" / "3.nq").write_text(line("c", 5, 20))
    assert run(*arguments) == 0
    first = capsys.readouterr()
    assert main(["run", "query.rq", "--stream", f"{EX.s1}=stream/1.nq", *arguments]) == 2
    assert "was made with other files" in capsys.readouterr().err
    assert run(*arguments) == 0
    again = capsys.readouterr()
    assert again.out == first.out
    assert "had come to its end before" in again.err
    assert run("--format", "csv", "--host", "local") == 0
    assert capsys.readouterr().out == first.out
    (folder / "stream" / "4.nq").write_text(line("d", 5, 60))
    assert run(*arguments) == 3
    assert "rows came after the end of input" in capsys.readouterr().err
    write_query(FORMS["nq"])
    assert run(*arguments) == 2
    assert "was made with another query" in capsys.readouterr().err


def test_late_rows_are_told_if_lateness_is_given(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Files are read in the order of their age, sixteen at a time."""
    monkeypatch.chdir(tmp_path)
    Path("stream").mkdir()
    Path("static.ttl").write_text("")
    for number in range(17):
        file = Path("stream") / f"{number}.nq"
        file.write_text(line("a", 2, 100 if number < 16 else 5))
        os.utime(file, (number, number))
    write_query(FORMS["csv"])
    assert run("--format", "csv", "--lateness", "50") == 0
    told = capsys.readouterr()
    assert "1 row late: give a larger --lateness, or none" in told.err
    assert {row.split(",")[2] for row in told.out.splitlines()[1:]} == {"100"}


def test_answers_are_read_back_and_progress_is_counted(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_query(FORMS["csv"])
    (folder / "stream" / "1.nq").rename("one [1].nq")
    said: list[str] = []
    monkeypatch.setattr(Live, "say", lambda _, text: said.append(text))
    query = prepare(Path("query.rq").read_text())
    streams = {source: host.nquads(spark, "one [1].nq") for source in query.streams}
    watch = _Watch(Live(quiet=True), folder / "kept", query)
    host.run(spark, query, streams, host.Parquet("kept/answers"), "kept", watch=watch)
    (element,) = host.elements(spark, "kept/answers", query)
    assert isinstance(element.item, Solution)
    assert element.item[Variable("y")] == Literal(3)
    assert said[-1] == "rows: 3  micro-batches: 2  answers: 1"
    assert not list(host.elements(spark, "nowhere", query))


def test_the_command_by_itself_keeps_the_terminal_clean(folder: Path) -> None:
    write_query(FORMS["csv"])
    file = folder / "one.nt"
    file.write_text(f'<{EX.a}> <{EX.p}> "2"{INTEGER} .\n')
    done = subprocess.run(
        [sys.executable, "-m", "askos", "run", "query.rq", "--stream", f"{EX.s1}={file}", *OPTIONS],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    heading, row = done.stdout.splitlines()
    assert heading.split("\t") == ["?x", "?y", "?ts", "?te"]
    assert row.startswith(f"<{EX.a}>\t2\t")
    assert not list(folder.glob("askos-*"))
    assert not [p for p in folder.iterdir() if p.name in ("spark-warehouse", "metastore_db")]
