"""The independent suites on Spark: samples, for a query takes seconds there."""

from __future__ import annotations

from functools import partial

import pytest
from pyspark.sql import SparkSession

from tests.oracles.hosts import on_spark
from tests.oracles.test_csrbench import DIALECTS, SIZES, check_host
from tests.oracles.test_snapshots import difference, draw
from tests.oracles.test_w3c_hosts import check
from tests.oracles.w3c_hosts import as_streams
from tests.oracles.w3c_sample import SAMPLE

QUERIES = range(60)
EVERY = {"quick": 60, "thorough": 20, "soak": 1}  # of which one is taken


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    step = EVERY.get(metafunc.config.getoption("--hypothesis-profile"), EVERY["quick"])
    if metafunc.function is test_a_query_over_streams_answers_as_w3c_says:
        metafunc.parametrize("name", SAMPLE[::step])
    if "number" in metafunc.fixturenames:
        metafunc.parametrize("number", QUERIES[::step])


@pytest.mark.thorough
def test_a_query_over_streams_answers_as_w3c_says(spark: SparkSession, name: str) -> None:
    check(name, partial(as_streams, host=on_spark(spark), buckets=2, seed=name))


@pytest.mark.thorough
@pytest.mark.parametrize(("dialect", "name"), list(zip(DIALECTS, SIZES, strict=True)))
def test_reports_are_the_windows_of_csrbench(spark: SparkSession, dialect: str, name: str) -> None:
    check_host(dialect, name, on_spark(spark), buckets=2)


@pytest.mark.thorough
def test_a_query_answers_as_another_engine_does_at_every_instant(
    spark: SparkSession, number: int
) -> None:
    case = draw(number)
    assert difference(case, on_spark(spark), buckets=2, restarts=True) is None, case.text
