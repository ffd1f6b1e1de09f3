"""`askos backtest`: rules, an archive, the truth, a score."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askos.cli import main
from askos.cli.extent import extent
from askos.cli.streams import find
from askos.interval import FOREVER
from askos.terms import URIRef
from tests.build import EX

HOT = f"""# detects: hot
PREFIX : <{EX}>
SELECT ?turbine ?v FROM STREAM :s WINDOW RANGE 60000 SLIDE
{{ ?turbine :temperature ?v FILTER (?v > 80) }}
"""
STEPS = f"""# detects: hot
PREFIX : <{EX}>
SELECT ?turbine FROM STREAM :s [RANGE 1m STEP 1m] {{ ?turbine :temperature ?v FILTER (?v > 80) }}
"""
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
MINUTE = 60_000
DAY = 24 * 60 * MINUTE
READINGS = [  # minutes, turbine, °C
    (0, "T1", 20),
    (10, "T1", 90),
    (10.5, "T1", 95),
    (11, "T1", 85),
    (30, "T2", 88),
    (50, "T3", 81),
    (24 * 60, "T1", 20),
]
TRUTH = """turbine,kind,begin,end,fault
T1,hot,540000,720000,true
T2,maintenance,1500000,2400000,false
T4,hot,0,60000,true
"""


@pytest.fixture(autouse=True)
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = (
        f'<{EX}{turbine}> <{EX}temperature> "{value}"{INTEGER} <urn:ms:{round(at * MINUTE)}> .\n'
        for at, turbine, value in READINGS
    )
    Path("s.nq").write_text("".join(lines))
    Path("hot.rq").write_text(HOT)
    Path("truth.csv").write_text(TRUTH)
    return tmp_path


def backtest(*arguments: str) -> int:
    data = ["--truth", "truth.csv", "--stream", f"{EX}s=s.nq", "--host", "local"]
    return main(["backtest", *arguments, *data])


def test_a_score_is_told_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert backtest("hot.rq", "--turbines", "10", "--list") == 0
    assert capsys.readouterr().out.splitlines() == [
        "kind  faults  alerts  hits  precision  recall  median delay  longest  false alarms"
        "  per turbine-month",
        "hot        2       3     1       0.33    0.50            1m       1m             2"
        "               6.00",
        "",
        "missed  hot  T4  1970-01-01T00:00:00Z  1970-01-01T00:01:00Z",
        "false   hot  T2  1970-01-01T00:30:00Z  1970-01-01T00:31:00Z  during maintenance",
        "false   hot  T3  1970-01-01T00:50:00Z  1970-01-01T00:51:00Z",
    ]


def test_a_score_is_told_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert backtest("hot.rq", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    (score,) = told["scores"]
    assert (score["kind"], score["hits"], score["false_alarms"]) == ("hot", 1, 2)
    assert score["delays"] == [MINUTE]
    assert score["turbine_months"] == 4 / 30  # T1, T2, T3 and T4, for a day
    (verdict,) = told["verdicts"]
    assert verdict["hits"] == [
        {"turbine": "T1", "fault": [9 * MINUTE, 12 * MINUTE], "alert": [10 * MINUTE, 12 * MINUTE]}
    ]
    assert [alarm["during"] for alarm in verdict["false"]] == ["maintenance", None]


def test_alerts_that_are_hardly_apart_are_one(capsys: pytest.CaptureFixture[str]) -> None:
    Path("more.rq").write_text(HOT.replace("detects: hot", "detects: hot\n#"))
    text = Path("s.nq").read_text()
    Path("s.nq").write_text(text + text.splitlines()[1].replace("600000", "780000") + "\n")
    for gap, alerts in (("0", 4), ("1m", 3)):
        assert backtest("hot.rq", "more.rq", "--gap", gap, "--json") == 0
        told = json.loads(capsys.readouterr().out)
        assert [score["alerts"] for score in told["scores"]] == [alerts]


def test_a_rule_that_reports_is_judged_by_when_its_answers_hold(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("hot.rq").write_text(STEPS)
    assert backtest("hot.rq", "--json") == 0
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    assert [hit["alert"] for hit in verdict["hits"]] == [[10 * MINUTE, 12 * MINUTE]]


def test_kinds_that_nobody_detects_and_rules_that_detect_nothing_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("truth.csv").write_text(TRUTH.replace("T4,hot", "T4,ice"))
    Path("other.rq").write_text(HOT.replace("# detects: hot", "# of interest"))
    Path("cold.rq").write_text(HOT.replace("hot", "cold").replace("> 80", "< 0"))
    assert backtest("hot.rq", "other.rq", "cold.rq") == 0
    told = capsys.readouterr()
    assert "no rule detects ice" in told.err
    assert "other.rq does not say what it detects" in told.err
    assert "the truth has no fault cold" in told.err
    assert [line.split()[0] for line in told.out.splitlines()] == ["kind", "cold", "hot", "all"]


@pytest.mark.parametrize(
    ("text", "arguments", "code", "message"),
    [
        (HOT.replace("# detects: hot", ""), [], 2, "no rule says which kind"),
        (f"# detects: ice\n{HOT}", [], 2, "says more than once"),
        (HOT.replace("SELECT ?turbine ?v", "ASK"), [], 2, "is no SELECT"),
        (HOT, ["--truth", "none.csv"], 3, "none.csv: No such file"),
        (HOT, ["--stamp", "arrival"], 2, "the times in the data"),
    ],
)
def test_what_cannot_be_scored_is_told_with_its_exit_code(
    text: str, arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("hot.rq").write_text(text)
    data = ["--truth", "truth.csv", "--stream", f"{EX}s=s.nq", "--host", "local"]
    assert main(["backtest", "hot.rq", *data, *arguments]) == code
    assert message in capsys.readouterr().err


def test_two_rules_of_one_name_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert backtest("hot.rq", "hot.rq") == 2
    assert "two rules are called hot" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--gap", "soon"], ["--turbines", "0"]])
def test_wrong_options_are_usage(option: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        backtest("hot.rq", *option)
    assert caught.value.code == 2


def test_the_extent_of_streams_is_that_of_all_their_files(archive: Path) -> None:
    folder = archive / "both"
    folder.mkdir()
    (folder / "a.nq").write_text(Path("s.nq").read_text() + "rubbish\n")
    row = {"s": [f"<{EX.a}>"], "p": [f"<{EX.p}>"], "o": ['"2"']}
    late = pa.array([2 * DAY], pa.timestamp("ms", "UTC"))
    pq.write_table(pa.table({**row, "ts": late}), folder / "b.parquet")
    streams = {URIRef(EX.s): [find(EX.s, folder, "data")]}
    assert extent(streams) == (0, 2 * DAY)
    assert extent(streams, {"": DAY + 1}) == (0, DAY)
    assert extent({}) is None


def test_rows_that_are_stamped_too_late_do_not_lengthen_the_extent() -> None:
    text = Path("s.nq").read_text()
    Path("s.nq").write_text(f"{text}{text.splitlines()[-1].replace('<urn:ms:', '<urn:ms:99')}\n")
    streams = {URIRef(EX.s): [find(EX.s, Path("s.nq"), "data")]}
    assert extent(streams, {"": 50 * DAY}) == (0, DAY)
    assert extent(streams, {str(EX.s): 50 * DAY, "": FOREVER}) == (0, DAY)
    assert extent(streams, {str(EX.p): DAY}) != (0, DAY)


def test_the_truth_may_call_turbines_by_their_iris(capsys: pytest.CaptureFixture[str]) -> None:
    Path("truth.csv").write_text(TRUTH.replace("\nT", f"\n{EX}T"))
    assert backtest("hot.rq", "--json") == 0
    (verdict,) = json.loads(capsys.readouterr().out)["verdicts"]
    assert [hit["turbine"] for hit in verdict["hits"]] == [f"{EX}T1"]
    assert [alarm["turbine"] for alarm in verdict["false"]] == [f"{EX}T2", f"{EX}T3"]
