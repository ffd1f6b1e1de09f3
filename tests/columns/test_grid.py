"""The grid of report instants, against the definition of a periodic report."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from askos.algebra import Kind, Periodic
from askos.columns.grid import instants, onto_grid
from askos.interval import FOREVER

EPOCH = 1_700_000_000_000


def periods() -> st.SearchStrategy[int]:
    return st.integers(1, 12) | st.sampled_from([60_000, 2**61, 2**62, FOREVER])


def times() -> st.SearchStrategy[int]:
    near = st.integers(FOREVER - 20, FOREVER)
    return st.one_of(st.integers(0, 40), st.integers(EPOCH, EPOCH + 40), near, st.just(2**62))


def every() -> st.SearchStrategy[Periodic]:
    several = st.lists(periods(), min_size=1, max_size=3).map(tuple)
    origins = st.sampled_from([0, 5, EPOCH, 2**62])
    return st.builds(Periodic, st.just(Kind.RSTREAM), several, origins)


@given(every(), st.lists(times()))
@example(Periodic(Kind.RSTREAM, (4, 6)), [0, 5, FOREVER, EPOCH])
@example(Periodic(Kind.RSTREAM, (2**62,), 2**62), [2**62 + 1, FOREVER - 1])
def test_times_go_to_the_next_report_instant(report: Periodic, given: list[int]) -> None:
    found = onto_grid(np.array(given, np.int64), report)
    assert found.dtype == np.int64
    assert found.tolist() == [report.next(time) for time in given]


@given(every(), times(), st.integers(0, 60))
@example(Periodic(Kind.RSTREAM, (1, 60_000)), FOREVER - 20, 1)  # where 60,000 fit no more
def test_instants_are_those_of_the_report(report: Periodic, start: int, length: int) -> None:
    stop = min(start + length, FOREVER)
    assert instants(start, stop, report).tolist() == list(report.instants(start, stop))


def test_an_interval_between_two_instants_becomes_empty() -> None:
    start, end = onto_grid(np.array([11, 19]), Periodic(Kind.RSTREAM, (10,)))
    assert start == end == 20
