"""What is compiled writes pairs as numpy does in its place."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import Batch, Dictionary
from askos.columns.ids import Ids
from askos.physical import written
from askos.physical.merge import Pairing, Pairs
from askos.physical.written import Piece, in_order, reached
from askos.terms import Variable
from tests.build import W, X

pytestmark = pytest.mark.skipif(written._native is None, reason="nothing was compiled")

PAIRING = Pairing((X,), (W,))
FAR = 1 << 40  # milliseconds: too many instants to be counted


def numbers(draw: st.DrawFn, count: int, most: int) -> Ids:
    found = draw(st.lists(st.integers(0, most), min_size=count, max_size=count))
    return np.array(found, np.int64)


@st.composite
def batches(draw: st.DrawFn, names: str) -> Batch:
    """At least one element; a column may be missing, and times may be far apart."""
    count = draw(st.integers(1, 6))
    chosen = [v for v in map(Variable, names) if v == X or draw(st.booleans())]
    ts = numbers(draw, count, 9) * draw(st.sampled_from([1, FAR]))
    te = ts + 1 + numbers(draw, count, 9)
    return Batch({v: numbers(draw, count, 2) for v in chosen}, ts, te, Dictionary())


@st.composite
def pairs(draw: st.DrawFn, left: Batch | None = None) -> Pairs:
    """Pairs of any rows: of the writing it matters neither whether they meet nor how long."""
    left, right = left or draw(batches("xyw")), draw(batches("xzw"))
    count = draw(st.integers(0, 12))
    mine, theirs = (numbers(draw, count, len(side) - 1) for side in (left, right))
    return PAIRING.compatible(Pairs(left, mine, right, theirs, PAIRING))


def told(batch: Batch) -> list[Any]:
    columns = {v: ids.tolist() for v, ids in batch.columns.items()}
    return [list(columns), columns, batch.ts.tolist(), batch.te.tolist()]


@given(st.lists(pairs() | batches("xy"), max_size=4))
def test_pairs_are_written_in_order_as_if_they_were_joined_and_sorted(pieces: list[Piece]) -> None:
    found = in_order(pieces)
    with mock.patch.object(written, "_native", None):
        assert told(found) == told(in_order(pieces))
    assert (np.diff(found.ts) >= 0).all()


@given(st.data())
def test_how_far_pairs_reach(data: st.DataObject) -> None:
    left = data.draw(batches("xy"))
    some = data.draw(st.lists(pairs(left), max_size=3))
    marks, decided = (data.draw(st.composite(numbers)(len(left), 20)) for _ in range(2))
    until, whole = reached(marks, decided, some)
    with mock.patch.object(written, "_native", None):
        expected = reached(marks, decided, some)
    assert [until.tolist(), whole.tolist()] == [each.tolist() for each in expected]


ONE, MANY = np.zeros(1, np.int64), np.arange(3)
GOOD, SHORT = (ONE,) * 6, (MANY, ONE, ONE, ONE, ONE, ONE)


@pytest.mark.parametrize(
    "call",
    [
        lambda native: native.starts(SHORT, MANY.copy()),
        lambda native: native.starts((*GOOD[:5], ONE[:0]), ONE.copy()),
        lambda native: native.starts((*GOOD[:5], None), ONE.copy()),
        lambda native: native.starts(GOOD, np.empty(0, np.int64)),
        lambda native: native.reached(GOOD, ONE, ONE[:0], ONE.copy(), np.zeros(1, np.bool_)),
        lambda native: native.write(
            GOOD, ONE, ONE[:0], 0, ONE.copy(), [], [], ONE.copy(), ONE.copy(), []
        ),
        lambda native: native.write(
            GOOD, ONE, ONE, 0, ONE.copy(), [ONE], [], ONE.copy(), ONE.copy(), [ONE.copy()]
        ),
        lambda native: native.write(
            GOOD, ONE, ONE, 0, ONE.copy(), [ONE], [None], ONE.copy(), ONE.copy(), [ONE[:0].copy()]
        ),
    ],
)
def test_what_does_not_fit_is_refused_and_not_read(call: Any) -> None:
    with pytest.raises(ValueError, match="columns of different lengths"):
        call(written._native)


def test_a_time_for_which_there_is_no_room_is_refused() -> None:
    for first in (-1, 3):
        with pytest.raises(ValueError, match="no room"):
            written._native.count(MANY, first, np.zeros(3, np.int64))
