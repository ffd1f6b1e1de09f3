"""What goes wrong around a query on Spark: each is told in a line, with what to do."""

from __future__ import annotations

import gzip
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from askos import spark as host
from askos.errors import QueryError, SetupError, StreamError
from askos.spark.sources import Reader
from tests.build import EX, S1
from tests.hosts.three import READERS

QUERY = f"SELECT ?x FROM STREAM <{S1}> WINDOW RANGE 10 SLIDE 5 {{ ?x <{EX.p}> ?y }}"
LINES = "".join(f'<{EX.a}{n}> <{EX.p}> "{n}" <urn:ms:{n}> .\n' for n in range(200))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "1.nq").write_text(LINES)
    return folder


def run(stream: DataFrame, out: str | Path, checkpoint: Path) -> None:
    host.run(stream.sparkSession, QUERY, {S1: stream}, host.Parquet(out), checkpoint)


def count(spark: SparkSession, out: Path) -> int:
    return spark.read.parquet(str(out)).where("output = 'result'").count()


@pytest.mark.thorough
def test_two_checkpoints_do_not_write_into_one_folder(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """Also where Spark alone reaches the folder: here by an address."""
    out, first, second = tmp_path / "out", tmp_path / "first", tmp_path / "second"
    streams, sink = {S1: host.nquads(spark, data)}, host.Parquet(f"file://{out}")
    started = host.start(spark, QUERY, streams, sink, first)
    try:
        with pytest.raises(SetupError, match=f"answers of another checkpoint: {first}"):
            host.start(spark, QUERY, streams, host.Parquet(out), second)
        host.drain(started)
    finally:
        started.stop()
    with pytest.raises(SetupError, match=f"answers of another checkpoint: {first}"):
        host.start(spark, QUERY, streams, sink, second)
    assert not (second / "offsets").exists()
    host.run(spark, QUERY, streams, sink, first)
    assert count(spark, out) == 200


def test_a_first_micro_batch_that_could_not_be_noted_is_begun_again(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    """As where a disk was full at that very moment."""
    stream, checkpoint = host.nquads(spark, data), tmp_path / "checkpoint"
    host.compile(spark, QUERY, {S1: stream}, checkpoint=checkpoint)
    (checkpoint / "offsets").mkdir()
    for name in (".0.6576bd95.tmp", "..0.6576bd95.tmp.crc"):
        (checkpoint / "offsets" / name).write_text("")
    run(stream, tmp_path / "out", checkpoint)
    assert count(spark, tmp_path / "out") == 200


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte, where this process may have one."""
    disk = tmp_path / "small"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root may mount a small disk")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=True)


@pytest.mark.thorough
@pytest.mark.parametrize("room", [0, 60])
def test_where_a_disk_was_full_the_query_goes_on_when_there_is_room(
    room: int, spark: SparkSession, data: Path, tmp_path: Path, small: Path
) -> None:
    """With `room` for so many KiB it fails at once, or later."""
    (small / "filler").write_bytes(bytes(1024 * (1024 - room)))
    with pytest.raises(SetupError, match=r"o space left on "):
        run(host.nquads(spark, data), tmp_path / "out", small / "checkpoint")
    (small / "filler").unlink()
    run(host.nquads(spark, data), tmp_path / "out", small / "checkpoint")
    assert count(spark, tmp_path / "out") == 200


def test_what_is_no_stream_of_a_session_is_told(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    row = ("<urn:a>", "<urn:p>", "<urn:b>", 1)
    for given in (spark.createDataFrame([row], "s string, p string, o string, ts bigint"), data):
        with pytest.raises(StreamError, match=f"<{S1}> is no streaming DataFrame"):
            host.compile(spark, QUERY, {S1: given}, checkpoint=tmp_path / "ck")  # type: ignore[arg-type]
    with pytest.raises(StreamError, match="nowhere is not there"):
        host.nquads(spark, tmp_path / "nowhere")
    (data / "again").symlink_to(data)
    with pytest.raises(StreamError, match="a link to a folder that it is in"):
        host.parquet(spark, data, files="*.parquet")
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match=f"File exists: {tmp_path / 'file'}"):
        run(host.nquads(spark, data), tmp_path / "out", tmp_path / "file")
    with pytest.raises(SetupError, match=f"File exists: {tmp_path / 'file'}"):
        run(host.nquads(spark, data), tmp_path / "file", tmp_path / "ck")
    assert not (tmp_path / "ck" / "offsets").exists()


def truncated(folder: Path) -> None:
    (folder / "2.nq.gz").write_bytes(gzip.compress(LINES.encode())[:200])


def false(folder: Path) -> None:
    (folder / "2.nq.gz").write_text(LINES)


def mended(folder: Path) -> None:
    (folder / "2.nq.gz").write_bytes(gzip.compress(LINES.replace(EX.a, EX.b).encode()))


@pytest.mark.thorough
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("damage", [truncated, false])
def test_a_file_that_cannot_be_read_is_named_and_when_it_is_mended_the_query_goes_on(
    damage: Callable[[Path], None], reader: Reader, spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    out, checkpoint = tmp_path / "out", tmp_path / "ck"
    damage(data)
    said = f"^{data}/2.nq.gz (cannot be read|is no whole gzip file): .*\nhint: put a whole file"
    with pytest.raises(StreamError, match=said):
        run(host.nquads(spark, data, reader=reader), out, checkpoint)
    mended(data)
    run(host.nquads(spark, data, reader=reader), out, checkpoint)
    assert count(spark, out) == 400


@pytest.mark.thorough
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_parquet_is_told(reader: Reader, spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "parquet").mkdir()
    (tmp_path / "parquet" / "1.parquet").write_text("no Parquet at all")
    stream = host.parquet(spark, tmp_path / "parquet", reader=reader)
    with pytest.raises(
        StreamError, match=r"1\.parquet cannot be read: .* is not a [Pp]arquet file"
    ):
        run(stream, tmp_path / "out", tmp_path / "ck")


@pytest.mark.thorough
@pytest.mark.parametrize("more", [False, True])
def test_other_files_on_a_checkpoint_are_refused(
    more: bool, spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    other, out, checkpoint = tmp_path / "other", tmp_path / "out", tmp_path / "ck"
    other.mkdir()
    (other / "1.nq").write_text(LINES)
    streams = {S1: host.nquads(spark, data)}
    started = host.start(spark, QUERY, streams, host.Parquet(out), checkpoint)
    host.drain(started)
    started.stop()
    given = host.nquads(spark, other)
    with pytest.raises(QueryError, match="the checkpoint was made with ") as refused:
        run(given.union(streams[S1]) if more else given, out, checkpoint)
    assert "\n" not in refused.value.message
