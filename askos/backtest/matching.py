"""Who belongs to whom: as many pairs as can be, one to one, of intervals that overlap."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from heapq import heappop, heappush

from askos.interval import Interval


def matched(faults: Sequence[Interval], alerts: Sequence[Interval]) -> dict[int, int]:
    """A largest matching: places of faults, each with the place of an alert that overlaps it.

    `alerts` are in order and disjoint, so those that overlap a fault stand side by side: the graph
    is convex, and Glover's rule is optimal (Naval Research Logistics Quarterly 14, 1967): alert by
    alert, of the faults it overlaps that are still free, take the one that is over first.  Cost:
    a sort.

    >>> matched([Interval(0, 9), Interval(2, 4)], [Interval(1, 3), Interval(7, 8)])
    {1: 0, 0: 1}
    """
    starts, ends = [a.start for a in alerts], [a.end for a in alerts]
    # The places of the first alert that overlaps a fault, and of the first after it that does not.
    reach = [(bisect_right(ends, f.start), bisect_left(starts, f.end)) for f in faults]
    waiting = sorted(range(len(faults)), key=lambda place: reach[place][0], reverse=True)
    free, pairs = list[tuple[int, int, int]](), dict[int, int]()
    for alert in range(len(alerts)):
        while waiting and reach[waiting[-1]][0] <= alert:
            place = waiting.pop()
            heappush(free, (reach[place][1], faults[place].start, place))
        while free and free[0][0] <= alert:
            heappop(free)
        if free:
            pairs[heappop(free)[2]] = alert
    return pairs
