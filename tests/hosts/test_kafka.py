"""The recipe of examples/kafka.py, without a broker: messages to triples, answers to messages."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from pyspark.sql import SparkSession

from askos.terms import parse_term
from examples import kafka
from tests.pages import DOCS, blocks

COLUMNS = (
    "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp"
)


def test_messages_become_triples_and_keep_what_kafka_says_of_them(spark: SparkSession) -> None:
    sent = datetime(2026, 6, 1, tzinfo=UTC)
    values = b'{"turbine": "T01", "kw": 812.5, "ms": 1780272000000}', b"no JSON"
    rows = [(None, bytearray(value), "readings", 1, at, sent) for at, value in enumerate(values)]
    got = kafka.triples(spark.createDataFrame(rows, COLUMNS))
    assert got.columns == ["s", "p", "o", "ts", "topic", "partition", "offset", "timestamp"]
    first, second = ([*row][:4] for row in got.collect())
    assert first == [
        "<http://wind.example/T01>",
        "<http://wind.example/power>",
        '"812.5"^^<http://www.w3.org/2001/XMLSchema#double>',
        1780272000000,
    ]
    assert second[0] is second[2] is second[3] is None  # which is refused


def test_answers_become_messages_and_the_rest_does_not(spark: SparkSession) -> None:
    answers = [("<T01>", '"5"', 10, "result"), (None, None, 10, "report")]
    given = spark.createDataFrame(answers, "turbine string, mean string, at bigint, output string")
    (message,) = kafka.messages(given).collect()
    assert message["key"] == "<T01>"
    assert json.loads(message["value"]) == {"turbine": "<T01>", "mean": '"5"', "at": 10}


def test_the_page_shows_what_the_run_against_a_broker_printed() -> None:
    printed = (DOCS / "kafka.txt").read_text(encoding="utf-8")
    assert printed in [block.text for block in blocks(DOCS / "spark.md")]
    shown = [line.split()[:2] for line in printed.splitlines() if line.startswith(":T")]
    told = [
        [f":{answer['turbine'][-4:-1]}", f"{float(str(parse_term(answer['mean']))):.3f}"]
        for answer in kafka.alone()
    ]
    assert shown == told
