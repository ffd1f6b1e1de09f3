"""A windowed join, ours and Spark's own, over the same files; and queries that join nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from askos import spark as host
from askos.algebra import Join, Pattern, SlidingWindow, StreamAccess
from askos.spark.sources import Reader
from askos.terms import URIRef, Variable

BASE: Final = "http://bench.example/"
LEFT, RIGHT = URIRef(BASE + "left"), URIRef(BASE + "right")
X, Y, Z = map(Variable, "xyz")
START: Final = 1_780_272_000_000  # Spark takes a time of 0 for a late one
ONCE: Final = {"availableNow": True}  # over all there is


@dataclass(frozen=True, slots=True)
class Data:
    """Two streams of one triple a millisecond each, in files of a micro-batch's size.

    There are as many subjects as the window holds elements, so that an element meets about two.
    """

    folder: Path
    rows: int
    batches: int

    @property
    def window(self) -> int:
        return self.rows

    def write(self) -> Data:
        generator = np.random.default_rng(7)
        half = self.rows // 2
        for name in ("left", "right"):
            (self.folder / name).mkdir(parents=True)
            for number in range(self.batches):
                subjects = generator.integers(0, self.window, half)
                values = generator.integers(0, 100_000, half)
                table = pa.table(
                    {
                        "s": pa.array([f"<{BASE}turbine/{i}>" for i in subjects.tolist()]),
                        "p": pa.array([f"<{BASE}{name}>"] * half),
                        "o": pa.array(
                            [
                                f'"{v / 10:.1f}"^^<http://www.w3.org/2001/XMLSchema#double>'
                                for v in values.tolist()
                            ]
                        ),
                        "ts": pa.array(np.arange(half, dtype=np.int64) + START + number * half),
                    }
                )
                file = self.folder / name / f"{number:04}.parquet"
                pq.write_table(table, file)
                os.utime(file, (1_700_000_000 + number,) * 2)
        return self


# ---- queries ---------------------------------------------------------------------------------


def ours(
    spark: SparkSession,
    data: Data,
    folder: Path,
    reader: Reader | None = None,
    buckets: int | None = None,
) -> StreamingQuery:
    """Our join, as any plan."""
    sink, checkpoint = host.Parquet(folder / "out"), folder / "checkpoint"
    given = _join(spark, data, reader)
    return host.start(spark, *given, sink, checkpoint, trigger=ONCE, buckets=buckets)


def through_spark(spark: SparkSession, data: Data, folder: Path) -> StreamingQuery:
    """Our join, whose answers are rows for a sink of Spark's."""
    answers = host.compile(spark, *_join(spark, data), checkpoint=folder / "checkpoint")
    with host.settings(spark):
        return _to_parquet(answers.select("x", "y", "z", "ts", "te"), folder)


def _join(
    spark: SparkSession, data: Data, reader: Reader | None = None
) -> tuple[Join, dict[URIRef, DataFrame]]:
    def side(stream: URIRef, value: Variable) -> Pattern:
        return Pattern(X, stream, value, SlidingWindow(StreamAccess(stream), data.window, 1))

    streams = {
        LEFT: host.parquet(spark, data.folder / "left", files_per_trigger=1, reader=reader),
        RIGHT: host.parquet(spark, data.folder / "right", files_per_trigger=1, reader=reader),
    }
    return Join(side(LEFT, Y), side(RIGHT, Z)), streams


def _to_parquet(rows: DataFrame, folder: Path) -> StreamingQuery:
    writer = rows.writeStream.format("parquet").option("path", str(folder / "out"))
    writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
    return writer.trigger(**ONCE).start()


def native(spark: SparkSession, data: Data, folder: Path) -> StreamingQuery:
    """Spark's stream-stream join."""

    def side(name: str, value: str) -> DataFrame:
        rows = host.parquet(spark, data.folder / name, files_per_trigger=1)
        chosen = rows.where(F.col("p") == f"<{BASE}{name}>")
        return chosen.select(
            F.col("s").alias(f"{name}_x"),
            F.col("o").alias(value),
            F.timestamp_millis(F.col("ts")).alias(f"{name}_time"),
            F.col("ts").alias(f"{name}_ts"),
        ).withWatermark(f"{name}_time", "0 seconds")

    width = f"interval {data.window} milliseconds"
    met = (
        (F.col("left_x") == F.col("right_x"))
        & (F.col("left_time") > F.col("right_time") - F.expr(width))
        & (F.col("right_time") > F.col("left_time") - F.expr(width))
    )
    pairs = side("left", "y").join(side("right", "z"), met)
    later = F.greatest("left_ts", "right_ts")
    earlier = F.least("left_ts", "right_ts") + data.window
    made = pairs.select(
        F.col("left_x").alias("x"), "y", "z", later.alias("ts"), earlier.alias("te")
    )
    return _to_parquet(made, folder)


def stateless(spark: SparkSession, data: Data, folder: Path) -> StreamingQuery:
    """Read, filter, project, write."""

    def side(name: str) -> DataFrame:
        rows = host.parquet(spark, data.folder / name, files_per_trigger=1)
        return rows.where(F.col("p") == f"<{BASE}{name}>")

    both = side("left").union(side("right"))
    te = (F.col("ts") + data.window).alias("te")
    return _to_parquet(both.select(F.col("s").alias("x"), "p", "o", "ts", te), folder)


def empty(spark: SparkSession, data: Data, folder: Path) -> StreamingQuery:
    """Read, filter, hand the rows to Python, and go through one stateful stage with a row for each
    bucket, which reads and writes one value: what any such query costs on Spark."""

    def side(name: str) -> DataFrame:
        rows = host.parquet(spark, data.folder / name, files_per_trigger=1)
        return rows.where(F.col("p") == f"<{BASE}{name}>").mapInArrow(_as_buckets, "bucket int")

    both = side("left").union(side("right"))
    with host.settings(spark):
        staged = both.groupBy("bucket").transformWithState(
            Nothing(), "bucket int", "Append", "None"
        )
        return _to_parquet(staged, folder)


def _as_buckets(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        pass
    yield pa.record_batch({"bucket": pa.array([0, 1], pa.int32())})


class Nothing(StatefulProcessor):
    """Keeps one value for each bucket, and hands on what it is given."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Called by Spark when a task starts."""
        self._state = handle.getMapState("state", "id bigint", "data binary")

    def handleInputRows(  # noqa: N802 - Spark's name
        self,
        key: Any,
        rows: Iterator[Row],
        timerValues: Any,  # noqa: N803 - Spark's name
    ) -> Iterator[Row]:
        """Called by Spark for each bucket with rows."""
        yield from rows
        self._state.getValue((0,))
        self._state.updateValue((0,), (b"nothing",))
