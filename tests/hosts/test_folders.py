"""Files that packing opens by path, beside those that Spark reads: the same streams."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from pyspark.sql import DataFrame, SparkSession

from askos import spark as host
from askos.errors import QueryError, SetupError
from askos.spark import inputs
from askos.spark.folders import FileStream, by_path, reachable
from askos.spark.progress import rows_read
from askos.spark.sources import Reader, together
from tests.build import EX, S1

QUERY = f"""SELECT ?x (COUNT(*) AS ?n) FROM STREAM <{S1}> WINDOW RANGE 10 SLIDE 5
{{ ?x <{EX.p}> ?y }} GROUP BY ?x"""

FIVE = 10 + 9 + 8 + 7 + 6  # how long five rows hold that follow one another


def lines(start: int, count: int, predicate: str = "p", subjects: int = 3) -> str:
    return "".join(
        f'<{EX.a}{n % subjects}> <{EX[predicate]}> "{n}" <urn:ms:{start + n}> .\n'
        for n in range(count)
    )


def answers(spark: SparkSession, out: Path) -> list[Any]:
    rows = spark.read.parquet(str(out)).where("output = 'result'").select("x", "n", "ts", "te")
    return sorted(map(tuple, rows.collect()))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("first", "second"), [("python", "spark"), ("spark", "python"), ("python", "python")]
)
def test_a_checkpoint_goes_on_with_the_other_reader(
    first: Reader,
    second: Reader,
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Or with Python again, where Java does not have the class of the source."""
    data = tmp_path / "data"
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
    if first == second:
        monkeypatch.setattr(inputs, "usable", lambda: False)
    (data / "2.nq").write_text(lines(20, 20) + lines(40, 3, "unheard"))
    found = go(second, "both", end=True)
    assert found == go("spark", "alone", end=True)
    assert sum(int(n.split('"')[1]) * (te - ts) for _, n, ts, te in found) == 8 * FIVE


Made = Callable[[SparkSession, list[Path]], DataFrame]


def in_place(spark: SparkSession, folders: list[Path]) -> DataFrame:
    return together([host.nquads(spark, folder, 1) for folder in folders])


