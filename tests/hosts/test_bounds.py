"""Limits on Spark: what is too much stops a query, and what was noted tells where its time went."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from askos import spark as host
from askos.algebra import first_difference
from askos.errors import StreamError
from askos.spark.measuring import note_reports
from askos.spark.timeline import PARTS
from tests.build import S1, S2
from tests.hosts.cases import OPTIONAL, readings
from tests.hosts.strategies import Delivery
from tests.hosts.three import SparkRun, run_reference

PARTS_OF_IT = ((S1, readings(S1, 40, 1)), (S2, readings(S2, 20, 2)))


@pytest.mark.thorough
def test_a_query_that_kept_too_much_goes_on_when_its_limit_is_raised(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = SparkRun(spark, OPTIONAL, tmp_path, state_limit=5)
    (_, first), (_, second) = PARTS_OF_IT
    with pytest.raises(StreamError, match="for LeftJoin, and state_limit is 5"):
        run.push(S1, first)
    run.state_limit = 1000
    run.restart()
    run.push(S2, second)
    note_reports(run.query, run.checkpoint)
    told = host.profile(run.checkpoint)
    assert first_difference(run_reference(OPTIONAL, Delivery(PARTS_OF_IT)), run.end()) is None
    check(told)


def check(told: host.Profile) -> None:
    """Both micro-batches were noted, whole."""
    assert [batch.number for batch in told.batches] == [0, 1]
    for batch in told.batches:
        assert sum(getattr(batch, part) for part in PARTS) >= batch.milliseconds - 1e-6
        assert batch.operators > 0
    (left_join,) = told.operators
    assert (left_join.name, left_join.rows_in) == ("LeftJoin", 60)
    assert [bucket.bucket for bucket in told.buckets] == [1, 2]
    assert sum(bucket.elements for bucket in told.buckets) == left_join.elements
