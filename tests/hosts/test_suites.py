"""The independent suites on Spark: samples, for a query takes seconds there."""

from __future__ import annotations

from functools import partial

import pytest
from pyspark.sql import SparkSession

from tests.oracles.hosts import on_spark
from tests.oracles.test_snapshots import difference, draw
from tests.oracles.test_w3c_hosts import check
from tests.oracles.w3c_hosts import as_streams
from tests.oracles.w3c_sample import SAMPLE

QUERIES = range(60)
EVERY = {"quick": 60, "thorough": 20, "soak": 1}  # of which one is taken


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    step = EVERY.get(metafunc.config.getoption("--hypothesis-profile"), EVERY["quick"])
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", SAMPLE[::step])
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", QUERIES[::step])


def test_a_query_over_streams_answers_as_w3c_says(spark: SparkSession, name: str) -> None:
    check(name, partial(as_streams, host=on_spark(spark), buckets=2, seed=name))


def test_a_query_answers_as_another_engine_does_at_every_instant(
    spark: SparkSession, number: int
) -> None:
    case = draw(number)
    assert difference(case, on_spark(spark), buckets=2, restarts=True) is None, case.text
