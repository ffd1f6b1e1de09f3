"""Negative elements, against counts at every instant."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from askos.columns import Batch
from askos.columns.hidden import NEGATIVE
from askos.columns.signs import cancelled, negated, negative, settled
from askos.interval import FOREVER
from askos.terms import Solution
from tests.build import solution
from tests.columns.batches import Row, batch, rows

LAST = 16


class Open(NamedTuple):
    """An element that was given up to `last`, and ends before it."""

    mu: Solution
    start: int
    end: int
    last: int

    @property
    def given(self) -> Row:
        return self.mu, self.start, self.last

    @property
    def taken(self) -> Row:
        return self.mu, self.end, self.last


@st.composite
def opened(draw: st.DrawFn) -> Open:
    mu = solution(x=draw(st.sampled_from("ab")))
    start, end = draw(st.integers(0, LAST)), draw(st.integers(0, LAST))
    last = draw(st.sampled_from([max(start, end) + 1, LAST + 3, FOREVER]))
    return Open(mu, start, max(start, end), last)


def signed(given: list[Row], taken: list[Row]) -> Batch:
    return Batch.concat([batch(*given), negated(batch(*taken))])


def counts(found: Batch, time: int) -> dict[Solution, int]:
    """How many of each there are at an instant, positive ones less negative ones."""
    minus, total = negative(found), Counter[Solution]()
    shown = found.project([v for v in found.columns if v != NEGATIVE])
    for number, (mu, start, end) in enumerate(rows(shown)):
        if start <= time < end:
            total[mu] += -1 if minus is not None and minus[number] else 1
    return {mu: count for mu, count in total.items() if count}


def test_a_negative_element_takes_the_rest_back() -> None:
    mu = solution(x="a")
    assert rows(settled(signed([(mu, 1, FOREVER)], [(mu, 5, FOREVER)]))) == [(mu, 1, 5)]


def test_of_two_copies_it_takes_one() -> None:
    mu = solution(x="a")
    found = settled(signed([(mu, 1, 9), (mu, 3, 9)], [(mu, 5, 9)]))
    assert sorted(row[1:] for row in rows(found)) == [(1, 9), (3, 5)]


def test_what_was_negated_twice_is_positive() -> None:
    given = batch((solution(x="a"), 1, 5))
    assert negative(given) is negative(negated(negated(given))) is None


def test_rows_without_columns_are_told_apart_by_nothing() -> None:
    given = signed([(solution(), 1, 9), (solution(), 2, 9)], [(solution(), 4, 9)])
    assert counts(settled(given), 3) == {solution(): 2}
    assert counts(settled(given), 4) == {solution(): 1}


@given(st.lists(opened(), max_size=6), st.lists(opened(), max_size=3))
def test_what_is_settled_has_as_many_at_every_instant(
    ending: list[Open], others: list[Open]
) -> None:
    whole = [one.given for one in ending + others]
    given = signed(whole, [one.taken for one in ending])
    found = settled(given)
    assert negative(found) is None
    assert (found.ts < found.te).all()
    for time in [*range(LAST + 5), FOREVER - 1]:
        assert counts(found, time) == counts(given, time)


@given(st.lists(opened(), max_size=6), st.lists(opened(), max_size=3), st.integers(0, LAST))
def test_what_is_cancelled_is_the_same_from_then_on(
    ending: list[Open], others: list[Open], now: int
) -> None:
    whole = [one.given for one in ending + others]
    given = signed(whole, [one.taken for one in ending])
    found = cancelled(given, now)
    for time in [*range(now, LAST + 5), FOREVER - 1]:
        assert counts(found, time) == counts(given, time)
    over = sum(one.end <= now for one in ending)
    assert len(found) <= len(given) - 2 * over
