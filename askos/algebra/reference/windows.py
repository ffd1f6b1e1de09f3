"""Windows by their set definitions: which of the elements are in the window at an instant.

The closed formulas for validity live with the windows (`validity`); nothing here uses them, so
that tests can hold one against the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch

from askos.algebra.expressions.expression import Expression, Scope
from askos.algebra.expressions.logic import holds
from askos.algebra.reference.arrivals import Arrival
from askos.algebra.windows import (
    Boundary,
    CountWindow,
    PredicateWindow,
    SlidingWindow,
    SteppedWindow,
    Window,
)
from askos.interval import FOREVER


@singledispatch
def content(window: Window, arrivals: Sequence[Arrival], time: int) -> list[Arrival]:
    """The elements in the window at `time`; `arrivals` are in order."""
    raise TypeError(f"{type(window).__name__} has no set definition")


@content.register
def _(window: SlidingWindow, arrivals: Sequence[Arrival], time: int) -> list[Arrival]:
    """Def. 3: those with iδ − w ≤ τ ≤ t, for the smallest i with t < iδ."""
    slide = window.slide
    i = (time - window.origin) // slide + 1
    begin = window.origin + i * slide - window.width
    return [arrival for arrival in arrivals if begin <= arrival.at <= time]


@content.register
def _(window: SteppedWindow, arrivals: Sequence[Arrival], time: int) -> list[Arrival]:
    """Those with r − w < τ ≤ r − v, or r − w ≤ τ < r − v, for the last step r ≤ t."""
    step = window.step
    r = window.origin + (time - window.origin) // step * step
    opens, closes = r - window.width, r - window.until
    if window.boundary is Boundary.OPEN_CLOSED:
        return [arrival for arrival in arrivals if opens < arrival.at <= closes]
    return [arrival for arrival in arrivals if opens <= arrival.at < closes]


@content.register
def _(window: CountWindow, arrivals: Sequence[Arrival], time: int) -> list[Arrival]:
    """Defs. 4 and 5: the last c of the m arrived, m rounded down to a multiple of k."""
    arrived = [arrival for arrival in arrivals if arrival.at <= time]
    m = len(arrived) // window.step * window.step
    return arrived[max(m - window.count, 0) : m]


@content.register
def _(window: PredicateWindow, arrivals: Sequence[Arrival], time: int) -> list[Arrival]:
    """The members taken since the last opening, unless it has closed by now."""
    opened: int | None = None
    members: list[Arrival] = []

    def satisfies(condition: Expression, arrival: Arrival) -> bool:
        return holds(condition, Scope(window.view(arrival.item)))

    def expired(now: int) -> bool:
        return opened is not None and window.within is not None and now >= opened + window.within

    for arrival in arrivals:
        if arrival.at > time:
            break
        if expired(arrival.at) or (opened is not None and satisfies(window.end, arrival)):
            opened, members = None, []
        if opened is None and satisfies(window.start, arrival):
            opened = arrival.at
        if opened is not None:
            members.append(arrival)
    return [] if expired(time) else members


@singledispatch
def changes(window: Window, arrival: int) -> Iterator[int]:
    """Instants at which an element that arrives at `arrival` may make the content change.

    A superset will do: it only costs time.  Time windows look at the clock through a grid, so
    the grid's points next to where an edge of the window passes the element are enough.
    """
    raise TypeError(f"{type(window).__name__} has no set definition")


@changes.register
def _(window: SlidingWindow, arrival: int) -> Iterator[int]:
    yield arrival
    yield from _near(arrival + window.width, window.origin, window.slide)


@changes.register
def _(window: SteppedWindow, arrival: int) -> Iterator[int]:
    yield from _near(arrival + window.until, window.origin, window.step)
    yield from _near(arrival + window.width, window.origin, window.step)


@changes.register
def _(window: CountWindow, arrival: int) -> Iterator[int]:
    yield arrival


@changes.register
def _(window: PredicateWindow, arrival: int) -> Iterator[int]:
    yield arrival
    yield arrival + (window.within or 0)


def _near(time: int, origin: int, step: int) -> Iterator[int]:
    base = origin + (time - origin) // step * step
    return (t for t in (base - step, base, base + step) if 0 <= t < FOREVER)
