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
from askos.screen import visible
from askos.spark.answers import REPORTS, RESULTS
from askos.spark.sources import located
from askos.spark.split import as_alone, whose
from askos.terms import Variable
from askos.translate.kinds import WHOSE


class Sink(Protocol):
    """Takes a streaming DataFrame of answers."""

    def writer(self, answers: DataFrame) -> Any:
        """A DataStreamWriter, all but its checkpoint and trigger."""


@dataclass(frozen=True, slots=True)
class Parquet:
    """A folder of Parquet files, each answer exactly once, even after kill -9.

    Results, reports, late and refused rows are in the subfolders output=result, output=report,
    output=late and output=refused; Spark reads the folder as one table with a column `output`.
    Those of several queries are split by query: query=NAME/output=result and so on.
    """

    folder: str | Path

    def writer(self, answers: DataFrame) -> Any:
        """Spark's own file sink, which logs the files of each micro-batch.  `askos.spark.start`
        needs it only where the stages cannot write the files themselves."""
        writer = answers.writeStream.format("parquet").option("path", located(self.folder))
        parts = [name for name in ("query", "output") if name in _own(answers)]
        return writer.partitionBy(*parts).outputMode("append")


@dataclass(frozen=True, slots=True)
class Console:
    """The terminal: a table for each micro-batch that has answers, or for each report."""

    prefixes: dict[str, str] = field(default_factory=dict)

    def writer(self, answers: DataFrame) -> Any:
        """Prints where the driver runs."""
        return answers.writeStream.foreachBatch(self._print).outputMode("append")

    def _print(self, batch: DataFrame, number: int) -> None:
        rows = [row.asDict() for row in batch.collect()]
        own = _own(batch)
        if "query" not in own:
            self._tell(rows, [name for name in batch.columns if name not in own], "at" in own)
            return
        for query, found in groupby(sorted(rows, key=whose), whose):
            print(f"{query}:", flush=True)
            self._tell_one(list(found))

    def _tell_one(self, rows: Sequence[Any]) -> None:
        """Rows of one query among several, with the columns that any of them has."""
        results = [row for row in rows if row["output"] in (RESULTS, REPORTS)]
        said = dict.fromkeys(name for row in rows for name in row["columns"] or ())
        names = [name for name in said if name != WHOSE]
        told = any(row["at"] is not None for row in results)
        self._tell([as_alone(row, [*map(Variable, names)]) for row in rows], names, told)

    def _tell(self, rows: Sequence[Any], variables: Sequence[str], told: bool) -> None:
        for text in (self._reports if told else self._intervals)(rows, variables):
            print(text, flush=True)
        for row in rows:
            if row["output"] not in (RESULTS, REPORTS):
                print(f"{row['output']}: {visible(row['note'])}", flush=True)

    def _intervals(self, rows: Sequence[Any], variables: Sequence[str]) -> Iterator[str]:
        shown = [*variables, "ts", "te"]
        cells = [[row[name] for name in shown] for row in rows if row["output"] == RESULTS]
        cells.sort(key=_interval)
        if cells:
            yield table(shown, cells, self.prefixes)

    def _reports(self, rows: Sequence[Any], variables: Sequence[str]) -> Iterator[str]:
        """A heading and a table for each report; one line where it has no rows."""
        told = [row for row in rows if row["output"] in (RESULTS, REPORTS)]
        for at, report in groupby(sorted(told, key=itemgetter("at")), key=itemgetter("at")):
            results = sorted((row for row in report if row["output"] == RESULTS), key=_place)
            cells = [[row[name] for name in variables] for row in results]
            rest = f"\n{table(variables, cells, self.prefixes)}" if cells else ": no rows"
            yield f"at {moment(at)}{rest}"


def _own(answers: DataFrame) -> set[str]:
    """The columns that are no variables.  Terms are texts: a variable may have the name of a column
    that only other answers have."""
    kinds = dict(answers.dtypes)
    own = {name for name, kind in kinds.items() if kind == "bigint"} | {"output", "note"}
    several = kinds.get("columns") == "map<string,string>"
    return own | ({"query", "columns"} if several else set())


def _place(row: dict[str, Any]) -> Any:
    """Where a row comes in its report: by the query's order, else by what it says."""
    place = row.get("place")
    return place if isinstance(place, int) else [str(value) for value in row.values()]


def _interval(cells: list[Any]) -> tuple[int, int, list[str]]:
    *texts, start, end = cells
    return start, end, [str(text) for text in texts]
