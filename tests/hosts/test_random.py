"""Random plans of all operators and windows under random reports, on the hosts."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Operator, Report
from askos.prepared import Prepared
from askos.sources import Catalogue
from tests.hosts.moments import (
    judge,
    local_steps,
    moments,
    on_harness,
    on_local,
    promised,
    with_truths,
)
from tests.hosts.strategies import Delivery, deliveries, plans, queries
from tests.hosts.texts import reports
from tests.hosts.three import difference

BUCKETS = st.sampled_from([1, 2, 5])


def reported(plan: Operator, report: Report, sources: Catalogue) -> Prepared:
    """A plan to be run without rules."""
    return Prepared(plan, plan, report, sources=sources)


@given(plans() | queries(), reports(), deliveries(8), BUCKETS, st.randoms(use_true_random=False))
def test_hosts_report_what_the_reference_does(
    plan: Operator, report: Report, delivery: Delivery, buckets: int, choices: Random
) -> None:
    query = reported(plan, report, delivery.sources)
    told = with_truths(moments(delivery), query.streams, choices)
    want = judge(query, told)
    assert difference(want, on_local(query, told, buckets)) is None
    seed = choices.random()
    assert difference(want, on_harness(query, told, buckets, seed, faults=True)) is None


@given(queries(), reports(), deliveries(8), BUCKETS, st.randoms(use_true_random=False))
def test_a_report_is_told_once_it_is_decided_and_stays_as_it_was(
    plan: Operator, report: Report, delivery: Delivery, buckets: int, choices: Random
) -> None:
    """After every push: all reports before what the streams have promised, and none of them
    again.  Windows with aligned starts may let more be known."""
    query = reported(plan, report, delivery.sources)
    told = with_truths(moments(delivery), query.streams, choices)
    want = judge(query, told)
    seen: list[object] = []
    for number, new in enumerate(local_steps(query, told, buckets), 1):
        seen += new
        decided = [a for a in want if number > len(told) or a.at < promised(query, told[:number])]
        assert seen[: len(decided)] == decided
        assert seen == want[: len(seen)]
