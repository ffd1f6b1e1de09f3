"""Random texts of every dialect through reference, local driver and harness."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from askos import prepare
from askos.errors import QueryError
from askos.prepared import Prepared
from askos.translate import Dialect
from tests.hosts.moments import judge, moments, on_harness, on_local, with_truths
from tests.hosts.strategies import Delivery, deliveries
from tests.hosts.texts import STREAMING, Text, texts
from tests.hosts.three import difference

BUCKETS = st.sampled_from([1, 2, 5])


def prepared(text: Text, delivery: Delivery) -> Prepared:
    try:
        return prepare(text.text, sources=delivery.sources, report=text.report)
    except QueryError as error:
        if "bound already" in error.message:
            reject()  # scopes are not drawn: AS may name what is there
        raise


@pytest.mark.parametrize("dialect", STREAMING, ids=lambda dialect: dialect.name)
def test_hosts_answer_a_text_as_the_reference_does(dialect: Dialect) -> None:
    @given(texts(dialect), deliveries(8), BUCKETS, st.randoms(use_true_random=False))
    def agree(text: Text, delivery: Delivery, buckets: int, choices: Random) -> None:
        query = prepared(text, delivery)
        told = with_truths(moments(delivery), query.streams, choices)
        want = judge(query, told)
        assert difference(want, on_local(query, told, buckets)) is None
        seed = choices.random()
        assert difference(want, on_harness(query, told, buckets, seed, faults=True)) is None

    agree()
