"""The first places and the layers, against what they mean at each instant."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from askos.columns.layers import layers
from askos.columns.top import bound, can_be_first, top
from askos.interval import FOREVER
from tests.columns.test_cover import Elements, columns, elements, instants


def dense(given: Elements) -> Elements:
    """The same with groups from 0."""
    known = {group: place for place, group in enumerate(dict.fromkeys(g for g, _, _ in given))}
    return [(known[group], start, end) for group, start, end in given]


@st.composite
def ranked(draw: st.DrawFn) -> tuple[Elements, list[int]]:
    made = dense(draw(elements()))
    return made, list(draw(st.permutations(range(len(made)))))


@given(ranked(), st.integers(1, 4))
def test_a_row_is_told_exactly_while_it_is_among_the_first_of_its_group(
    given: tuple[Elements, list[int]], places: int
) -> None:
    rows, ranks = given
    pieces = top(*columns(rows), np.array(ranks, np.int64), places)
    row, ts, te = (column.tolist() for column in pieces)
    for time in instants(rows):
        valid = [i for i, (_, start, end) in enumerate(rows) if start <= time < end]
        first = {
            i
            for i in valid
            if sum(rows[j][0] == rows[i][0] and ranks[j] < ranks[i] for j in valid) < places
        }
        now = [r for r, start, end in zip(row, ts, te, strict=True) if start <= time < end]
        assert sorted(now) == sorted(first)


@given(ranked(), st.integers(1, 3))
def test_what_may_come_first_is_kept_and_nothing_else(
    given: tuple[Elements, list[int]], places: int
) -> None:
    rows, ranks = given
    group, _, te = columns(rows)
    kept = can_be_first(group, te, np.array(ranks, np.int64), places).tolist()
    for i, (own, _, end) in enumerate(rows):
        better = [
            j
            for j, (other, _, until) in enumerate(rows)
            if other == own and ranks[j] < ranks[i] and until >= end
        ]
        assert kept[i] == (len(better) < places)


@given(ranked(), st.integers(1, 3))
def test_many_elements_are_kept_as_few_are(given: tuple[Elements, list[int]], places: int) -> None:
    rows, ranks = given
    group, _, te = columns(rows)
    few = can_be_first(group, te, np.array(ranks, np.int64), places).tolist()
    copies, count = 150, len(rows)
    groups = np.concatenate([group + n * count for n in range(copies)])
    many = np.concatenate([np.array(ranks, np.int64) + n * count for n in range(copies)])
    assert can_be_first(groups, np.tile(te, copies), many, places).tolist() == few * copies


@given(ranked(), st.integers(1, 3))
def test_a_bound_is_the_last_place_of_each_group(
    given: tuple[Elements, list[int]], places: int
) -> None:
    rows, ranks = given
    group, _, _ = columns(rows)
    groups = int(group.max(initial=-1)) + 1
    found = bound(group, np.array(ranks, np.int64), places, groups).tolist()
    for own in range(groups):
        mine = sorted(rank for rank, (g, _, _) in zip(ranks, rows, strict=True) if g == own)
        assert found[own] == (mine[places - 1] if len(mine) >= places else FOREVER)


@given(elements(), elements())
def test_new_elements_add_layers_to_those_that_are_there(old: Elements, new: Elements) -> None:
    both = dense(new + [one for one in old if any(one[0] == group for group, _, _ in new)])
    new, old = both[: len(new)], both[len(new) :]
    row, number, ts, te = (c.tolist() for c in layers(columns(old), columns(new)))
    assert all(start < end for start, end in zip(ts, te, strict=True))
    for time in instants(old, new):
        for group in {g for g, _, _ in new}:

            def count(some: Elements, time: int = time, group: int = group) -> int:
                return sum(g == group and start <= time < end for g, start, end in some)

            now = [
                number[i]
                for i, (start, end) in enumerate(zip(ts, te, strict=True))
                if new[row[i]][0] == group and start <= time < end
            ]
            assert sorted(now) == list(range(count(old), count(old) + count(new)))
