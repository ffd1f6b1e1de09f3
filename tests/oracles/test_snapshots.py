"""Random queries of all stream dialects, judged at every instant by another SPARQL engine."""

from __future__ import annotations

from typing import Any

import pytest

from tests.oracles.hosts import Host, harness, local, reference
from tests.oracles.snapshots_adapter import answers
from tests.suites import program

SEED, DELIVERIES, LATENESS = 7, 5, 3_000
QUICK, THOROUGH = 17, 100
RUNS = {
    "reference": (reference, 1, False),
    "local": (local, 1, False),
    "local in 5 buckets": (local, 5, False),
    "harness with restarts": (harness, 2, True),
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "number" in metafunc.fixturenames:
        count = THOROUGH if metafunc.config.getoption("thorough") else QUICK
        metafunc.parametrize("number", range(count))


def draw(number: int) -> Any:
    """A case; the next one has another pattern, streams alone or with a static graph."""
    suite = program("snapshots/snapshots.py")
    return suite.Case(SEED * 100_003 + number, suite.BODIES)


def difference(case: Any, host: Host, buckets: int, restarts: bool) -> str | None:
    """Where a host is wrong, if it is."""
    suite = program("snapshots/snapshots.py")
    found = answers(
        case.text,
        dialect=case.dialect,
        graphs={suite.G: suite.SITES} if case.static else {},
        deliveries=case.deliveries(DELIVERIES, LATENESS, case.seed),
        lateness=LATENESS,
        host=host,
        buckets=buckets,
        restart_after=case.seed % (DELIVERIES + 1) if restarts else None,
    )
    wrong: str | None = case.difference(found)
    return wrong


@pytest.mark.parametrize(("host", "buckets", "restarts"), RUNS.values(), ids=list(RUNS))
def test_a_query_answers_as_another_engine_does_at_every_instant(
    number: int, host: Host, buckets: int, restarts: bool
) -> None:
    case = draw(number)
    assert difference(case, host, buckets, restarts) is None, case.text


def test_the_cases_read_streams_alone_and_with_a_static_graph_in_every_style() -> None:
    drawn = [draw(number) for number in range(QUICK)]
    assert {case.body for case in drawn} == {body for _, body, _ in draw(0).bodies}
    assert {case.static for case in drawn} == {True, False}
    assert {case.style for case in drawn} == set(program("snapshots/snapshots.py").STYLES)
