"""Alerts: during which spans of time a rule names a turbine.

A rule may tell several rows of one turbine at a time, a new one with each reading say, and hosts
tell an interval in pieces.  None of that is a second alert: what overlaps or meets is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from askos.interval import FOREVER, Interval, saturate

Spans: TypeAlias = Mapping[str, tuple[Interval, ...]]
"""By turbine, spans in order that do not even meet."""


def joined(intervals: Iterable[Interval], gap: int = 0) -> tuple[Interval, ...]:
    """The union of intervals as spans in order; those at most `gap` apart are one.

    >>> [str(span) for span in joined([Interval(4, 6), Interval(0, 3), Interval(2, 4)])]
    ['[0, 6)']
    >>> [str(span) for span in joined([Interval(0, 3), Interval(5, 6)], gap=1)]
    ['[0, 3)', '[5, 6)']
    """
    found = list[Interval]()
    for each in sorted(intervals):
        if found and each.start <= saturate(found[-1].end + gap):
            each = Interval(found[-1].start, max(found.pop().end, each.end))
        found.append(each)
    return tuple(found)


def spans(rows: Iterable[tuple[str, Interval]], gap: int = 0, last: int = FOREVER) -> Spans:
    """The alerts of each turbine, of rows that name it, and when they hold.

    Beyond the `last` instant of an archive nothing is known, and everybody seems to be silent: what
    begins later is no alert.
    """
    held: dict[str, list[Interval]] = {}
    for turbine, interval in rows:
        held.setdefault(turbine, []).append(interval)
    found = ((turbine, joined(held[turbine], gap)) for turbine in sorted(held))
    known = ((turbine, tuple(s for s in own if s.start <= last)) for turbine, own in found)
    return {turbine: own for turbine, own in known if own}
