"""The plans of the paper's Listings 1.1, 1.2 and 1.3, built by hand, over small streams; every
expected bag is written out by hand."""

from __future__ import annotations

import pytest

from askos.algebra import Bag, CountWindow, LeftJoin, Pattern, Project, SlidingWindow, StreamAccess
from askos.algebra.reference import evaluate, intervals
from askos.interval import Interval
from askos.terms import Literal, Triple, URIRef
from tests.build import X, Y, Z, bag, solution, stream
from tests.plans import MINUTE, MY, SRC, TD, WTUR, listing_1_1, listing_1_2, listing_1_3

T1, T2 = URIRef("http://wind.example/T1"), URIRef("http://wind.example/T2")

# Starts and stops of two turbines, in minutes of event time.
TURBINES = {
    TD: stream(
        (T1, WTUR.StrCnt, 7, 5 * MINUTE),
        (T2, WTUR.StrCnt, 3, 10 * MINUTE + 30_000),
        (T1, WTUR.StopCnt, 4, 12 * MINUTE),
        (T1, WTUR.StrCnt, 8, 20 * MINUTE),
        (T1, WTUR.StopCnt, 5, 25 * MINUTE),
    )
}

AT_MINUTE: list[tuple[float, Bag]] = [
    (4, bag()),
    (5, bag(solution(x=T1, y=7))),
    (10.5, bag(solution(x=T1, y=7), solution(x=T2, y=3))),
    # T1 has stopped once: the OPTIONAL finds it; T2 stands alone.
    (12, bag(solution(x=T1, y=7, z=4), solution(x=T2, y=3))),
    (20, bag(solution(x=T1, y=7, z=4), solution(x=T1, y=8, z=4), solution(x=T2, y=3))),
    (
        25,
        bag(
            solution(x=T1, y=7, z=4),
            solution(x=T1, y=7, z=5),
            solution(x=T1, y=8, z=4),
            solution(x=T1, y=8, z=5),
            solution(x=T2, y=3),
        ),
    ),
    # The first start, of minute 5, has left: it is valid up to minute 35, exclusive.
    (34.99, bag(*[solution(x=T1, y=y, z=z) for y in (7, 8) for z in (4, 5)], solution(x=T2, y=3))),
    (35, bag(solution(x=T1, y=8, z=4), solution(x=T1, y=8, z=5), solution(x=T2, y=3))),
    # T2's start arrived at 10:30; the window slides by full minutes, so it leaves at 40:00.
    (39.99, bag(solution(x=T1, y=8, z=4), solution(x=T1, y=8, z=5), solution(x=T2, y=3))),
    (40, bag(solution(x=T1, y=8, z=4), solution(x=T1, y=8, z=5))),
    (50, bag()),
]


@pytest.mark.parametrize(("minute", "expected"), AT_MINUTE)
def test_listing_1_1_starts_and_if_available_stops(minute: float, expected: Bag) -> None:
    assert evaluate(listing_1_1(), TURBINES, int(minute * MINUTE)) == expected


def test_listing_1_1_with_a_smaller_count_loses_the_older_stop() -> None:
    """1500 elements are more than the stream has; with 1, only the last stop is left."""
    starts = Pattern(X, WTUR.StrCnt, Y, SlidingWindow(StreamAccess(TD), 30 * MINUTE, MINUTE))
    stops = CountWindow(Pattern(X, WTUR.StopCnt, Z, StreamAccess(TD)), 1)
    plan = Project((X, Y, Z), LeftJoin(starts, stops))
    t1 = [solution(x=T1, y=7, z=5), solution(x=T1, y=8, z=5)]
    assert evaluate(plan, TURBINES, 25 * MINUTE) == bag(*t1, solution(x=T2, y=3))


def test_listing_1_1_reports_intervals() -> None:
    found = {(e.item, e.interval) for e in intervals(listing_1_1(), TURBINES)}

    def minutes(start: float, end: float) -> Interval:
        return Interval(int(start * MINUTE), int(end * MINUTE))

    assert found == {
        (solution(x=T1, y=7), minutes(5, 12)),
        (solution(x=T2, y=3), minutes(10.5, 40)),
        (solution(x=T1, y=7, z=4), minutes(12, 35)),
        (solution(x=T1, y=8, z=4), minutes(20, 50)),
        (solution(x=T1, y=7, z=5), minutes(25, 35)),
        (solution(x=T1, y=8, z=5), minutes(25, 50)),
    }


NAMES = [
    Triple(T1, MY.name, Literal("Anna")),
    Triple(T2, MY.name, Literal("Berta")),
    Triple(T1, MY.power, Literal("1500")),
    Triple(T1, MY.site, Literal("Borkum")),
]


def test_listing_1_2_is_plain_sparql_at_every_instant() -> None:
    expected = bag(
        solution(w=T1, x=Literal("Anna")),
        solution(w=T2, x=Literal("Berta")),
        solution(y=T1, z=Literal("1500")),
    )
    assert evaluate(listing_1_2(), {SRC: NAMES}, 0) == expected
    assert evaluate(listing_1_2(), {SRC: NAMES}, 10**15) == expected


def test_listing_1_3_sees_each_triple_for_a_second() -> None:
    rows = stream(
        (T1, MY.name, Literal("Anna"), 100),
        (T1, MY.name, Literal("Anna"), 600),
        (T1, MY.power, Literal("1500"), 900),
    )
    anna, power = solution(w=T1, x=Literal("Anna")), solution(y=T1, z=Literal("1500"))
    expected = {
        99: bag(),
        100: bag(anna),
        600: bag(anna, anna),  # a stream is a bag: the same triple twice counts twice
        900: bag(anna, anna, power),
        1100: bag(anna, power),
        1600: bag(power),
        1900: bag(),
    }
    assert {t: evaluate(listing_1_3(), {SRC: rows}, t) for t in expected} == expected
