"""Where answers go."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql import DataFrame

from askos.io.table import table
from askos.spark.answers import RESULTS
from askos.spark.sources import located


class Sink(Protocol):
    """Takes a streaming DataFrame of answers."""

    def writer(self, answers: DataFrame) -> Any:
        """A DataStreamWriter, all but its checkpoint and trigger."""


@dataclass(frozen=True, slots=True)
class Parquet:
    """A folder of Parquet files, each answer exactly once, even after kill -9.

    Results, late and refused rows are in the subfolders output=result, output=late and
    output=refused; Spark reads the folder as one table with a column `output`.
    """

    folder: str | Path

    def writer(self, answers: DataFrame) -> Any:
        """Spark's own file sink, which logs the files of each micro-batch."""
        writer = answers.writeStream.format("parquet").option("path", located(self.folder))
        return writer.partitionBy("output").outputMode("append")


@dataclass(frozen=True, slots=True)
class Console:
    """The terminal: a table for each micro-batch that has answers."""

    prefixes: dict[str, str] = field(default_factory=dict)

    def writer(self, answers: DataFrame) -> Any:
        """Prints where the driver runs."""
        return answers.writeStream.foreachBatch(self._print).outputMode("append")

    def _print(self, batch: DataFrame, number: int) -> None:
        rows = batch.collect()
        results = [row for row in rows if row["output"] == RESULTS]
        shown = [name for name in batch.columns if name not in ("output", "note")]
        if results:
            cells = sorted([[row[name] for name in shown] for row in results], key=_interval)
            print(table(shown, cells, self.prefixes), flush=True)
        for row in rows:
            if row["output"] != RESULTS:
                print(f"{row['output']}: {row['note']}", flush=True)


def _interval(cells: list[Any]) -> tuple[int, int, list[str]]:
    *texts, start, end = cells
    return start, end, [str(text) for text in texts]
