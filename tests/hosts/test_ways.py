"""Every physical plan of a query, forced, on Spark, judged by the reference.

Spark needs seconds to start a query, so all plans of several queries run as one of Spark's.  The
local driver and the harness run many more: see `tests/physical/test_alternatives.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from askos.algebra import (
    Distinct,
    Group,
    Intervals,
    Kind,
    LeftJoin,
    OnChange,
    Operator,
    Periodic,
    Report,
)
from askos.algebra.joins import joined
from askos.physical import alternatives
from askos.physical.choices import Way
from askos.planning import considered
from askos.prepared import Prepared
from askos.sources import Catalogue
from tests.build import EX, S1, S2, W, X, Y, Z, stream
from tests.hosts.moments import in_few, judge, moments, restarted, together_on_spark
from tests.hosts.strategies import LATENESS, Delivery, plans
from tests.hosts.test_covering import says_something
from tests.hosts.texts import reports
from tests.hosts.three import difference
from tests.physical.test_stages import COUNTED, P, Q, R, by, over

Asked = tuple[Operator, Report]
EVERY: Final = Periodic(Kind.RSTREAM, (5,))
OTHER: Final = over(X, "q", W, S2, 6, 3)
BUCKETS: Final = st.sampled_from([1, 2, 5])
BY_HAND: Final[Sequence[Asked]] = [
    (Group(by(X), COUNTED, joined([P, Q])), Intervals()),
    (Group(by(X), COUNTED, P), EVERY),
    (joined([P, Q, over(X, "p", W)]), EVERY),
    (LeftJoin(joined([P, OTHER]), R), OnChange(Kind.ISTREAM)),
    (Distinct(joined([P, over(Y, "q", Z, S2), over(Z, "p", W)])), Intervals()),
]


def test_what_is_asked_by_hand_takes_every_way() -> None:
    plans = [one for plan, report in BY_HAND for one in alternatives(plan, report)]
    assert {way for one in plans for way in one.plan.ways} == {*Way}
    assert {len(one.plan.stages) for one in plans} == {1, 2}


def forced(query: Prepared) -> Iterator[Prepared]:
    """Every plan of a query, under a name of its own."""
    for one in considered(query):
        yield replace(query, chosen=one.name, name=f"{query.name}: {one.name}")


def asked() -> st.SearchStrategy[Asked]:
    """A plan that may run in several ways, and what is reported of it."""
    return st.tuples(plans(), reports()).filter(lambda drawn: len(alternatives(*drawn)) > 1)


def prepared(asked: Sequence[Asked], sources: Catalogue) -> Iterator[Prepared]:
    for number, (plan, report) in enumerate(asked):
        yield Prepared(plan, plan, report, sources=sources, name=str(number))


def crowd(seed: int) -> Delivery:
    """Rows of both streams, out of order within their lateness, so many that most of them meet
    others."""
    choices = Random(seed)
    batches = []
    for source in (S1, S2):
        times = sorted(choices.randrange(40) for _ in range(24))
        late = sorted(times, key=lambda at: at + choices.randrange(LATENESS))
        rows = stream(*(_row(at, choices) for at in late))
        batches += [(source, tuple(rows[place : place + 8])) for place in (0, 8, 16)]
    return Delivery(tuple(sorted(batches, key=lambda batch: batch[1][0].at)))


def _row(at: int, choices: Random) -> tuple[str, str, object, int]:
    return choices.choice("ab"), choices.choice("pqr"), choices.choice([EX.a, EX.b, 1, 2]), at


@pytest.mark.thorough
def test_every_way_means_the_same_on_spark(spark: SparkSession) -> None:
    assert settings.default

    @settings(max_examples=max(settings.default.max_examples // 20, 1))
    @given(st.lists(asked(), min_size=1, max_size=3), st.integers(0, 99).map(crowd), BUCKETS)
    def agree(drawn: list[Asked], delivery: Delivery, buckets: int) -> None:
        told = restarted(in_few(moments(delivery), 3), 2)
        queries = list(prepared([*BY_HAND, *drawn], delivery.sources))
        want = {query.name: judge(query, told) for query in queries}
        assert all(says_something(want[str(number)]) for number in range(len(BY_HAND)))
        plans = {query.name: list(forced(query)) for query in queries}
        every = [plan for found in plans.values() for plan in found]
        got = together_on_spark(spark, every, told, buckets)
        for name, found in plans.items():
            for plan in found:
                assert difference(want[name], got[plan.name or ""]) is None, plan.name

    agree()
