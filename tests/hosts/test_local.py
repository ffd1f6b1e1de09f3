"""The local driver gives the answers of the reference evaluation."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Operator, first_difference
from tests.hosts.strategies import Delivery, deliveries, plans
from tests.hosts.three import run_local, run_reference


@given(plans(), deliveries(), st.sampled_from([1, 2, 5]))
def test_local_equals_the_reference(plan: Operator, delivery: Delivery, buckets: int) -> None:
    want = run_reference(plan, delivery)
    assert first_difference(want, run_local(plan, delivery, buckets)) is None
