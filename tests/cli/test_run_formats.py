"""`askos run`: every form and every report, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from askos.cli import on_local
from askos.cli.telling import Live
from askos.interval import FOREVER, Interval
from askos.io.results import read_quads
from askos.local import Engine
from tests.build import EX
from tests.cli.running import FORMS, INTEGER, run

# ---- every form, in every format ---------------------------------------------------------------

# By hand: a window of 10 that slides by 5 holds what arrives at t until the slide before t + 10.
WANT: dict[str, list[tuple[Any, ...]]] = {
    "select": [("a", "1", 1, 10), ("a", "2", 3, 10), ("b", "3", 7, 15)],
    "construct": [("a", "1", 1, 10), ("a", "2", 3, 10), ("b", "3", 7, 15)],
    "describe": [("a", "1", 3, 10), ("a", "2", 3, 10), ("b", "3", 7, 15)],
    "ask": [("false", 0, 7), ("true", 7, 15), ("false", 15, FOREVER)],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_every_format(
    form: str, stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "form.rq"
    file.write_text(f"PREFIX : <{EX}> {FORMS[form]}")

    def text(kind: str) -> str:
        assert run(file, "--stream", f"{EX.s1}={stream}", "--format", kind) == 0
        return capsys.readouterr().out

    want = [tuple(map(str, row)) for row in WANT[form]]
    columns = {"select": "x y", "ask": "answer"}.get(form, "s p o").split()
    shown = [name for name in columns if name != "p"]

    def rows(cells: list[dict[str, str]]) -> list[tuple[str, ...]]:
        return [(*(c[n].removeprefix(EX) for n in shown), c["ts"], c["te"]) for c in cells]

    assert rows(list(csv.DictReader(io.StringIO(text("csv"))))) == want
    found = json.loads(text("json"))
    assert found["head"]["vars"] == [*columns, "ts", "te"]
    values = [{n: cell["value"] for n, cell in b.items()} for b in found["results"]["bindings"]]
    assert rows(values) == want
    xml = ElementTree.fromstring(text("xml"))
    results = xml.iterfind(".//{*}result")
    assert rows([{b.get("name", ""): "".join(b.itertext()) for b in r} for r in results]) == want
    heading, *lines = text("tsv").splitlines()
    assert heading.split("\t") == [f"?{name}" for name in (*columns, "ts", "te")]
    assert len(lines) == len(want)
    assert len(text("table").splitlines()) == len(want) + (form in ("select", "ask"))
    if form in ("construct", "describe"):
        times = [interval for _, interval in read_quads(text("nq").splitlines())]
        assert times == [Interval(*row[-2:]) for row in WANT[form]]
    else:
        assert run(file, "--stream", f"{EX.s1}={stream}", "--format", "nq") == 2


# ---- reports -----------------------------------------------------------------------------------

STEPPED = "FROM STREAM :s1 [RANGE 10 STEP 5]"
REPORTED = {
    "select": f"SELECT ?x ?y {STEPPED} {{ ?x :p ?y }}",
    "construct": f"CONSTRUCT {{ ?x :seen ?y }} {STEPPED} {{ ?x :p ?y }}",
    "ask": f"ASK {STEPPED} {{ ?x :p ?y FILTER (?y > 2) }}",
}
# By hand: at 5k what arrived in (5k - 10, 5k]: 1 and 3, then 7 too, then 7 alone, then nothing.
TOLD: dict[str, dict[int, list[tuple[str, ...]]]] = {
    "select": {
        5: [("a", "1"), ("a", "2")],
        10: [("a", "1"), ("a", "2"), ("b", "3")],
        15: [("b", "3")],
        20: [],
    },
    "ask": {5: [("false",)], 10: [("true",)], 15: [("true",)], 20: [("false",)]},
}
TOLD["construct"] = TOLD["select"]


@pytest.mark.parametrize("form", REPORTED)
def test_reports_have_every_format_and_their_instant(
    form: str, stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "form.rq"
    file.write_text(f"PREFIX : <{EX}> {REPORTED[form]}")

    def text(kind: str) -> str:
        assert run(file, "--stream", f"{EX.s1}={stream}", "--format", kind) == 0
        return capsys.readouterr().out

    columns = {"select": "x y", "ask": "answer"}.get(form, "s p o").split()
    shown = [name for name in columns if name != "p"]
    want = [(*row, str(at)) for at, rows in TOLD[form].items() for row in rows]

    def rows(cells: list[dict[str, str]]) -> list[tuple[str, ...]]:
        return [(*(c[n].removeprefix(EX) for n in shown), c["at"]) for c in cells]

    assert rows(list(csv.DictReader(io.StringIO(text("csv"))))) == want
    heading, *lines = text("tsv").splitlines()
    assert heading.split("\t") == [f"?{name}" for name in (*columns, "at")]
    assert len(lines) == len(want)
    results = ElementTree.fromstring(text("xml")).iterfind(".//{*}result")
    assert rows([{b.get("name", ""): "".join(b.itertext()) for b in r} for r in results]) == want
    told = [json.loads(line) for line in text("json").splitlines()]
    assert [(line["at"], line["head"]["vars"]) for line in told] == [
        (at, columns) for at in TOLD[form]
    ]
    assert want == [
        (*(b[n]["value"].removeprefix(EX) for n in shown), str(line["at"]))
        for line in told
        for b in line["results"]["bindings"]
    ]
    times = [f"at 1970-01-01T00:00:00.0{at:02}Z" for at in TOLD[form]]
    found = [line for line in text("table").splitlines() if line.startswith("at ")]
    assert [line.partition(": ")[0] for line in found] == times
    assert [line.partition(": ")[2] for line in found] == (
        ["no", "yes", "yes", "no"] if form == "ask" else ["", "", "", "no rows"]
    )
    if form == "construct":
        assert [at for _, at in read_quads(text("nq").splitlines())] == [int(w[-1]) for w in want]


def test_a_terminal_shows_one_table_for_each_report(
    stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "query.rq"
    file.write_text(f"PREFIX : <{EX}> {REPORTED['select']}")
    arguments = (file, "--stream", f"{EX.s1}={stream}", "--report", "IStream", "--every", "10ms")
    assert run(*arguments) == 0
    told = capsys.readouterr().out
    first = "at 1970-01-01T00:00:00.010Z\nx   y\n:a  1\n:a  2\n:b  3\n"
    assert told == f"{first}\nat 1970-01-01T00:00:00.020Z: no rows\n"
    assert run(*arguments, "--nonempty") == 0
    assert capsys.readouterr().out == first
    assert run(*arguments, "--origin", "1970-01-01T00:00:00.003Z", "--boundary", "[o,c)") == 0
    assert [line for line in capsys.readouterr().out.splitlines() if "at " in line] == [
        "at 1970-01-01T00:00:00.003Z",
        "at 1970-01-01T00:00:00.013Z",
        "at 1970-01-01T00:00:00.023Z: no rows",
    ]
    assert run(*arguments[:3], "--report", "intervals", "--format", "csv") == 0
    assert capsys.readouterr().out.startswith("x,y,ts,te\r\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--every", "soon"], "'soon' is no duration"),
        (["--every", "5s", "--report", "intervals"], "intervals have no period"),
        (["--origin", "1960-01-01T00:00:00Z"], "origin must be a whole number >= 0"),
    ],
)
def test_what_cannot_be_asked_for_is_told(
    arguments: list[str],
    message: str,
    query: str,
    stream: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(query, "--stream", f"{EX.s1}={stream}", *arguments) == 2
    assert message in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(query, "--stream", f"{EX.s1}={stream}", "--boundary", "(o,o)")


TWO = "SELECT ?x FROM STREAM :s1 [RANGE 10 STEP 5] FROM STREAM :s2 [RANGE 10 STEP 5] { ?x :p ?y }"


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[object, ...]:
    """A query of two streams; of the second, all rows are in the first batch."""
    monkeypatch.setattr(on_local, "_BATCH", 1)
    (tmp_path / "two.rq").write_text(f"PREFIX : <{EX}> {TWO}")
    times = {"s1": (1, 12, 13, 31), "s2": (2,)}
    for name, at in times.items():
        lines = [f'<{EX.a}> <{EX.p}> "1"{INTEGER} <urn:ms:{t}> .\n' for t in at]
        (tmp_path / f"{name}.nq").write_text("".join(lines))
    streams = [("--stream", f"{EX[name]}={tmp_path / name}.nq") for name in times]
    return (tmp_path / "two.rq", *(part for given in streams for part in given))


def test_reports_are_printed_as_they_are_decided(
    two: tuple[object, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []

    def said(_: Live, text: str) -> None:
        seen.append(capsys.readouterr().out)
        if text:
            seen.append(text)

    monkeypatch.setattr(Live, "say", said)
    assert run(*two, "--format", "csv") == 0
    seen.append(capsys.readouterr().out)
    row = f"{EX.a},"
    assert [text.replace("\r\n", " ").replace(row, "") for text in seen if text] == [
        "x,at ",
        "rows: 1  decided up to 1970-01-01T00:00:00Z  waiting for <http://example.org/s2>",
        "rows: 2  decided up to 1970-01-01T00:00:00.005Z",
        "5 10 ",
        "rows: 3  decided up to 1970-01-01T00:00:00.015Z",
        "rows: 4  decided up to 1970-01-01T00:00:00.015Z",
        "15 20 ",
        "rows: 5  decided up to 1970-01-01T00:00:00.035Z",
        "35 40 ",
    ]


def test_who_interrupts_keeps_what_was_told(
    two: tuple[object, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def close(_: Engine) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "close", close)
    assert run(*two, "--format", "csv") == 130
    told = capsys.readouterr()
    assert [line.rpartition(",")[2] for line in told.out.split()] == ["at", "5", "10", "15", "20"]
    assert told.err == "askos: interrupted\n"


# ---- CSV -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 3, "say with --csv-map what the columns of CSV files mean"),
        (["--csv-map", "none.toml"], 2, "give a file, or one of kelmarsh, openoa"),
        (["--csv-map", f"{EX.s2}=openoa"], 2, "--csv-map: there is no stream"),
        (["--csv-map", "openoa"], 3, "has no column that the map knows"),
        (["--csv-map", "openoa", "--stamp", "arrival"], 2, "a CSV map says where times are"),
    ],
)
def test_csv_needs_a_map_that_fits(
    query: str,
    tmp_path: Path,
    arguments: list[str],
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("a,b\n")
    assert run(query, "--stream", f"{EX.s1}={file}", *arguments) == code
    assert message in capsys.readouterr().err
