"""Answers read back from a Parquet sink, as rdflib's terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import Row

from askos.algebra import Element, Operator, Payload
from askos.algebra.streams import Item
from askos.interval import Interval
from askos.prepared import Prepared, prepare
from askos.spark.answers import RESULTS, Answers
from askos.spark.sources import located
from askos.terms import Solution, Triple, Variable, parse_term
from askos.translate import ast


def elements(
    spark: SparkSession, folder: str | Path, query: str | ast.Query | Operator | Prepared
) -> Iterator[Element]:
    """The answers of `query` that the sink `Parquet(folder)` holds, in no order."""
    prepared = prepare(query)
    payload = prepared.canonical.payload
    for row in rows(spark, folder, prepared.columns, f"output = '{RESULTS}'"):
        yield element(row.asDict(), prepared.columns, payload)


def rows(
    spark: SparkSession, folder: str | Path, columns: Sequence[Variable], condition: str
) -> Iterator[Row]:
    """The rows that the sink `Parquet(folder)` holds, where a condition in SQL is true.

    Spark reads its own log of the files that count: what a killed micro-batch left is not there.
    """
    if not Path(located(folder)).exists():
        return iter(())
    # The schema is given, because a sink that has had no rows yet does not tell it.
    frame: DataFrame = spark.read.schema(Answers(tuple(columns)).schema).parquet(located(folder))
    return frame.where(condition).toLocalIterator()


def element(row: Mapping[str, Any], columns: Sequence[Variable], payload: Payload) -> Element:
    """A row of answers: N-Triples texts by column, ts and te."""
    texts = {v: row[str(v)] for v in columns if row[str(v)] is not None}
    return Element(_item(texts, payload), Interval(row["ts"], row["te"]))


def _item(texts: Mapping[Variable, str], payload: Payload) -> Item:
    terms: dict[Variable, Any] = {v: parse_term(text) for v, text in texts.items()}
    match payload:
        case Payload.TRIPLE:
            return Triple(*terms.values())
        case Payload.BOOLEAN:
            return [str(term) for term in terms.values()] == ["true"]
    return Solution(terms)
