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
from askos.cli.telling import Live
from askos.cli.watching import Watch
from askos.planning import physical
from askos.prepared import prepare
from askos.spark import Control
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


@pytest.mark.thorough
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


STEPPED = "FROM STREAM :s1 [RANGE 10 STEP 5]"
REPORTS = {
    "table": (f"SELECT ?x ?y {STEPPED} {{ ?x :p ?y }} ORDER BY DESC(?y)", []),
    "json": ("SELECT ?x { STREAM :s1 [RANGE 10 SLIDE 5] { ?x :p ?y } }", ["--no-nonempty"]),
    "csv": (
        "SELECT ?x FROM NAMED WINDOW :w ON :s1 [RANGE 10 STEP 5] { WINDOW :w { ?x :p ?y } }",
        ["--report", "istream", "--every", "10ms", "--every", "4ms", "--origin", "3"],
    ),
    "nq": (f"CONSTRUCT {{ ?x :seen ?y }} {STEPPED} {{ ?x :p ?y }}", ["--boundary", "[o,c)"]),
    "xml": (f"ASK {STEPPED} {{ ?x :p ?y FILTER (?y > 2) }}", ["--report", "dstream"]),
}


@pytest.mark.thorough
@pytest.mark.parametrize("kind", REPORTS)
def test_reports_on_spark_are_those_of_the_local_host(
    kind: str, spark: SparkSession, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "stream" / "deeper" / "2.parquet").unlink()  # hours later, and so many reports
    text, options = REPORTS[kind]
    write_query(text)
    assert run("--format", kind, "--host", "local", *options) == 0
    want = capsys.readouterr()
    assert len(want.out.splitlines()) >= 3
    assert run("--format", kind, *options) == 0
    got = capsys.readouterr()
    assert got.out == want.out
    assert "1 row refused" in got.err


