"""Answers that the stages write: any reader sees each once, whatever was run twice."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from askos import spark as host
from askos.errors import SetupError
from askos.spark.host import stopping
from askos.spark.logs import SINK, last_in
from askos.spark.parts import batch_of
from askos.spark.sinklog import SinkLog
from tests.build import EX, S1

QUERY = f"SELECT ?x ?y FROM STREAM <{S1}> WINDOW RANGE 10 SLIDE 5 {{ ?x <{EX.p}> ?y }}"
ROWS = 5  # in a file


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    add(folder, 0, 3)
    return folder


def add(folder: Path, first: int, stop: int) -> None:
    """Files, one for each micro-batch, in the order of age."""
    for file in range(first, stop):
        lines = (f'<{EX.a}{n}> <{EX.p}> "{n}" <urn:ms:{file * ROWS + n}> .\n' for n in range(ROWS))
        path = folder / f"{file:03}.nq"
        path.write_text("".join(lines))
        os.utime(path, (1_700_000_000 + file,) * 2)


def stream(spark: SparkSession, data: Path) -> dict[str, DataFrame]:
    return {S1: host.nquads(spark, data, files_per_trigger=1)}


def proceed(spark: SparkSession, data: Path, out: Path, checkpoint: Path) -> None:
    """As far as there is data; the end of input is still to come."""
    started = host.start(spark, QUERY, stream(spark, data), host.Parquet(out), checkpoint)
    try:
        host.drain(started)
    finally:
        started.stop()


def finish(spark: SparkSession, data: Path, out: Path, checkpoint: Path) -> None:
    host.run(spark, QUERY, stream(spark, data), host.Parquet(out), checkpoint)


def rows(spark: SparkSession, out: Path) -> list[tuple[str, str, int]]:
    found = spark.read.parquet(str(out)).where("output = 'result'").collect()
    return sorted((row["x"], row["y"], row["ts"]) for row in found)


def wanted(files: int) -> list[tuple[str, str, int]]:
    """By hand: each triple is valid from its arrival on."""
    times = ((n, file * ROWS + n) for file in range(files) for n in range(ROWS))
    return sorted((f"<{EX.a}{n}>", f'"{n}"', at) for n, at in times)


def leftovers(out: Path) -> list[str]:
    """Parts that no reader sees."""
    named = "".join(file.read_text() for file in (out / SINK).iterdir())
    return [file.name for file in out.rglob("*part-*") if file.name not in named]


@contextmanager
def written_by_spark(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Inside, stages cannot write answers themselves."""
    with monkeypatch.context() as patch:
        patch.setenv("PYSPARK_PIN_THREAD", "false")
        with pytest.warns(UserWarning, match="Spark itself writes"):
            yield


