"""A session that is not of our making: what the process does that `test_foreign` starts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from askos import spark as host
from askos.errors import AskosError
from askos.terms import URIRef

STREAM = URIRef("http://example.org/s1")
QUERY = f"""SELECT ?x ?y FROM STREAM <{STREAM}> WINDOW RANGE 10 SLIDE 5
{{ ?x <http://example.org/p> ?y FILTER (?x != <http://example.org/a9>) }}"""
OWN = {
    "spark.sql.session.timeZone": "Asia/Tokyo",
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.shuffle.partitions": "200",
}


def main(folder: Path) -> None:
    user = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    for name, value in OWN.items():
        user.conf.set(name, value)
    before = state(user)
    assert host.session() is user
    assert state(user) == before
    stream = host.nquads(user, folder / "data")
    host.run(user, QUERY, {STREAM: stream}, host.Parquet(folder / "out"), folder / "ck")
    assert state(user) == before
    found = answers(user, folder / "out")
    print(found)
    user.stop()
    for what in (
        lambda: host.nquads(user, folder / "data"),
        lambda: host.run(user, QUERY, {STREAM: stream}, host.Console(), folder / "ck"),
        lambda: list(host.elements(user, folder / "out", QUERY)),
    ):
        try:
            what()
        except AskosError as error:
            print(error.message)
    ours = host.session()
    assert ours is not user
    streams = {STREAM: host.nquads(ours, folder / "data")}
    host.run(ours, QUERY, streams, host.Parquet(folder / "again"), folder / "ck of ours")
    assert answers(ours, folder / "again") == found


def answers(spark: SparkSession, folder: Path) -> list[tuple[Any, ...]]:
    rows = spark.read.parquet(str(folder)).select("y", "ts", "te")
    return sorted(map(tuple, rows.collect()))


def state(spark: SparkSession) -> Any:
    """What a query must leave as it was."""
    context = spark.sparkContext
    return {name: spark.conf.get(name) for name in OWN}, context.pythonExec, context.environment


if __name__ == "__main__":
    main(Path(sys.argv[1]))
