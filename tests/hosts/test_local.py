"""The local driver gives the answers of the reference evaluation."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Element, Operator, first_difference
from askos.algebra.reference import intervals
from askos.local import Engine
from tests.hosts.strategies import LATENESS, Delivery, deliveries, plans


def run_local(plan: Operator, delivery: Delivery, buckets: int = 1) -> list[Element]:
    engine = Engine(lateness=LATENESS, buckets=buckets)
    query = engine.register(plan)
    for source, rows in delivery.batches:
        if source in query.plan.sources:
            engine.push(source, rows)
    engine.close()
    assert not query.late
    assert not engine.refused
    return query.take()


@given(plans(), deliveries(), st.sampled_from([1, 2, 5]))
def test_local_equals_the_reference(plan: Operator, delivery: Delivery, buckets: int) -> None:
    want = intervals(plan, delivery.streams)
    assert first_difference(want, run_local(plan, delivery, buckets)) is None
