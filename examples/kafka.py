"""A Kafka topic in, a Kafka topic out, by Spark's own connector: any DataFrame is a stream.

python examples/kafka.py FOLDER      starts a broker, sends half an hour of a wind park to the topic
                                     `readings`, answers to the topic `answers`, and reads that
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - as everybody calls it

from askos import local, spark
from askos.generate import windpark
from askos.io.table import table
from askos.sources import Catalogue
from askos.terms import XSD, Literal, URIRef, Variable, n3, parse_term
from examples.broker import broker, connector

READINGS: Final = URIRef(windpark.WIND + "readings")
TURBINE, MEAN = Variable("turbine"), Variable("mean")
PREFIXES: Final = {"": windpark.WIND}
QUERY: Final = """
PREFIX : <http://wind.example/>
SELECT ?turbine (AVG(?kw) AS ?mean)
FROM NAMED STREAM :readings [NOW - 10 MINUTE SLIDE 10 MINUTE]
WHERE { GRAPH :readings { ?turbine :power ?kw } }
GROUP BY ?turbine
"""
# Partitions are read side by side: what they are apart counts as lateness, too.
SOURCES: Final = Catalogue().stream(READINGS, lateness_ms=5 * 60_000, ahead_ms=60_000)


# ---- the recipe ------------------------------------------------------------------------------


def topic(session: SparkSession, servers: str, name: str) -> DataFrame:
    """The messages of a topic, from its beginning on, as Spark's connector gives them."""
    reader = session.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
    reader = reader.option("subscribe", name).option("startingOffsets", "earliest")
    return reader.option("maxOffsetsPerTrigger", 200).load()


def triples(messages: DataFrame) -> DataFrame:
    """Messages such as {"turbine": "T01", "kw": 812.5, "ms": 1780272000000}, as triples.

    The other columns stay: askos finds the order of messages and the times of their arrival there.
    """
    fields = F.from_json(F.col("value").cast("string"), "turbine string, kw double, ms bigint")
    number = F.concat(
        F.lit('"'), fields["kw"], F.lit('"^^<http://www.w3.org/2001/XMLSchema#double>')
    )
    return messages.select(
        F.concat(F.lit("<http://wind.example/"), fields["turbine"], F.lit(">")).alias("s"),
        F.lit("<http://wind.example/power>").alias("p"),
        number.alias("o"),
        fields["ms"].alias("ts"),
        "topic", "partition", "offset", "timestamp",
    )  # fmt: skip


def messages(answers: DataFrame) -> DataFrame:
    """A message for each answer.  Equal answers make equal messages, so a reader can leave out
    what is sent again after a failure."""
    value = F.to_json(F.struct("turbine", "mean", "at")).alias("value")
    return answers.where("output = 'result'").select(F.col("turbine").alias("key"), value)


@dataclass(frozen=True, slots=True)
class Topic:
    """A sink: a topic that gets a message for each answer, at least once."""

    servers: str
    name: str

    def writer(self, answers: DataFrame) -> Any:
        """What Spark writes with."""
        writer = messages(answers).writeStream.format("kafka").outputMode("append")
        return writer.option("kafka.bootstrap.servers", self.servers).option("topic", self.name)


# ---- tried -----------------------------------------------------------------------------------


def main(arguments: list[str]) -> int:
    """Send, answer, read back, and compare with the local host."""
    (folder,) = (Path(argument).absolute() for argument in arguments)
    jars = ",".join(map(str, connector(folder)))
    session = spark.session(settings={"spark.jars": jars}, log=folder / "spark.log")
    checkpoint = folder / "checkpoint"
    shutil.rmtree(checkpoint, ignore_errors=True)
    with broker(folder, partitions=2) as servers:
        print(f"{send(session, servers)} messages sent to the topic readings", flush=True)
        streams = {READINGS: triples(topic(session, servers, "readings"))}
        spark.run(session, QUERY, streams, Topic(servers, "answers"), checkpoint, sources=SOURCES)
        answers = received(session, servers)
    print(f"{len(answers)} messages read from the topic answers, the first of them:")
    print(json.dumps(answers[0]))
    print(table(["turbine", "mean", "at"], [[*a.values()] for a in answers], PREFIXES))
    same = answers == alone()
    print("the local host answers the same" if same else "THE LOCAL HOST ANSWERS SOMETHING ELSE")
    session.stop()
    return 0 if same else 1


def readings() -> Iterator[tuple[str, float, int]]:
    """Half an hour of the power of three turbines, in the order of their delivery."""
    rows = windpark.streams(windpark.WindPark(turbines=3, minutes=30))["scada"].to_pylist()
    for row in rows:
        if row["p"] == f"<{windpark.ACTIVE_POWER}>":
            name = row["s"].removeprefix(f"<{windpark.WIND}").removesuffix(">")
            yield name, float(str(parse_term(row["o"]))), row["ts"]


def send(session: SparkSession, servers: str) -> int:
    """Put them into the topic, by turbine: each message knows its partition by its key."""
    rows = list(readings())
    frame = session.createDataFrame(rows, "turbine string, kw double, ms bigint").coalesce(1)
    messages = frame.select(F.col("turbine").alias("key"), F.to_json(F.struct("*")).alias("value"))
    writer = messages.write.format("kafka").option("kafka.bootstrap.servers", servers)
    writer.option("topic", "readings").save()
    return len(rows)


def received(session: SparkSession, servers: str) -> list[dict[str, Any]]:
    """What is in the topic of answers, each message once, in the order of time."""
    reader = session.read.format("kafka").option("kafka.bootstrap.servers", servers)
    rows = reader.option("subscribe", "answers").load().selectExpr("cast(value as string)")
    return sorted((json.loads(row["value"]) for row in rows.distinct().collect()), key=_order)


def alone() -> list[dict[str, Any]]:
    """What the local host answers to the same readings."""
    power, number = URIRef(windpark.WIND + "power"), XSD.double
    rows = [
        (URIRef(windpark.WIND + name), power, Literal(str(kw), datatype=number), ms)
        for name, kw, ms in readings()
    ]
    found = (
        {"turbine": n3(row[TURBINE]), "mean": n3(row[MEAN]), "at": answer.at}
        for answer in local.run(QUERY, {READINGS: rows})
        for row in answer.rows
    )
    return sorted(found, key=_order)


def _order(answer: dict[str, Any]) -> tuple[int, str]:
    return answer["at"], answer["turbine"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
