"""Cover and mark against what they mean at each instant."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import Batch
from askos.columns.cover import as_set, cover
from askos.columns.ids import Ids
from askos.columns.mark import mark
from askos.columns.segments import backwards, by_time, in_order, running_maximum, search
from askos.errors import StreamError
from askos.interval import FOREVER
from tests.build import X, Y, solution
from tests.columns.batches import TINY, batch, colliding, rows

Elements = list[tuple[int, int, int]]
"""Group, start and end of each."""

EPOCH = 1_700_000_000_000
FAR = 2**61


@st.composite
def elements(draw: st.DrawFn, most: int = 12) -> Elements:
    """Few instants and one crowded group, so that borders meet; times small, of today, or so far
    apart that they take all bits."""
    groups = st.sampled_from([0, 0, 0, 1, 2, 1000])
    base = draw(st.sampled_from([0, EPOCH]))
    starts = st.integers(base, base + 8) | st.just(FAR)
    ends = st.integers(1, 6) | st.just(FOREVER)
    made = draw(st.lists(st.tuples(groups, starts, ends), max_size=most))
    return [(group, start, min(start + length, FOREVER)) for group, start, length in made]


def columns(given: Elements) -> tuple[Ids, Ids, Ids]:
    group, ts, te = np.array(given, np.int64).reshape(-1, 3).T.copy()
    return group, ts, te


def instants(*given: Elements) -> list[int]:
    """One in each stretch on which nothing changes."""
    times = {time for elements in given for _, start, end in elements for time in (start, end)}
    return sorted({0, *times} - {FOREVER})


def valid(given: Elements, time: int) -> set[int]:
    """The groups of which anything is valid."""
    return {group for group, start, end in given if start <= time < end}


@given(elements())
def test_a_cover_holds_a_group_exactly_while_anything_of_it_is_valid(given: Elements) -> None:
    group, ts, te, row = (column.tolist() for column in cover(*columns(given)))
    pieces = list(zip(group, ts, te, strict=True))
    assert [given[i][0] for i in row] == group
    for time in instants(given):
        now = [g for g, start, end in pieces if start <= time < end]
        assert sorted(now) == sorted(valid(given, time))


@given(elements())
def test_pieces_of_a_cover_are_in_order_and_do_not_touch(given: Elements) -> None:
    group, ts, te, _ = (column.tolist() for column in cover(*columns(given)))
    assert all(start < end for start, end in zip(ts, te, strict=True))
    for i in range(len(group) - 1):
        assert group[i] < group[i + 1] or (group[i] == group[i + 1] and te[i] < ts[i + 1])


@given(elements(), elements())
def test_parts_are_inside_exactly_where_the_group_is_covered(
    given: Elements, partners: Elements
) -> None:
    parts = mark(*columns(given), cover(*columns(partners)))
    row, ts, te, inside = (column.tolist() for column in parts)
    assert all(start < end for start, end in zip(ts, te, strict=True))
    for time in instants(given, partners):
        now = [(i, c) for i, s, e, c in zip(row, ts, te, inside, strict=True) if s <= time < e]
        covered = valid(partners, time)
        assert now == [(i, g in covered) for i, (g, s, e) in enumerate(given) if s <= time < e]


@given(elements(), elements())
def test_parts_are_in_order_and_change_sides(given: Elements, partners: Elements) -> None:
    parts = mark(*columns(given), cover(*columns(partners)))
    places = list(zip(parts.row.tolist(), parts.ts.tolist(), strict=True))
    assert places == sorted(places)
    for i in range(len(places) - 1):
        same = parts.row[i] == parts.row[i + 1]
        assert not same or parts.te[i] == parts.ts[i + 1]
        assert not same or parts.inside[i] != parts.inside[i + 1]


def test_an_empty_element_has_no_parts() -> None:
    for time in (0, 2, 3, 4, 5, 9):
        parts = mark(*columns([(0, time, time)]), cover(*columns([(0, 2, 3), (0, 3, 5)])))
        assert not len(parts.row)


@given(elements())
def test_in_order_is_the_stable_order_by_group_and_time(given: Elements) -> None:
    group, ts, _ = columns(given)
    assert in_order(group, ts).tolist() == np.lexsort((ts, group)).tolist()


@given(elements(), st.data())
def test_in_order_goes_by_further_numbers_too(given: Elements, data: st.DataObject) -> None:
    group, ts, te = columns(given)
    numbers = st.integers(0, 3) | st.just(FAR)
    more = np.array([data.draw(numbers) for _ in given], np.int64)
    assert in_order(group, ts, more).tolist() == np.lexsort((more, ts, group)).tolist()
    assert in_order(group, backwards(te)).tolist() == np.lexsort((-te, group)).tolist()


@given(elements(), st.sampled_from([1, 7000, 60_000]))
def test_by_time_is_the_stable_order_of_times(given: Elements, unit: int) -> None:
    ts = columns(given)[1]
    ts = np.where(ts < FAR, ts * unit, ts)
    order, wanted = by_time(ts), np.argsort(ts, kind="stable").tolist()
    assert wanted == (list(range(len(ts))) if order is None else order.tolist())


@given(elements(), elements(), st.sampled_from(["left", "right"]))
def test_search_is_searchsorted_in_pairs(sought: Elements, among: Elements, side: str) -> None:
    pairs = sorted((group, ts) for group, ts, _ in among)
    groups, times = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    group, ts, _ = columns(sought)
    wanted = [
        sum(pair < mine or (side == "right" and pair == mine) for pair in pairs)
        for mine in zip(group.tolist(), ts.tolist(), strict=True)
    ]
    where = search(groups, times, group, ts, "left" if side == "left" else "right")
    assert where.tolist() == wanted


@given(st.lists(st.tuples(st.integers(0, 9) | st.just(FOREVER), st.booleans()), max_size=9))
def test_a_running_maximum_begins_anew_in_each_segment(given: list[tuple[int, bool]]) -> None:
    values, first = (
        [value for value, _ in given],
        [i == 0 or new for i, (_, new) in enumerate(given)],
    )
    wanted: list[int] = []
    for value, new in zip(values, first, strict=True):
        wanted.append(value if new else max(value, wanted[-1]))
    found = running_maximum(np.array(values, np.int64), np.array(first, np.bool_))
    assert found.tolist() == wanted


# ---- as a set --------------------------------------------------------------------------------


def test_as_a_set_copies_become_one_and_pieces_that_touch_too() -> None:
    one, other = solution(x="a", y=1), solution(x="a")
    given = batch((one, 0, 5), (other, 1, 2), (one, 5, 9), (one, 3, 4), (one, 12, FOREVER))
    assert set(rows(as_set(given, [X, Y]))) == {(one, 0, 9), (one, 12, FOREVER), (other, 1, 2)}


def test_as_a_set_looks_at_the_columns_it_is_told_and_at_no_other() -> None:
    given = batch((solution(x="a", y=1), 0, 5), (solution(x="a", y=2), 3, 9))
    assert rows(as_set(given, [X])) == [(solution(x="a"), 0, 9)]
    assert rows(as_set(given, [])) == [(solution(), 0, 9)]


def test_as_a_set_refuses_two_terms_of_one_id() -> None:
    given = Batch.concat([batch((solution(x=term), 0, 5), coder=TINY) for term in colliding()])
    with pytest.raises(StreamError, match="same hash"):
        as_set(given, [X])
