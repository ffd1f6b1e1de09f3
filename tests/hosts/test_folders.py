"""Files that packing opens by path, beside those that Spark reads: the same streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from askos import spark as host
from askos.errors import QueryError
from askos.spark import folders
from askos.spark.folders import FileStream, reachable
from askos.spark.messages import ROWS
from askos.spark.sources import Reader, together
from tests.build import EX, S1

QUERY = f"""SELECT ?x (COUNT(*) AS ?n) FROM STREAM <{S1}> WINDOW RANGE 10 SLIDE 5
{{ ?x <{EX.p}> ?y }} GROUP BY ?x"""


def lines(start: int, count: int, predicate: str = "p") -> str:
    return "".join(
        f'<{EX.a}{n % 3}> <{EX[predicate]}> "{n}" <urn:ms:{start + n}> .\n' for n in range(count)
    )


def answers(spark: SparkSession, out: Path) -> list[Any]:
    rows = spark.read.parquet(str(out)).where("output = 'result'").select("x", "n", "ts", "te")
    return sorted(map(tuple, rows.collect()))


@pytest.mark.parametrize("first", [pytest.param("python", marks=pytest.mark.thorough), "spark"])
def test_a_checkpoint_goes_on_with_the_other_reader(
    first: Reader, spark: SparkSession, tmp_path: Path
) -> None:
    """Also if they take turns; and large files give the same as small ones."""
    data, second = tmp_path / "data", "spark" if first == "python" else "python"
    data.mkdir()

    def go(reader: Any, name: str, *, end: bool) -> list[Any]:
        streams = {S1: host.nquads(spark, data, 1, reader=reader)}
        sink, checkpoint = host.Parquet(tmp_path / name), tmp_path / f"{name}.ck"
        if end:
            host.run(spark, QUERY, streams, sink, checkpoint)
            return answers(spark, tmp_path / name)
        started = host.start(spark, QUERY, streams, sink, checkpoint)
        host.drain(started)
        started.stop()
        return []

    (data / "1.nq").write_text(lines(0, 20))
    go(first, "both", end=False)
    (data / "2.nq").write_text(lines(20, 20) + lines(40, 3, "unheard"))
    found = go(second, "both", end=True)
    assert found == go("spark", "alone", end=True)
    assert sum(int(n.split('"')[1]) * (te - ts) for _, n, ts, te in found) == 40 * 10


def test_spark_names_files_and_never_reads_them(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file is read by two tasks; where none is, there is one."""
    monkeypatch.setitem(folders.LARGE, "nquads", 2000)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "large.nq").write_text(lines(0, 100) + "half a line\n")
    streams = {S1: host.nquads(spark, tmp_path / "data")}
    sink = host.Parquet(tmp_path / "out")
    started = host.start(spark, QUERY, streams, sink, tmp_path / "ck")
    host.drain(started)
    (progress,) = [p for p in started.recentProgress if p["numInputRows"]]
    assert progress["numInputRows"] == 2, "once for each task"
    observed = [row["rows"] for name, row in progress["observedMetrics"].items() if ROWS in name]
    assert observed == [101]
    (tmp_path / "data" / "small.nq").write_text(lines(100, 3))
    host.drain(started)
    assert started.recentProgress[-1]["numInputRows"] == 1
    plan = started._jsq.explainInternal(False)
    scans = [line for line in plan.splitlines() if "FileScan" in line and "/data" in line]
    assert scans
    assert all("ReadSchema: struct<path:string>" in scan for scan in scans)
    started.stop()
    (note,) = (
        row["note"]
        for row in spark.read.parquet(str(tmp_path / "out")).where("output = 'refused'").collect()
    )
    assert f"{tmp_path}/data/large.nq, line 101: " in note


def test_who_reads_files_may_be_said(spark: SparkSession, tmp_path: Path) -> None:
    stream = host.parquet(spark, tmp_path)
    assert isinstance(stream, FileStream)
    assert not isinstance(stream.where("true"), FileStream), "what is derived Spark reads"
    assert not isinstance(host.nquads(spark, tmp_path, reader="spark"), FileStream)
    assert not reachable(spark, "hdfs://there/data")
    both = together([stream, host.nquads(spark, tmp_path)])
    assert isinstance(both, FileStream)
    assert [part.files.kind for part in both.parts] == ["parquet", "nquads"]
    assert not isinstance(together([stream, stream.where("true")]), FileStream)
    with pytest.raises(QueryError, match="there is no reader 'java'"):
        host.nquads(spark, tmp_path, reader="java")  # type: ignore[arg-type]
