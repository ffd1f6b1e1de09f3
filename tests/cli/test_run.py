"""`askos run`: a text, files, an answer."""

from __future__ import annotations

import csv
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askos.cli import main, on_spark
from askos.cli.run import HOSTS
from askos.cli.telling import Live
from tests.build import EX
from tests.cli.running import EXPECTED, FORMS, FROM, INTEGER, LINES, run


def test_answers_come_with_their_intervals(
    query: str, stream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(query, "--stream", f"{EX.s1}={stream}", "--format", "csv") == 0
    heading, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert heading == ["x", "y", "ts", "te"]
    assert sorted(rows) == EXPECTED
    assert run(query, "--stream", f"{EX.s1}={stream}", "--format", "json") == 0
    assert len(json.loads(capsys.readouterr().out)["results"]["bindings"]) == 2
    assert run(query, "--stream", f"{EX.s1}={stream}") == 0
    assert ":a" in capsys.readouterr().out


def test_files_of_one_stream_are_merged_and_may_be_in_any_order(
    query: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments: list[object] = []
    for number, line in enumerate(LINES):
        file = tmp_path / f"{number}.nq"
        file.write_text(line + "\nrubbish\n")
        arguments += ["--stream", f"{EX.s1}={file}"]
    assert run(query, *arguments, "--format", "csv") == 0
    told = capsys.readouterr()
    assert sorted(list(csv.reader(io.StringIO(told.out)))[1:]) == EXPECTED
    assert told.err.count("line 2: not a statement") == 3


@pytest.mark.parametrize(("said", "most"), [([], None), (["--files-per-trigger", "3"], 3)])
def test_how_many_files_are_read_at_a_time_can_be_said(
    query: str, stream: Path, said: list[str], most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Any] = []

    def host(queries: Any, streams: Any, arguments: Any) -> Any:
        found.extend(place.most for places in streams.values() for place in places)
        yield from ()

    monkeypatch.setitem(HOSTS, "local", host)
    assert run(query, "--stream", f"{EX.s1}={stream}", *said) == 0
    assert found == [most]


def test_too_much_state_stops_a_query(
    stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "distinct.rq"
    text.write_text(f"PREFIX : <{EX}> SELECT DISTINCT ?x {FROM} {{ ?x :p ?y }}")
    arguments = ("--stream", f"{EX.s1}={stream}", "--state-limit")
    assert run(text, *arguments, 1) == 3
    assert "of them for Distinct, and state_limit is 1" in capsys.readouterr().err
    assert run(text, *arguments, 3) == 0
    with pytest.raises(SystemExit):
        run(text, *arguments, 0)
    assert "'0' is no whole number from 1 on" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "there is no source"),
        (["--stream", f"{EX.s2}=stream"], 2, "known: "),
        (["--stream", f"{EX.s1}=nowhere"], 3, "neither a stream nor a folder"),
        (["--stream", f"{EX.s1}=query.rq"], 3, "end with .nq or .parquet"),
        (["--stream", f"{EX.s1}=bad.parquet"], 3, "bad.parquet"),
        (["--stream", f"{EX.s1}=other.parquet"], 3, "lacks the columns s, p, o"),
        (["--stream", f"{EX.s1}=stream", "--checkpoint", "there"], 2, "keeps no checkpoint"),
        (["--stream", f"{EX.s1}=stream", "--format", "nq"], 2, "for triples"),
    ],
)
def test_what_cannot_run_is_told_with_its_exit_code(
    query: str,
    stream: Path,
    arguments: list[str],
    code: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(stream.parent)
    Path("bad.parquet").write_text("no Parquet")
    pq.write_table(pa.table({"ts": [1]}), "other.parquet")
    assert run(query, *arguments) == code
    assert message in capsys.readouterr().err


def test_a_wrong_option_is_usage(query: str) -> None:
    with pytest.raises(SystemExit) as caught:
        run(query, "--stream", "nothing")
    assert caught.value.code == 2


# ---- what is told ------------------------------------------------------------------------------


def test_what_is_no_triple_is_counted_and_the_first_few_are_told(
    query: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.nq"
    file.write_text("rubbish\n" * 7 + LINES[1])
    assert run(query, "--stream", f"{EX.s1}={file}", "--format", "csv") == 0
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 2
    assert told.err.startswith("askos: warning: 7 rows refused\n")
    assert told.err.count("not a statement") == 5
    assert told.err.endswith("… and 2 more\n")


def test_triples_without_times_are_stamped_when_they_are_read(
    query: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "triples"
    folder.mkdir()
    (folder / "1.nt").write_text(f'<{EX.a}> <{EX.p}> "2"{INTEGER} .\n')
    rows = {"s": [f"<{EX.b}>"], "p": [f"<{EX.p}>"], "o": [f'"3"{INTEGER}']}
    pq.write_table(pa.table(rows), folder / "2.parquet")
    arguments = (query, "--stream", f"{EX.s1}={folder}", "--format", "csv", "--stamp", "arrival")
    before = time.time_ns() // 1_000_000
    assert run(*arguments) == 0
    _, *found = csv.reader(io.StringIO(capsys.readouterr().out))
    assert [row[1] for row in found] == ["2", "3"]
    (start,) = {int(row[2]) for row in found}
    assert before <= start <= time.time_ns() // 1_000_000


def test_a_live_line_is_for_terminals(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Live(quiet=False).say("rows: 1")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    Live(quiet=True).say("rows: 2")
    live = Live(quiet=False)
    live.say("rows: 3")
    live.clear()
    assert capsys.readouterr().err == "\rrows: 3\x1b[K\r\x1b[K"


# ---- refused before Spark starts ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "arguments", "code", "message"),
    [
        ("SELECT * {", [], 2, "line 1"),
        ("SELECT * FROM STREAM :s1 { ?x :p ?y }", [], 2, "window"),
        ("SELECT * { ?x :p ?y }", [], 2, "reads no stream"),
        (f"SELECT * {FROM} FROM :g {{ ?x :p ?y }}", [], 2, "there is no source"),
        (FORMS["select"].replace(":s1", ":s2"), [], 2, "there is no source"),
        (FORMS["select"], ["--stream", f"{EX.s1}=nowhere"], 3, "neither a stream nor a folder"),
        (FORMS["select"], ["--stream", f"{EX.s1}=bad.parquet"], 3, "is no Parquet"),
        (FORMS["select"], ["--stream", f"{EX.s1}=nano.parquet"], 3, "ts has nanoseconds"),
        (FORMS["select"], ["--stream", f"{EX.s1}=text.parquet"], 3, "the column ts holds string"),
        (FORMS["select"], ["--stream", f"{EX.s1}=numbers.parquet"], 3, "the column o holds int64"),
        (FORMS["select"], ["--stream", f"{EX.s1}=two"], 3, "bigint in one file, timestamp"),
        (
            f"SELECT * {FROM} FROM :g {{ ?x :p ?y }}",
            ["--static", f"{EX.g}=nowhere.ttl"],
            3,
            "nowhere.ttl",
        ),
        (
            f"SELECT * {FROM} FROM :g {{ ?x :p ?y }}",
            ["--static", f"{EX.g}=bad.ttl"],
            3,
            "cannot be read",
        ),
    ],
)
def test_spark_does_not_start_for_what_cannot_run(
    text: str,
    arguments: list[str],
    code: int,
    message: str,
    stream: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def started(*_: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr(on_spark, "session", started)
    monkeypatch.chdir(stream.parent)
    Path("bad.parquet").write_text("no Parquet")
    Path("bad.ttl").write_text("no Turtle")
    Path("query.rq").write_text(f"PREFIX : <{EX}> {text}")
    row: dict[str, list[Any]] = {name: [f"<{EX.a}>"] for name in "spo"}
    Path("two").mkdir()
    for file, more in {
        "nano.parquet": {"ts": pa.array([1], pa.timestamp("ns"))},
        "text.parquet": {"ts": ["noon"]},
        "numbers.parquet": {"o": [5], "ts": [1]},
        "two/1.parquet": {"ts": [1]},
        "two/2.parquet": {"ts": pa.array([1], pa.timestamp("us", "UTC"))},
    }.items():
        pq.write_table(pa.table({**row, **more}), file)
    given = arguments if "--stream" in arguments else [*arguments, "--stream", f"{EX.s1}=stream"]
    assert main(["run", "query.rq", *given]) == code
    assert message in capsys.readouterr().err
