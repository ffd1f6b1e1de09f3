"""The W3C query tests through hosts: their graphs as static data, and as streams."""

from __future__ import annotations

from functools import partial

import pytest

from askos.algebra import Element
from askos.physical import build
from askos.prepared import Prepared
from tests.oracles.hosts import harness, local
from tests.oracles.w3c_adapter import Way
from tests.oracles.w3c_hosts import EVALUATED, as_static, as_streams, judge
from tests.oracles.w3c_sample import SAMPLE
from tests.sampling import every
from tests.suites import FOLDER, suite

BUCKETS = (1, 2, 5)

# Right by value, but written otherwise than the suite does; all others are right to the letter.
BY_VALUE = {
    "sparql10/expr-ops/add-numbers-cast",
    "sparql10/expr-ops/multiply-numbers-cast",
    "sparql10/expr-ops/divide-numbers-cast",
    "sparql10/expr-ops/unminus-2",
    "sparql11/aggregates/agg-min-02",
    "sparql11/aggregates/agg-avg-distinct",
    "sparql11/aggregates/agg-sum-distinct",
    "sparql11/cast/cast-double",
    "sparql11/csv-tsv-res/tsv03",
    "sparql11/functions/ceil01",
    "sparql11/functions/round01",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every test with one number of buckets, in turn; when soaking, with each of them; when in
    a hurry, one test in five."""
    if {"name", "buckets"} <= set(metafunc.fixturenames):
        soaking = metafunc.config.getoption("--hypothesis-profile") == "soak"
        pairs = [
            (name, number)
            for place, name in enumerate(EVALUATED)
            for number in (BUCKETS if soaking else BUCKETS[place % 3 : place % 3 + 1])
        ]
        every = 1 if metafunc.config.getoption("thorough") or soaking else 5
        metafunc.parametrize(("name", "buckets"), pairs[::every])


def check(name: str, way: Way) -> None:
    suite("w3c")
    folder, test = EVALUATED[name]
    status, reason = judge(way, folder, test)
    if folder == FOLDER / "w3c":
        assert status == ("value" if name in BY_VALUE else "pass"), reason
    assert status in ("pass", "value"), reason


def test_a_query_over_static_graphs_answers_as_w3c_says(name: str, buckets: int) -> None:
    check(name, partial(as_static, host=local, buckets=buckets))


def test_a_query_over_streams_answers_as_w3c_says(name: str, buckets: int) -> None:
    check(name, partial(as_streams, host=local, buckets=buckets, seed=name))


@pytest.mark.parametrize("name", every(3, SAMPLE))
def test_the_code_spark_runs_answers_as_w3c_says(name: str) -> None:
    check(name, partial(as_streams, host=harness, buckets=2, seed=name, restart_after=1))


def test_the_suite_is_whole() -> None:
    own = suite("w3c")
    assert [folder for folder, _ in EVALUATED.values()].count(own) == 360


def test_the_sample_has_every_kind_of_node() -> None:
    suite("w3c")
    kinds = {name: _kinds(name) for name in EVALUATED}
    assert len(set(SAMPLE)) == 60
    assert set().union(*(kinds[name] for name in SAMPLE)) == set().union(*kinds.values())


def _kinds(name: str) -> set[tuple[str, str]]:
    """The kinds of nodes in a test's plan over streams: as written, as optimised, in stages."""
    seen: list[Prepared] = []

    def spy(query: Prepared, *arguments: object) -> list[Element]:
        seen.append(query)
        return []

    judge(partial(as_streams, host=spy, buckets=1, seed=name), *EVALUATED[name])
    (query,) = seen
    stages = build(query.plan, query.report, query.columns).stages
    plans = {"written": [query.canonical], "optimised": [query.plan]}
    plans["stage"] = [stage.plan for stage in stages]
    return {
        (way, type(node).__name__) for way in plans for plan in plans[way] for node in plan.walk()
    }
