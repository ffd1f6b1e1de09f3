"""CSV files on Spark: the same answers as in one process, and bad rows by file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from askos.cli import main
from askos.cli.streams import find
from askos.cli.tabled import tabulate
from askos.io.csvmap import parse_map
from askos.terms import URIRef

WIND = "http://wind.example/"
QUERY = f"""PREFIX : <{WIND}>
SELECT ?turbine (AVG(?power) AS ?mean) FROM STREAM :s WINDOW RANGE 10 MINUTE SLIDE 5 MINUTE
WHERE {{ ?turbine :power ?power }} GROUP BY ?turbine
"""
MAP = f"""
subject = "{WIND}{{turbine}}"
time = "time"
zone = "UTC"
[columns]
power = "{WIND}power"
"""


def test_both_hosts_read_csv_alike_and_a_checkpoint_keeps_it(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.rq").write_text(QUERY)
    Path("map.toml").write_text(MAP)
    Path("data").mkdir()
    for part in range(2):
        lines = (f"T{n % 3},2026-06-01 0{part}:{n:02},{n}.5\n" for n in range(60))
        Path(f"data/{part}.csv").write_text("turbine,time,power\n" + "".join(lines) + "T1,noon,1\n")
    command = ["run", "q.rq", "--stream", f"{WIND}s=data", "--csv-map", "map.toml"]
    command += ["--format", "csv"]
    assert main([*command, "--host", "local"]) == 0
    local = capsys.readouterr()
    stale = parse_map(MAP.replace("UTC", "+01:00"))  # of a run that never began
    tabulate(Path("kept"), find(URIRef(f"{WIND}s"), Path("data"), "data", stale))
    for _ in range(2):
        assert main([*command, "--checkpoint", "kept", "--lateness", "60000"]) == 0
        told = capsys.readouterr()
        assert sorted(told.out.splitlines()) == sorted(local.out.splitlines())
        for part in range(2):
            assert f"data/{part}.csv, line 62: time is no time" in told.err
            assert f"data/{part}.csv, line 62: time is no time" in local.err
    refused = [file.read_text().splitlines() for file in Path("kept/csv").glob("*/*/refused.csv")]
    assert [len(lines) for lines in refused] == [1, 1]
    Path("map.toml").write_text(MAP.replace("UTC", "+01:00"))
    assert main([*command, "--checkpoint", "kept"]) == 2
    assert "was made with other files" in capsys.readouterr().err
