"""One form for all answers that say the same."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.interval import Interval
from askos.io.results import Row, settled

ROWS = st.lists(
    st.tuples(
        st.booleans(),
        st.tuples(st.integers(0, 9), st.integers(1, 9)).map(lambda p: Interval(p[0], p[0] + p[1])),
    )
)


def at(rows: list[Row], time: int) -> list[str]:
    return sorted(str(item) for item, when in rows if isinstance(when, Interval) and time in when)


@given(ROWS)
def test_nothing_changes_at_any_instant(rows: list[Row]) -> None:
    assert all(at(settled(rows), time) == at(rows, time) for time in range(20))


@given(ROWS, st.data())
def test_cuts_and_order_do_not_show(rows: list[Row], data: st.DataObject) -> None:
    pieces: list[Row] = []
    for item, when in rows:
        assert isinstance(when, Interval)
        cut = data.draw(st.integers(when.start, when.end))
        bounds = [(when.start, cut), (cut, when.end)]
        pieces += [(item, Interval(start, end)) for start, end in bounds if start < end]
    assert settled(data.draw(st.permutations(pieces))) == settled(rows)
