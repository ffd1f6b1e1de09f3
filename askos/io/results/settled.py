"""One form for all answers that say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from askos.interval import Interval
from askos.io.results.rows import Item, Row
from askos.terms import Solution, Triple, n3


def settled(rows: Iterable[Row]) -> list[Row]:
    """Answers with intervals, by time, without the cuts that depend on how they were computed.

    Hosts emit an interval in pieces.  Here the starts and ends of equal items, less those that
    meet, are paired in order: so bags that are equal at every instant become equal lists.  Holds
    all rows.

    >>> rows = [(True, Interval(5, 9)), (True, Interval(0, 5)), (True, Interval(2, 7))]
    >>> [str(interval) for _, interval in settled(rows)]
    ['[0, 7)', '[2, 9)']
    """
    events: dict[Item, Counter[int]] = {}
    for item, interval in rows:
        assert isinstance(interval, Interval)
        events.setdefault(item, Counter()).update({interval.start: 1})
        events[item].subtract({interval.end: 1})
    found = ((item, interval) for item, net in events.items() for interval in _paired(net))
    return sorted(found, key=lambda row: (row[1], item_text(row[0])))


def _paired(net: Counter[int]) -> Iterator[Interval]:
    ends = sorted((-net).elements())
    return (Interval(*pair) for pair in zip(sorted(net.elements()), ends, strict=True))


def item_text(item: Item) -> list[str]:
    """What items are sorted by."""
    match item:
        case Solution():
            return [f"{variable} {n3(item[variable])}" for variable in sorted(item)]
        case Triple():
            return [n3(term) for term in item]
    return [str(item)]