def derived(spark: SparkSession, folders: list[Path]) -> DataFrame:
    """No files to us any more, and two sources to Spark."""
    frames = [host.nquads(spark, folder, 1).where("true") for folder in folders]
    return frames[0].unionByName(frames[1])


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("first", "second", "has_class"),
    [
        pytest.param(in_place, derived, True, id="files, then what is derived from them"),
        pytest.param(derived, in_place, True, id="and back"),
        pytest.param(derived, derived, False, id="where Java has no class any more"),
    ],
)
def test_a_checkpoint_goes_on_where_a_stream_has_two_sources(
    first: Made,
    second: Made,
    has_class: bool,
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    sink, checkpoint = host.Parquet(tmp_path / "out"), tmp_path / "ck"
    for number, folder in enumerate(folders):
        folder.mkdir()
        (folder / "1.nq").write_text(lines(10 * number, 10))
    started = host.start(spark, QUERY, {S1: first(spark, folders)}, sink, checkpoint)
    host.drain(started)
    if not has_class:
        monkeypatch.setattr(inputs, "usable", lambda: False)
    with pytest.raises(SetupError, match="a query is running"):
        host.compile(spark, QUERY, {S1: second(spark, folders)}, checkpoint=checkpoint)
    host.drain(started)
    started.stop()
    for number, folder in enumerate(folders):
        (folder / "2.nq").write_text(lines(20 + 10 * number, 10))
    third = {S1: together([in_place(spark, folders), host.nquads(spark, folders[0])])}
    with pytest.raises(QueryError, match="another number of them"):
        host.start(spark, QUERY, third, sink, checkpoint)
    host.run(spark, QUERY, {S1: second(spark, folders)}, sink, checkpoint)
    found = answers(spark, tmp_path / "out")
    assert sum(int(n.split('"')[1]) * (te - ts) for _, n, ts, te in found) == 8 * FIVE


@pytest.mark.parametrize("reader", [pytest.param("spark", marks=pytest.mark.thorough), "python"])
def test_a_file_that_comes_late_is_read_however_old_it_is(
    reader: Reader, spark: SparkSession, tmp_path: Path
) -> None:
    """Spark would leave out what is a week older than what it has read."""
    data = tmp_path / "data"
    data.mkdir()
    for number in range(2):
        (data / f"{number}.nq").write_text(lines(10 * number, 10))
        then = 1_780_272_000 - 30 * 24 * 3600 * number
        os.utime(data / f"{number}.nq", (then, then))
        streams = {S1: host.nquads(spark, data, reader=reader)}
        sink = host.Parquet(tmp_path / "out")
        started = host.start(spark, QUERY, streams, sink, tmp_path / "ck")
        host.drain(started)
        started.stop()
    assert max(te for *_, te in answers(spark, tmp_path / "out")) == 15, "the first ends at 5"


def test_no_file_is_overlooked_whenever_it_comes(spark: SparkSession, tmp_path: Path) -> None:
    """A folder that has not changed is not looked through: not while its clock may stand still, nor
    where there are folders below."""
    data, count = tmp_path / "data", 60
    data.mkdir()
    streams = {S1: host.nquads(spark, data)}
    started = host.start(spark, QUERY, streams, host.Parquet(tmp_path / "out"), tmp_path / "ck")
    for number in range(count):
        (tmp_path / "new").write_text(lines(0, 1))
        os.replace(tmp_path / "new", data / f"{number}.nq")
        threading.Event().wait(0.001 * (number % 17))
        if number % 20 == 0:
            host.drain(started)
    host.drain(started)
    (data / "day=1").mkdir()
    host.drain(started)
    for number in range(3):
        (data / "day=1" / f"{number}.nq").write_text(lines(0, 1))
        host.drain(started)
    read = sum(rows_read(progress) for progress in started.recentProgress)
    started.stop()
    assert read == count + 3


WHO_READS: dict[str, tuple[int, int]] = {"the stages": (1 << 20, 2), "a task of its own": (0, 1)}
"""By how many bytes are little, and how many tasks note that they packed: stages all read."""


@pytest.mark.parametrize("who", WHO_READS)
def test_spark_names_files_and_never_reads_them(
    who: str, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And knows how many rows they had: a few small ones are read by the stages, or one task."""
    little, tasks = WHO_READS[who]
    monkeypatch.setattr(inputs, "LITTLE", little)
    (tmp_path / "data").mkdir()
    for number in range(3):
        (tmp_path / "data" / f"{number}.nq").write_text(lines(10 * number, 10) + "half a line\n")
    streams = {S1: host.nquads(spark, tmp_path / "data")}
    sink = host.Parquet(tmp_path / "out")
    started = host.start(spark, QUERY, streams, sink, tmp_path / "ck")
    host.drain(started)
    (progress,) = [p for p in started.recentProgress if p["numInputRows"]]
    assert rows_read(progress) == 33
    assert len([*(tmp_path / "ck/profile").glob("pack-*")]) == tasks
    plan = started._jsq.explainInternal(False)
    started.stop()
    assert "FileScan" not in plan
    assert ("Exchange" in plan) is not (who == "the stages")
    found = spark.read.parquet(str(tmp_path / "out")).where("output = 'refused'").collect()
    assert len(found) == 3
    places = {row["note"].partition(": ")[0] for row in found}
    assert places == {f"{tmp_path}/data/{number}.nq, line 11" for number in range(3)}


@pytest.mark.thorough
def test_a_file_of_no_bytes_says_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """Of rows with the time of their arrival, which only tasks of their own read."""
    data = tmp_path / 'the "data"\tof\\today'  # as Spark calls a source, so it is reported
    data.mkdir()
    streams = {S1: host.nquads(spark, data, 1, stamp="arrival")}
    started = host.start(spark, QUERY, streams, host.Parquet(tmp_path / "out"), tmp_path / "ck")
    for number, text in enumerate(["", f'<{EX.a}> <{EX.p}> "1" .\n', ""]):
        (tmp_path / "new").write_text(text)
        os.replace(tmp_path / "new", data / f"{number}.nt")
        host.drain(started)
    read = [rows_read(progress) for progress in started.recentProgress]
    started.stop()
    assert [count for count in read if count] == [1]
    assert len([*(tmp_path / "ck/commits").glob("[0-9]*")]) == 3


def test_large_files_are_read_by_several_tasks(spark: SparkSession, tmp_path: Path) -> None:
    sizes = [20_000, 10, 20_000, 10]
    (tmp_path / "data").mkdir()
    for number, size in enumerate(sizes):
        (tmp_path / "data" / f"{number}.nq").write_text(lines(10 * number, 10) * (size // 10))
    streams = {S1: host.nquads(spark, tmp_path / "data")}
    started = host.start(spark, QUERY, streams, host.Parquet(tmp_path / "out"), tmp_path / "ck")
    host.drain(started)
    (progress,) = [p for p in started.recentProgress if p["numInputRows"]]
    started.stop()
    assert rows_read(progress) == sum(sizes)
    assert len([*(tmp_path / "ck/profile").glob("pack-*")]) == 2


def test_who_reads_changes_from_one_micro_batch_to_the_next(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """State is where Spark's shuffle sends rows, and where the row of a bucket says that files are
    new: of nine buckets, each must be in one place."""
    monkeypatch.setattr(inputs, "LITTLE", 2_000)
    data = tmp_path / "data"
    data.mkdir()
    for number, count in enumerate([40, 3, 3, 40, 3, 40, 40, 3]):
        (data / f"{number}.nq").write_text(lines(10 * number, count, subjects=40))
        os.utime(data / f"{number}.nq", (1_780_272_000 + number,) * 2)
    streams = {S1: host.nquads(spark, data, files_per_trigger=1)}
    given: Any = {"lateness": 100, "buckets": 9}
    host.run(spark, QUERY, streams, host.Parquet(tmp_path / "one"), tmp_path / "ck", **given)
    one = answers(spark, tmp_path / "one")
    streams = {S1: host.nquads(spark, data, reader="spark")}
    host.run(spark, QUERY, streams, host.Parquet(tmp_path / "two"), tmp_path / "other", **given)
    assert one == answers(spark, tmp_path / "two")
    assert len({x for x, *_ in one}) == 40


def test_who_reads_files_may_be_said(spark: SparkSession, tmp_path: Path) -> None:
    stream = host.parquet(spark, tmp_path)
    assert isinstance(stream, FileStream)
    assert not isinstance(stream.where("true"), FileStream), "what is derived Spark reads"
    assert by_path(stream)
    assert not by_path(host.nquads(spark, tmp_path, reader="spark"))
    assert not reachable(spark, "hdfs://there/data")
    both = together([stream, host.nquads(spark, tmp_path)])
    assert isinstance(both, FileStream)
    assert [part.files.kind for part in both.parts] == ["parquet", "nquads"]
    assert not isinstance(together([stream, stream.where("true")]), FileStream)
    nobody: Any = "java"
    with pytest.raises(QueryError, match="there is no reader 'java'"):
        host.nquads(spark, tmp_path, reader=nobody)


@pytest.mark.thorough
def test_a_further_micro_batch_compiles_nothing(spark: SparkSession, tmp_path: Path) -> None:
    data, jvm = tmp_path / "data", cast("Any", spark.sparkContext._jvm)
    data.mkdir()

    def compiled_after(number: int) -> int:
        (data / f"{number}.nq").write_text(lines(20 * number, 20))
        streams = {S1: host.nquads(spark, data, 1)}
        started = host.start(spark, QUERY, streams, host.Parquet(tmp_path / "out"), tmp_path / "ck")
        host.drain(started)
        started.stop()
        metrics = jvm.org.apache.spark.metrics.source.CodegenMetrics
        return int(metrics.METRIC_COMPILATION_TIME().getCount())

    compiled_after(1)
    assert compiled_after(2) == compiled_after(3)


def test_settings_that_nobody_made_are_forgotten(spark: SparkSession) -> None:
    jvm = cast("Any", spark.sparkContext._jvm)
    settings = jvm.org.apache.hadoop.conf.Configuration()
    settings.addResource("yarn-default.xml")
    settings.set("yarn.acl.enable", "true")
    assert settings.get("yarn.nodemanager.hostname") is not None
    jvm.askos.LocalFiles.forget(settings, "yarn-default.xml")
    assert settings.get("yarn.nodemanager.hostname") is None
    assert settings.get("yarn.acl.enable") == "true"
    assert settings.get("fs.defaultFS") is not None


BEGINNING = """
from askos import spark
settings = spark.session(log=r"{log}")._jsparkSession.sessionState().newHadoopConf()
print(settings.get("fs.defaultFS") is not None, settings.get("yarn.nodemanager.hostname"))
"""


@pytest.mark.thorough
def test_a_session_that_begins_brings_none_of_them_back(tmp_path: Path) -> None:
    command = [sys.executable, "-c", BEGINNING.format(log=tmp_path / "log")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "None"]
