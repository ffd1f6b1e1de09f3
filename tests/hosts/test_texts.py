"""Random texts of Streaming SPARQL through reference, local driver and harness."""

from __future__ import annotations

from random import Random

from hypothesis import given, reject
from hypothesis import strategies as st

from askos import prepare
from askos.algebra import first_difference
from askos.algebra.reference import intervals
from askos.errors import QueryError
from askos.prepared import Prepared
from tests.hosts.harness import run_harness
from tests.hosts.strategies import Delivery, deliveries
from tests.hosts.texts import texts
from tests.hosts.three import run_local

BUCKETS = st.sampled_from([1, 2, 5])


def prepared(text: str, delivery: Delivery) -> Prepared:
    try:
        return prepare(text, sources=delivery.sources)
    except QueryError as error:
        if "bound already" in error.message:
            reject()  # scopes are not drawn: AS may name what is there
        raise


@given(texts(), deliveries(8), BUCKETS)
def test_local_answers_a_text_as_the_reference_does(
    text: str, delivery: Delivery, buckets: int
) -> None:
    query = prepared(text, delivery)
    want = intervals(query.canonical, delivery.data)
    assert first_difference(want, run_local(query, delivery, buckets)) is None


@given(texts(), deliveries(8), BUCKETS, st.randoms(use_true_random=False))
def test_the_harness_answers_a_text_as_the_reference_does(
    text: str, delivery: Delivery, buckets: int, choices: Random
) -> None:
    query = prepared(text, delivery)
    want = intervals(query.canonical, delivery.data)
    assert first_difference(want, run_harness(query, delivery, buckets, choices)) is None
