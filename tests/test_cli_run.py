"""`askos run`: a text, files, an answer."""

from __future__ import annotations

import csv
import io
import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askos.cli import main, on_local, on_spark
from askos.cli.telling import Live
from askos.interval import FOREVER, Interval
from askos.io.results import read_quads
from askos.local import Engine
from tests.build import EX
from tests.hosts.hostile import NOT_UTF8, bytes_table

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


# ---- every form, in every format ---------------------------------------------------------------

FROM = "FROM STREAM :s1 WINDOW RANGE 10 SLIDE 5"
FORMS = {
    "select": f"SELECT ?x ?y {FROM} {{ ?x :p ?y }}",
    "construct": f"CONSTRUCT {{ ?x :seen ?y }} {FROM} {{ ?x :p ?y }}",
    "describe": f"DESCRIBE ?x {FROM} {{ ?x :p ?y FILTER (?y > 1) }}",
    "ask": f"ASK {FROM} {{ ?x :p ?y FILTER (?y > 2) }}",
}
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

    monkeypatch.setattr(on_spark, "_session", started)
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


# ---- time stamps from the future -------------------------------------------------------------

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


# ---- several queries -------------------------------------------------------------------------

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