@pytest.mark.thorough
def test_any_reader_sees_all_answers_before_and_after_a_compaction(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    out, checkpoint = tmp_path / "an [odd] plåce %41", tmp_path / "checkpoint"
    for files in (3, 11, 12):
        add(data, 3, files)
        proceed(spark, data, out, checkpoint)
        assert last_in(out / SINK) == files - 1
        assert (out / SINK / "9.compact").exists() == (files > 9)
    finish(spark, data, out, checkpoint)
    assert rows(spark, out) == wanted(12)
    table = spark.read.parquet(str(out))
    assert dict(table.dtypes) == {
        **dict.fromkeys(("x", "y", "note", "output"), "string"),
        **dict.fromkeys(("ts", "te"), "bigint"),
    }
    assert {batch_of(file.name) for file in out.rglob("part-*")} <= set(range(13))
    assert len(list(host.elements(spark, out, QUERY))) == 12 * ROWS


@pytest.mark.thorough
def test_a_folder_that_spark_began_goes_on_and_back(
    spark: SparkSession, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an update, or where a session is now on a cluster; also over a compaction."""
    out, checkpoint = tmp_path / "out", tmp_path / "checkpoint"
    with written_by_spark(monkeypatch):
        proceed(spark, data, out, checkpoint)
    assert not any(batch_of(file.name) is not None for file in out.rglob("part-*"))
    kinds = dict(spark.read.parquet(str(out)).dtypes)
    add(data, 3, 11)
    proceed(spark, data, out, checkpoint)
    assert any(batch_of(file.name) is not None for file in out.rglob("part-*"))
    assert dict(spark.read.parquet(str(out)).dtypes) == kinds
    add(data, 11, 21)
    with written_by_spark(monkeypatch):
        proceed(spark, data, out, checkpoint)
    finish(spark, data, out, checkpoint)
    assert rows(spark, out) == wanted(21)
    assert {"9.compact", "19.compact"} < {file.name for file in (out / SINK).iterdir()}


@pytest.mark.thorough
def test_what_was_written_but_not_logged_is_written_again_and_removed(
    spark: SparkSession, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, checkpoint = tmp_path / "out", tmp_path / "checkpoint"

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(SinkLog, "add", full)
        with pytest.raises(SetupError, match="no space left on a disk"):
            proceed(spark, data, out, checkpoint)
    assert leftovers(out), "a file that the log does not name"
    assert not host_sees(spark, out)
    finish(spark, data, out, checkpoint)
    assert rows(spark, out) == wanted(3)
    assert not leftovers(out)


def host_sees(spark: SparkSession, out: Path) -> bool:
    return any(host.elements(spark, out, QUERY))


@pytest.mark.thorough
def test_a_micro_batch_that_is_in_the_log_counts_as_it_stands_there(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """The driver was killed before Spark noted that the micro-batch was done."""
    out, checkpoint = tmp_path / "out", tmp_path / "checkpoint"
    proceed(spark, data, out, checkpoint)
    before = (out / SINK / "2").read_text()
    for name in ("2", ".2.crc"):
        (checkpoint / "commits" / name).unlink(missing_ok=True)
    with pytest.raises(SetupError, match=f"micro-batch 2 .* with lateness 0 of <{S1}>"):
        host.start(
            spark, QUERY, stream(spark, data), host.Parquet(out), checkpoint, lateness={S1: 5}
        )
    finish(spark, data, out, checkpoint)
    assert (out / SINK / "2").read_text() == before
    assert rows(spark, out) == wanted(3)
    assert not leftovers(out)


def test_a_folder_without_the_answers_so_far_is_refused(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    out, checkpoint = tmp_path / "out", tmp_path / "checkpoint"
    proceed(spark, data, out, checkpoint)
    with pytest.raises(SetupError, match=r"lacks answers .* of micro-batches 0 to 2"):
        proceed(spark, data, tmp_path / "other", checkpoint)


def test_another_driver_on_the_checkpoint_is_told(
    spark: SparkSession, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever comes second to the log, for one micro-batch, stops."""
    out, checkpoint, add_ours = tmp_path / "out", tmp_path / "checkpoint", SinkLog.add

    def late(log: SinkLog, batch: int, entries: list[str]) -> None:
        add_ours(log, batch, [])
        add_ours(log, batch, entries)

    monkeypatch.setattr(SinkLog, "add", late)
    with pytest.raises(SetupError, match="another query is using the checkpoint"):
        proceed(spark, data, out, checkpoint)


@pytest.mark.parametrize("pinned", ["true", "false"])
def test_micro_batches_that_spark_gives_no_number_are_answered(
    spark: SparkSession, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pinned: str
) -> None:
    """A function for all micro-batches may look at them from a thread of its own, which Spark
    tells its tasks nothing of; and where threads are not pinned, no task hears anything."""
    monkeypatch.setenv("PYSPARK_PIN_THREAD", pinned)
    found = list[tuple[str, str, int]]()

    def take(batch: DataFrame, number: int) -> None:
        with ThreadPoolExecutor(1) as own:
            rows = own.submit(batch.where("output = 'result'").collect).result()
        found.extend((row["x"], row["y"], row["ts"]) for row in rows)

    checkpoint = tmp_path / "checkpoint"
    answers = host.compile(spark, QUERY, stream(spark, data), checkpoint=checkpoint)
    with host.settings(spark):
        writer = answers.writeStream.foreachBatch(take)
        started = writer.option("checkpointLocation", str(checkpoint)).start()
    with stopping(started):
        host.drain(started)
        host.Control(checkpoint).end()
        host.drain(started)
    assert sorted(found) == wanted(3)
