"""Streams from files on Spark: the same statements as `askos.io` reads, and times of arrival."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession

from askos import spark as host
from askos.algebra import SlidingWindow, StreamAccess
from askos.columns import Coder
from askos.errors import QueryError
from askos.interval import FOREVER
from askos.io import read_nquads
from askos.physical import ingest
from askos.spark.sources import triples
from tests.build import EX, S1, X, Y, pattern
from tests.io.labels import BAD, GOOD
from tests.io.quads import LINES, REFUSED, TAKEN

A = f"<{EX.a}>"
LITERALS = [
    '"plain"',
    '"a \\" <urn:ms:5> . # b"',  # what looks like the end of a statement is in quotes
    '"' + "long " * 5000 + '"@en-GB',
    '"\\\\"^^<http://www.w3.org/2001/XMLSchema#string>',
    "_:b1",
]


def collected(frame: DataFrame, folder: Path) -> list[Any]:
    """All rows of a streaming DataFrame."""
    rows: list[Any] = []
    query = (
        frame.writeStream.foreachBatch(lambda batch, _: rows.extend(batch.collect()))
        .option("checkpointLocation", str(folder / "collected"))
        .start()
    )
    query.processAllAvailable()
    query.stop()
    return rows


def test_spark_reads_the_same_instants(spark: SparkSession, tmp_path: Path) -> None:
    lines = [f'{A} {A} "{n}" {label} .' for n, label in enumerate([*GOOD, *BAD])]
    lines += [f"{A} {A} {o} <urn:ms:7> . # a comment" for o in LITERALS]
    lines += [f"{A}{A}{A}{label}." for label in GOOD]
    file = tmp_path / "labels [1], {a}.nq"  # which is no pattern
    file.write_text("\n".join(lines))
    (tmp_path / "labels 1.nq").write_text("another file")
    statements, rejected = read_nquads(file)
    assert statements["ts"].to_pylist()[: len(GOOD)] == list(GOOD.values())
    assert len(rejected) == len(BAD)
    want = [tuple(row.values()) for row in statements.select(["s", "p", "o", "ts"]).to_pylist()]
    with host.settings(spark):
        rows = collected(host.nquads(spark, file), tmp_path)
    assert len(rows) == len(lines)
    assert [tuple(r)[:4] for r in rows if r.ts is not None and 0 <= r.ts < FOREVER] == want


def test_spark_itself_takes_the_lines_that_the_grammar_takes(
    spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "lines.nq").write_bytes("\n".join(LINES).encode())
    with host.settings(spark):
        rows = collected(host.nquads(spark, tmp_path / "lines.nq", reader="spark"), tmp_path)
    assert len(rows) == len(TAKEN | REFUSED)
    s, p, o, ts = (pa.array([row[name] for row in rows]) for name in ("s", "p", "o", "ts"))
    refused = ingest(s, p, o, ts, Coder.fresh()).refused.tolist()
    told = [number for number in range(1, len(LINES) + 1) if number in TAKEN | REFUSED]
    assert {told[place] for place in refused} == REFUSED


@pytest.mark.thorough
def test_arrival_is_the_micro_batchs_time_also_when_it_is_run_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    data, checkpoint, out = (tmp_path / name for name in ("data", "checkpoint", "out"))
    data.mkdir()
    (data / "1.nt").write_text(f"# N-Triples\n{A} <{EX.p}> {A} .\n{A} <{EX.p}> {A} <urn:ms:1> .\n")
    plan = pattern(X, "p", Y, SlidingWindow(StreamAccess(S1), 10, 1))

    def run(sink: host.Sink) -> None:
        streams = {S1: host.nquads(spark, data, stamp="arrival")}
        host.run(spark, plan, streams, sink, checkpoint)

    with pytest.raises(StreamingQueryException, match="no room"):
        run(Broken())
    logged = json.loads((checkpoint / "offsets" / "0").read_text().splitlines()[1])
    assert not (checkpoint / "commits" / "0").exists()
    run(host.Parquet(out))
    rows = spark.read.parquet(str(out)).collect()
    assert [r["ts"] for r in rows if r["output"] == "result"] == [logged["batchTimestampMs"]]
    (refused,) = [r["note"] for r in rows if r["output"] == "refused"]
    assert "<urn:ms:1>" in refused


class Broken:
    """A sink that fails once Spark has logged the micro-batch."""

    def writer(self, answers: DataFrame) -> Any:
        return answers.writeStream.foreachBatch(self._fail)

    def _fail(self, batch: DataFrame, number: int) -> None:
        raise OSError("no room")


def test_parquet_may_be_stamped_on_arrival_and_chosen_by_name(
    spark: SparkSession, tmp_path: Path
) -> None:
    data = tmp_path / "data {a,b}" / "deeper"
    data.mkdir(parents=True)
    pq.write_table(pa.table({name: [A] for name in "spo"}), data / "one.parquet")
    (data / "one.nq").write_text("no Parquet")
    frame = host.parquet(spark, data.parent, stamp="arrival", files="*.parquet")
    (row,) = collected(frame, tmp_path)
    assert tuple(row)[:3] == (A, A, A)
    log = tmp_path / "collected" / "offsets" / "0"
    assert row.ts == json.loads(log.read_text().splitlines()[1])["batchTimestampMs"]
    with pytest.raises(QueryError, match="there is no stamp 'now'"):
        host.parquet(spark, data, stamp="now")  # type: ignore[arg-type]


@pytest.mark.thorough
def test_a_source_numbers_its_rows_itself_or_kafka_does(spark: SparkSession) -> None:
    columns = "s string, p string, o string, ts bigint"
    row = ("<http://e/a>", "<http://e/p>", '"1"', 5)
    own = spark.createDataFrame([(*row, 7)], f"{columns}, seq int")
    assert [r["seq"] for r in triples(own, ordered=True).collect()] == [7]
    assert triples(own).columns == ["s", "p", "o", "ts"]
    kafka = f"{columns}, topic string, partition int, offset bigint, timestamp timestamp"
    rows = [(*row, "wind", part, offset, None) for part, offset in ((0, 3), (0, 4), (1, 0))]
    numbers = [
        r["seq"] for r in triples(spark.createDataFrame(rows, kafka), ordered=True).collect()
    ]
    assert numbers == sorted(set(numbers))
    assert "seq" not in triples(spark.createDataFrame([row], columns), ordered=True).columns
