"""Reference = local = Spark, by snapshot-equivalence."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from askos.algebra import Node, Operator, first_difference
from askos.physical.build import _OFFERED
from tests.hosts.cases import CASES, DATA
from tests.hosts.strategies import Delivery, deliveries, plans
from tests.hosts.three import run_local, run_reference, run_spark

BUCKETS = (1, 2, 5)


@pytest.mark.parametrize("name", CASES)
def test_three_hosts_agree(name: str, spark: SparkSession, tmp_path: Path) -> None:
    plan = CASES[name]
    want = run_reference(plan, DATA)
    assert want, "a case that says nothing tests nothing"
    for buckets in BUCKETS:
        assert first_difference(want, run_local(plan, DATA, buckets)) is None
    buckets = BUCKETS[list(CASES).index(name) % len(BUCKETS)]
    assert first_difference(want, run_spark(spark, plan, DATA, tmp_path, buckets)) is None


def test_the_cases_use_every_operator_the_hosts_offer() -> None:
    used = {type(node) for plan in CASES.values() for node in plan.walk()}
    assert used >= set(_OFFERED)
    assert all(issubclass(kind, Node) for kind in used)


_FOLDERS = itertools.count()


def test_three_hosts_agree_on_random_plans(spark: SparkSession, tmp_path: Path) -> None:
    """A few examples only: Spark needs seconds for each.  The local driver runs the same
    operators over many more."""
    assert settings.default
    few = max(settings.default.max_examples // 20, 1)

    @settings(max_examples=few)
    @given(plans(), deliveries(), st.sampled_from(BUCKETS))
    def agree(plan: Operator, delivery: Delivery, buckets: int) -> None:
        want = run_reference(plan, delivery)
        folder = tmp_path / str(next(_FOLDERS))
        assert first_difference(want, run_spark(spark, plan, delivery, folder, buckets)) is None

    agree()
