"""`askos run`: a text, files, an answer."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askos.cli import main
from tests.build import EX

QUERY = f"""PREFIX : <{EX}>
SELECT ?x ?y FROM STREAM :s1 WINDOW RANGE 10 SLIDE 5 {{ ?x :p ?y FILTER (?y > 1) }}
"""
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
LINES = [
    f'<{EX.a}> <{EX.p}> "1"{INTEGER} <urn:ms:1> .',
    f'<{EX.b}> <{EX.p}> "3"{INTEGER} <urn:ms:7> .',
    f'<{EX.a}> <{EX.p}> "2"{INTEGER} <urn:ms:3> .',
]
EXPECTED = [[str(EX.a), "2", "3", "10"], [str(EX.b), "3", "7", "15"]]


@pytest.fixture
def query(tmp_path: Path) -> str:
    file = tmp_path / "query.rq"
    file.write_text(QUERY)
    return str(file)


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    folder = tmp_path / "stream"
    folder.mkdir()
    (folder / "1.nq").write_text("\n".join(LINES[:2]))
    rows = {"s": [f"<{EX.a}>"], "p": [f"<{EX.p}>"], "o": [f'"2"{INTEGER}']}
    ts = pa.array([datetime(1970, 1, 1, microsecond=3000, tzinfo=UTC)], pa.timestamp("us", "UTC"))
    pq.write_table(pa.table({**rows, "ts": ts}), folder / "2.parquet")
    return folder


def run(*arguments: object) -> int:
    return main(["run", *map(str, arguments), "--host", "local"])


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
