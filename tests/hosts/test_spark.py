"""Reference = local = Spark, by snapshot-equivalence."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from askos.algebra import Element, Operator, Payload, Union, first_difference
from askos.algebra.placement import PLACEMENT
from askos.physical import build
from askos.physical.offers import OFFERS
from tests.hosts.cases import CASES, DATA, DELIVERIES, OPTIONAL
from tests.hosts.moments import in_few, judge, moments, on_spark
from tests.hosts.strategies import Delivery, deliveries, queries
from tests.hosts.test_texts import prepared
from tests.hosts.texts import Text, texts
from tests.hosts.three import difference, run_local, run_reference, run_spark

BUCKETS = (1, 2, 5)


def has_state(plan: Operator) -> bool:
    return any(not OFFERS[type(n)].linear for n in plan.walk() if isinstance(n, Operator))


ALONE = ("left join: condition", "group", "three stages", "ask")


def together(names: list[str], size: int) -> dict[str, Operator]:
    """Several cases as one query, their union: Spark needs seconds to start one."""
    return {
        " + ".join(names[place : place + size]): reduce(
            Union, [CASES[name] for name in names[place : place + size]]
        )
        for place in range(0, len(names), size)
    }


def of(payload: Payload, state: bool) -> list[str]:
    """The cases that are not run alone."""
    kind = [name for name, plan in CASES.items() if plan.payload is payload and name not in ALONE]
    return [name for name in kind if has_state(CASES[name]) is state]


FEW = replace(DATA, rows=1)
ONE_BY_ONE = "join + left join, one by one"
_JOINS = reduce(Union, [CASES[name] for name in ("join", "left join", "two stages")])
_WITHOUT = reduce(Union, [CASES[name] for name in of(Payload.SOLUTION, False)])
ON_SPARK: dict[str, tuple[Operator, Delivery]] = {
    "all without state": (_WITHOUT, DATA),
    ONE_BY_ONE: (_JOINS, FEW),
    **{name: (CASES[name], DATA) for name in ALONE},
    **{name: (plan, DATA) for name, plan in together(of(Payload.SOLUTION, True), 5).items()},
    **{name: (plan, DATA) for name, plan in together(of(Payload.TRIPLE, True), 5).items()},
    **{name: (OPTIONAL, delivery) for name, delivery in DELIVERIES.items()},
}


@pytest.fixture(scope="module")
def answers(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[list[Element]]]]:
    """All cases on Spark, a few at a time, each with its number of buckets."""
    folder = tmp_path_factory.mktemp("cases")
    with ThreadPoolExecutor(3) as pool:
        cases = zip(ON_SPARK.items(), itertools.cycle(BUCKETS), itertools.count(), strict=False)
        yield {
            name: pool.submit(run_spark, spark, plan, delivery, folder / str(number), buckets)
            for (name, (plan, delivery)), buckets, number in cases
        }


@pytest.mark.parametrize("name", CASES)
def test_reference_and_local_agree(name: str) -> None:
    want = run_reference(CASES[name], DATA)
    assert want, "a case that says nothing tests nothing"
    for buckets in (1, 5):
        for delivery in (DATA, FEW):
            assert first_difference(want, run_local(CASES[name], delivery, buckets)) is None


@pytest.mark.parametrize("name", DELIVERIES)
def test_reference_and_local_agree_however_it_is_delivered(name: str) -> None:
    want = run_reference(OPTIONAL, DELIVERIES[name])
    for delivery in (DELIVERIES[name], replace(DELIVERIES[name], rows=1)):
        assert first_difference(want, run_local(OPTIONAL, delivery, 5)) is None


@pytest.mark.thorough  # a quick run leaves it to the local driver, which runs the same operators
@pytest.mark.parametrize("name", ON_SPARK)
def test_reference_and_spark_agree(name: str, answers: dict[str, Future[list[Element]]]) -> None:
    want = run_reference(*ON_SPARK[name])
    assert want
    assert first_difference(want, answers[name].result()) is None


def test_the_cases_use_every_operator_the_hosts_offer() -> None:
    used = {type(node) for plan in CASES.values() for node in plan.walk()}
    assert PLACEMENT.keys() <= used
    assert {len(build(plan).stages) for plan in CASES.values()} == {1, 2, 3}


@pytest.mark.thorough
def test_three_hosts_agree_on_random_plans(spark: SparkSession, tmp_path: Path) -> None:
    """A few examples only: Spark needs seconds for each.  The local driver runs the same
    operators over many more."""
    folders = itertools.count()
    assert settings.default
    few = max(settings.default.max_examples // 20, 1)

    @settings(max_examples=few)
    @given(queries(), deliveries(), st.sampled_from(BUCKETS))
    def agree(plan: Operator, delivery: Delivery, buckets: int) -> None:
        want = run_reference(plan, delivery)
        folder = tmp_path / str(next(folders))
        assert first_difference(want, run_local(plan, delivery, buckets)) is None
        assert first_difference(want, run_spark(spark, plan, delivery, folder, buckets)) is None

    agree()


def test_spark_answers_random_texts_as_the_reference_does(spark: SparkSession) -> None:
    assert settings.default

    @settings(max_examples=max(settings.default.max_examples // 20, 1))
    @given(texts(), deliveries(), st.sampled_from(BUCKETS))
    def agree(text: Text, delivery: Delivery, buckets: int) -> None:
        query = prepared(text, delivery)
        told = in_few(moments(delivery), 3)
        assert difference(judge(query, told), on_spark(spark, query, told, buckets)) is None

    agree()