@pytest.mark.thorough
def test_reports_are_told_when_their_batch_is_committed_and_again_by_the_next_command(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Sixteen files are a micro-batch: the first decides the reports up to 15."""
    monkeypatch.chdir(tmp_path)
    Path("stream").mkdir()
    Path("static.ttl").write_text("")
    for number in range(18):
        file = Path("stream") / f"{number}.nq"
        file.write_text(line("a", number, number))
        os.utime(file, (number, number))
    write_query(f"SELECT (COUNT(*) AS ?n) {STEPPED} {{ ?x :p ?y }}")
    arguments = ("--format", "csv", "--lateness", "0", "--checkpoint", "kept")
    told: list[tuple[str, bool]] = []

    def ended(control: Control) -> None:
        told.append((capsys.readouterr().out.replace("\r", ""), control.ended))
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Control, "end", ended)
        assert run(*arguments) == 130
    # What the second micro-batch decides, nothing, is told before the end too.
    assert told == [("n,at\n1,0\n6,5\n10,10\n10,15\n", False)]
    assert "goes on where it stopped" in capsys.readouterr().err
    assert run(*arguments) == 0
    everything = "n,at\n1,0\n6,5\n10,10\n10,15\n7,20\n2,25\n0,30\n"
    assert capsys.readouterr().out.replace("\r", "") == everything
    assert run(*arguments) == 0
    again = capsys.readouterr()
    assert again.out.replace("\r", "") == everything
    assert again.err.count("checkpoint kept has come to its end") == 1
    assert run(*arguments, "--report", "istream") == 2
    assert "was made with the report Periodic" in capsys.readouterr().err
    assert run(*arguments, "--boundary", "[o,c)") == 2
    assert "was made with the boundary (o,c], not [o,c)" in capsys.readouterr().err


@pytest.mark.thorough
def test_an_error_while_reports_are_read_is_told_with_its_exit_code(
    spark: SparkSession, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_query("SELECT ?x FROM STREAM :s1 [RANGE 1d STEP 5] { ?x :p ?y }")
    assert run() == 3
    assert "reports would follow the last arrival" in capsys.readouterr().err


def test_the_live_line_says_what_is_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(Live, "say", lambda _, text: said.append(text))
    places = {EX.s1: ["/data/s1"], EX.s2: ["/data/s2", "/more/s2"]}

    def tell(watch: Watch, **rows: int) -> str:
        found = [(f"FileStreamSource[file:/data/{n}]", count) for n, count in rows.items()]
        watch({"sources": [{"description": d, "numInputRows": c} for d, c in found]})
        return said[-1].rpartition("  ")[2]

    watch = Watch(Live(quiet=True), folder, places)
    assert tell(watch, s1=4, s2=0, control=1) == f"waiting for <{EX.s2}>"
    assert tell(watch, s1=0, s2=2) == "answers: 0"
    assert tell(watch, s1=0, s2=0) == "answers: 0"
    assert said[-1] == "rows: 7  micro-batches: 3  answers: 0"
    watch = Watch(Live(quiet=True), folder)
    assert tell(watch, s1=4, s2=0) == "waiting for the end of input"


@pytest.mark.thorough
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
    assert again.err.count("checkpoint kept has come to its end") == 1
    assert run("--format", "csv", "--host", "local") == 0
    assert capsys.readouterr().out == first.out
    (folder / "stream" / "4.nq").write_text(line("d", 5, 60))
    assert run(*arguments) == 3
    assert "rows came after the end of input" in capsys.readouterr().err
    write_query(FORMS["nq"])
    assert run(*arguments) == 2
    assert "was made with another query" in capsys.readouterr().err


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_answers_are_read_back_and_progress_is_counted(
    spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = "?x :p ?y . ?x :p ?other . ?z :p ?y FILTER (?y > 1)"
    write_query(f"SELECT ?x ?y FROM STREAM :s1 {WINDOW} {{ {where} }}")
    (folder / "stream" / "1.nq").rename("one [1].nq")
    said: list[str] = []
    monkeypatch.setattr(Live, "say", lambda _, text: said.append(text))
    query = prepare(Path("query.rq").read_text())
    assert len(physical(query).stages) == 2  # rows are read once, for both
    streams = {source: host.nquads(spark, "one [1].nq") for source in query.streams}
    watch = Watch(Live(quiet=True), folder / "kept")
    host.run(spark, query, streams, host.Parquet("kept/answers"), "kept", watch=watch)
    (element,) = host.elements(spark, "kept/answers", query)
    assert isinstance(element.item, Solution)
    assert element.item[Variable("y")] == Literal(3)
    assert said[-1] == "rows: 3  micro-batches: 2  answers: 1"
    assert not list(host.elements(spark, "nowhere", query))


@pytest.mark.thorough
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


@pytest.mark.thorough
def test_jumps_are_told_and_rows_from_the_future_refused(
    spark: SparkSession, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Spark reads the oldest files first, sixteen at a time."""
    write_query(FORMS["csv"])
    for number in range(20):
        file = folder / "stream" / f"old{number}.nq"
        file.write_text(line("old", 3, 1))
        os.utime(file, (number, number))
    (folder / "stream" / "3.nq").write_text(line("c", 4, 4_102_444_800_000))
    assert run("--format", "csv") == 0
    told = capsys.readouterr().err
    assert told.count("jumps from 1970-01-01T00:00:00.003Z to 2100-01-01T00:00:00Z with") == 1
    assert run("--format", "csv", "--not-after", "2050-01-01") == 0
    told = capsys.readouterr().err
    assert "2 rows refused" in told  # one is no statement
    assert "/stream/3.nq, line 1: stamped 2100-01-01T00:00:00Z" in told
    assert "jumps from" not in told


@pytest.mark.thorough
def test_several_queries_print_on_spark_what_they_print_locally(
    spark: SparkSession, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reports come by micro-batch, so only their order may differ."""
    texts = {
        "large": "REGISTER STREAM :large AS CONSTRUCT { ?x :large ?y } FROM STREAM :s1"
        " [RANGE 10ms STEP 10ms] { ?x :p ?y FILTER (?y > 1) }",
        "seen": "REGISTER QUERY seen AS SELECT ?x FROM STREAM :large [RANGE 20ms STEP 20ms]"
        " { ?x :large ?y }",
        "plain": f"SELECT ?x ?y FROM STREAM :s1 {WINDOW} {{ ?x :p ?y }}",
    }
    for name, text in texts.items():
        Path(f"{name}.rq").write_text(f"PREFIX : <{EX}> {text}")
    files = [f"{name}.rq" for name in reversed(texts)]
    printed = []
    for host_name in ("local", "spark"):
        given = ["--stream", f"{EX.s1}=stream", "--format", "json", "--host", host_name]
        assert main(["run", *files, *given]) == 0
        printed.append(sorted(capsys.readouterr().out.splitlines()))
    assert printed[0] == printed[1]
    assert len(printed[0]) > 5
