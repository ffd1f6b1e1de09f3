"""A backtest on Spark says what it says in one process; registered streams included."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from askos.cli import main

WIND = "http://wind.example/"
INTEGER = "^^<http://www.w3.org/2001/XMLSchema#integer>"
MEANS = f"""PREFIX : <{WIND}>
REGISTER STREAM :means COMPUTED EVERY 1m AS
CONSTRUCT {{ ?turbine :mean ?oil }}
FROM STREAM :scada [RANGE 1m STEP 1m] WHERE {{ ?turbine :oil ?oil }}
"""
HOT = f"""# detects: hot
PREFIX : <{WIND}>
SELECT ?turbine FROM STREAM :means [RANGE 2m STEP 1m] WHERE {{ ?turbine :mean ?v FILTER (?v > 80) }}
"""
WARM = f"""# detects: warm
PREFIX : <{WIND}>
SELECT ?turbine ?v FROM STREAM :scada WINDOW RANGE 5 MINUTE SLIDE
WHERE {{ ?turbine :oil ?v FILTER (?v > 70) }}
"""
TRUTH = "turbine,kind,begin,end,fault\nT1,hot,600000,1200000,true\nT0,warm,0,60000,true\n"


@pytest.mark.thorough
def test_both_hosts_score_alike(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("means.rq", MEANS), ("hot.rq", HOT), ("warm.rq", WARM)):
        Path(name).write_text(text)
    Path("truth.csv").write_text(TRUTH)
    lines = (
        f'<{WIND}T{minute % 3}> <{WIND}oil> "{60 + minute}"{INTEGER} <urn:ms:{minute * 60_000}> .\n'
        for minute in range(30)
    )
    Path("scada.nq").write_text("".join(lines))
    told = []
    for host in ("local", "spark"):
        data = ["--truth", "truth.csv", "--stream", f"{WIND}scada=scada.nq", "--host", host]
        assert main(["backtest", "means.rq", "hot.rq", "warm.rq", *data, "--json"]) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert told[0] == told[1]
    assert [score["kind"] for score in told[0]["scores"]] == ["hot", "warm", "all"]
    assert all(score["alerts"] for score in told[0]["scores"])
