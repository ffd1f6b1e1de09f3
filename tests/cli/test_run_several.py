"""`askos run` with several queries."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.build import EX
from tests.cli.running import INTEGER, run

LARGE = f"""PREFIX : <{EX}>
REGISTER STREAM :large AS CONSTRUCT {{ ?x :large ?y }}
FROM STREAM :s1 [RANGE 10ms STEP 10ms] {{ ?x :p ?y FILTER (?y > 1) }}
"""
COUNTED = f"""PREFIX : <{EX}>
REGISTER QUERY counted AS SELECT (COUNT(*) AS ?n)
FROM STREAM :large [RANGE 20ms STEP 20ms] {{ ?x :large ?y }}
"""


@pytest.fixture
def files(tmp_path: Path, query: str) -> list[str]:
    (tmp_path / "large.rq").write_text(LARGE)
    (tmp_path / "counted.rq").write_text(COUNTED)
    return [str(tmp_path / "counted.rq"), str(tmp_path / "large.rq"), query]


def test_several_queries_tell_their_names(
    files: list[str], stream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*files, "--stream", f"{EX.s1}={stream}") == 0
    at = "at 1970-01-01T00:00:00.0"
    ten = "".join(f'<{EX[x]}> <{EX.large}> "{y}"{INTEGER} .\n' for x, y in (("a", 2), ("b", 3)))
    assert capsys.readouterr().out == (
        f"{EX.large} {at}10Z\n{ten}{EX.large} {at}20Z: no rows\n"
        f"counted {at}20Z\nn\n2\ncounted {at}40Z\nn\n0\n"
        "query-3\nx   y  ts                        te\n"
        ":a  2  1970-01-01T00:00:00.003Z  1970-01-01T00:00:00.010Z\n"
        ":b  3  1970-01-01T00:00:00.007Z  1970-01-01T00:00:00.015Z\n"
    )


def test_what_machines_read_of_several_queries_has_the_query(
    files: list[str], stream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*files, "--stream", f"{EX.s1}={stream}"]
    assert run(*given, "--format", "json") == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {(line["query"], line.get("at")) for line in lines} >= {
        ("counted", 20),
        ("query-3", None),
    }
    assert run(*given, "--format", "csv") == 0
    head, *rows = csv.reader(io.StringIO(capsys.readouterr().out))
    assert head[:4] == ["query", "at", "ts", "te"]
    found = [dict(zip(head, row, strict=True)) for row in rows]
    assert [(row["at"], row["n"]) for row in found if row["query"] == "counted"] == [
        ("20", "2"),
        ("40", "0"),
    ]
    assert [row["te"] for row in found if row["query"] == "query-3"] == ["10", "15"]
    assert run(*given, "--format", "nq") == 2
    assert "does not say which query" in capsys.readouterr().err


def test_two_files_that_register_one_name_are_refused(
    files: list[str], stream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(files[0], files[0], files[1], "--stream", f"{EX.s1}={stream}") == 2
    assert "two queries are registered as 'counted'" in capsys.readouterr().err
