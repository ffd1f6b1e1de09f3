"""Where answers go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql import DataFrame

from askos.interval import moment
from askos.io.table import table
from askos.spark.answers import REPORTS, RESULTS
from askos.spark.sources import located


class Sink(Protocol):
    """Takes a streaming DataFrame of answers."""

    def writer(self, answers: DataFrame) -> Any:
        """A DataStreamWriter, all but its checkpoint and trigger."""


@dataclass(frozen=True, slots=True)
class Parquet:
    """A folder of Parquet files, each answer exactly once, even after kill -9.

    Results, reports, late and refused rows are in the subfolders output=result, output=report,
    output=late and output=refused; Spark reads the folder as one table with a column `output`.
    """

    folder: str | Path

    def writer(self, answers: DataFrame) -> Any:
        """Spark's own file sink, which logs the files of each micro-batch."""
        writer = answers.writeStream.format("parquet").option("path", located(self.folder))
        return writer.partitionBy("output").outputMode("append")


@dataclass(frozen=True, slots=True)
class Console:
    """The terminal: a table for each micro-batch that has answers, or for each report."""

    prefixes: dict[str, str] = field(default_factory=dict)

    def writer(self, answers: DataFrame) -> Any:
        """Prints where the driver runs."""
        return answers.writeStream.foreachBatch(self._print).outputMode("append")

    def _print(self, batch: DataFrame, number: int) -> None:
        rows = batch.collect()
        # Terms are texts: a variable may have the name of a column that only other answers have.
        own = {name for name, kind in batch.dtypes if kind == "bigint"} | {"output", "note"}
        variables = [name for name in batch.columns if name not in own]
        told = self._reports if "at" in own else self._intervals
        for text in told(rows, variables):
            print(text, flush=True)
        for row in rows:
            if row["output"] not in (RESULTS, REPORTS):
                print(f"{row['output']}: {row['note']}", flush=True)

    def _intervals(self, rows: Sequence[Any], variables: Sequence[str]) -> Iterator[str]:
        shown = [*variables, "ts", "te"]
        cells = [[row[name] for name in shown] for row in rows if row["output"] == RESULTS]
        cells.sort(key=_interval)
        if cells:
            yield table(shown, cells, self.prefixes)

    def _reports(self, rows: Sequence[Any], variables: Sequence[str]) -> Iterator[str]:
        """A heading and a table for each report; one line where it has no rows."""
        told = [row.asDict() for row in rows if row["output"] in (RESULTS, REPORTS)]
        for at, report in groupby(sorted(told, key=itemgetter("at")), key=itemgetter("at")):
            results = sorted((row for row in report if row["output"] == RESULTS), key=_place)
            cells = [[row[name] for name in variables] for row in results]
            rest = f"\n{table(variables, cells, self.prefixes)}" if cells else ": no rows"
            yield f"at {moment(at)}{rest}"


def _place(row: dict[str, Any]) -> Any:
    """Where a row comes in its report: by the query's order, else by what it says."""
    place = row.get("place")
    return place if isinstance(place, int) else [str(value) for value in row.values()]


def _interval(cells: list[Any]) -> tuple[int, int, list[str]]:
    *texts, start, end = cells
    return start, end, [str(text) for text in texts]
