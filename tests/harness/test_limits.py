"""A limit on state, on the Spark host's code without Spark."""

from __future__ import annotations

from random import Random

import pytest

from askos.algebra import first_difference
from askos.errors import StreamError
from tests.build import S1, S2
from tests.hosts.cases import OPTIONAL, readings
from tests.hosts.harness import Harness
from tests.hosts.strategies import Delivery
from tests.hosts.three import as_it_is, run_reference


@pytest.mark.parametrize("seed", range(4))
def test_a_stopped_query_goes_on_when_its_limit_is_raised(seed: int) -> None:
    parts = [(S1, readings(S1, 30, 1)), (S2, readings(S2, 20, 2)), (S1, readings(S1, 9, 2, 40))]
    run = Harness(as_it_is(OPTIONAL), Random(seed), buckets=2, state_limit=8)
    with pytest.raises(
        StreamError, match=r"of stage 1 keeps .* for LeftJoin, and state_limit is 8"
    ):
        run.push(dict(parts[:1]))
    run.state_limit = 1000
    run.restart()
    for source, rows in parts:
        run.push({source: rows})
    run.end()
    want = run_reference(OPTIONAL, Delivery(tuple(parts)))
    assert first_difference(want, run.answers) is None
