"""`askos run`: time stamps from the future, and rows at once."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askos.cli import on_local
from tests.build import EX
from tests.cli.running import EXPECTED, INTEGER, run
from tests.hosts.hostile import NOT_UTF8, bytes_table

WRONG = f'<{EX.c}> <{EX.p}> "4"{INTEGER} "2100-01-01T00:00:00Z"^^xsd:dateTime .'


@pytest.mark.parametrize(
    "latest", ["2099-12-31T00:00:00Z", "4000000000000", f"{EX.s1}=2099-12-31T00:00:00Z"]
)
def test_rows_after_not_after_are_refused(
    latest: str, query: str, stream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (stream / "3.nq").write_text(WRONG)
    assert (
        run(query, "--stream", f"{EX.s1}={stream}", "--format", "csv", "--not-after", latest) == 0
    )
    told = capsys.readouterr()
    assert sorted([*csv.reader(io.StringIO(told.out))][1:]) == EXPECTED
    where = f"{stream / '3.nq'}, line 1"
    assert (
        f"askos: warning: 1 row refused\n  {where}: stamped 2100-01-01T00:00:00Z, but not_after"
        in told.err
    )


def test_a_bad_row_of_parquet_is_told_with_its_file(
    query: str, stream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pq.write_table(bytes_table([(*NOT_UTF8[0], 5)]), stream / "3.parquet")
    assert run(query, "--stream", f"{EX.s1}={stream}", "--format", "csv") == 0
    told = capsys.readouterr()
    assert sorted([*csv.reader(io.StringIO(told.out))][1:]) == EXPECTED
    assert f"1 row refused\n  {stream / '3.parquet'}: s: \ufffd<http" in told.err


def test_not_after_of_a_stream_goes_before_that_of_all(
    query: str, stream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--not-after", "0", "--not-after", f"{EX.s1}=2000-01-01"]
    assert run(query, "--stream", f"{EX.s1}={stream}", *options) == 0
    assert "refused" not in capsys.readouterr().err
    assert run(query, "--stream", f"{EX.s1}={stream}", "--not-after", "0") == 0
    assert "3 rows refused" in capsys.readouterr().err


def test_a_wrong_not_after_is_told(
    query: str, stream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(query, "--stream", f"{EX.s1}={stream}", "--not-after", f"{EX.s2}=5") == 2
    assert f"--not-after: there is no stream <{EX.s2}>" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(query, "--stream", f"{EX.s1}={stream}", "--not-after", "soon")
    assert "'soon' is no time" in capsys.readouterr().err


@pytest.mark.filterwarnings("default")
def test_a_jump_is_a_warning(
    query: str, stream: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_local, "_BATCH", 1)
    (stream / "3.nq").write_text(WRONG)
    assert run(query, "--stream", f"{EX.s1}={stream}") == 0
    told = capsys.readouterr().err
    assert told.count("askos: warning: ") == 1
    assert f"jumps from 1970-01-01T00:00:00.007Z to 2100-01-01T00:00:00Z with <{EX.c}>" in told


def test_sequence_numbers_decide_which_of_two_at_once_came_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Beside a file without them, whose rows come first."""
    text = f"PREFIX : <{EX}> SELECT ?y FROM STREAM :s1 WINDOW ELEMS 1 {{ ?x :p ?y }}"
    (tmp_path / "last.rq").write_text(text)
    names = {"s": [f"<{EX.a}>"] * 2, "p": [f"<{EX.p}>"] * 2}
    values = {"o": [f'"1"{INTEGER}', f'"2"{INTEGER}'], "ts": [7, 7], "seq": [9, 8]}
    pq.write_table(pa.table({**names, **values}), tmp_path / "1.parquet")
    (tmp_path / "2.nq").write_text(f'<{EX.a}> <{EX.p}> "3"{INTEGER} <urn:ms:7> .')
    assert run(tmp_path / "last.rq", "--stream", f"{EX.s1}={tmp_path}", "--format", "csv") == 0
    assert capsys.readouterr().out.splitlines()[1:] == ["1,7,9223372036854775807"]
