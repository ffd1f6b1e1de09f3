"""CSV files as Parquet for Spark: each file once, in order, those that come later too."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from askos.cli.streams import Place, find
from askos.cli.tabled import tabled, tabulate
from askos.errors import StreamError
from askos.io.csvmap import parse_map
from askos.terms import URIRef

MAP = parse_map("""
subject = "http://wind.example/{turbine}"
time = "time"
zone = "UTC"
[columns]
power = "http://wind.example/power"
""")


def put(folder: Path, name: str, age: int, turbine: str) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"turbine,time,power\n{turbine},2026-06-01 00:00,1\n{turbine},noon,2\n")
    os.utime(file, (age, age))


def place(folder: Path) -> Place:
    return find(URIRef("s"), folder, "data", MAP)


def turbines(checkpoint: Path, there: Place) -> list[str]:
    """In the order in which Spark reads them."""
    parts = tabled(checkpoint, there).rglob("*.parquet")
    ordered = sorted(parts, key=lambda part: part.stat().st_mtime_ns // 1_000_000)
    return [row["s"][-3:-1] for part in ordered for row in pq.read_table(part).to_pylist()]


def test_files_are_written_once_by_age_and_name_and_new_ones_after_them(tmp_path: Path) -> None:
    data, checkpoint = tmp_path / "data", tmp_path / "checkpoint"
    put(data, "b.csv", 100, "T1")
    put(data, "a.csv", 200, "T3")
    put(data, "c.csv", 100, "T2")
    told = tabulate(checkpoint, place(data))
    assert sorted(told) == [f"{data}/{name}.csv, line 3: time is no time" for name in "abc"]
    assert turbines(checkpoint, place(data)) == ["T1", "T2", "T3"]
    put(data, "more/d.csv", 50, "T4")
    put(data, "a.csv", 300, "T9")
    assert len(tabulate(checkpoint, place(data))) == 4
    assert turbines(checkpoint, place(data)) == ["T1", "T2", "T3", "T4"]


def test_a_file_that_cannot_be_read_leaves_no_part_of_itself(tmp_path: Path) -> None:
    data, checkpoint = tmp_path / "data", tmp_path / "checkpoint"
    put(data, "a.csv", 100, "T1")
    (data / "b.csv").write_text("other,columns\n")
    with pytest.raises(StreamError, match="no column that the map knows"):
        tabulate(checkpoint, place(data))
    put(data, "b.csv", 200, "T2")
    tabulate(checkpoint, place(data))
    assert turbines(checkpoint, place(data)) == ["T1", "T2"]
