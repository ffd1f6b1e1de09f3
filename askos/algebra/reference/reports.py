"""Reports over finite streams: what a query tells, and when.

By looking at every instant at which something may change; the definitions are on the report
values in `askos.algebra.report`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from askos.algebra.expressions.instant import uses_instant
from askos.algebra.operator import Operator, Payload
from askos.algebra.operators import GraphAccess, StreamAccess
from askos.algebra.reference.arrivals import Arrival, Streams, arrivals, data_of
from askos.algebra.reference.evaluate import sequence
from askos.algebra.reference.windows import changes, content
from askos.algebra.report import Kind, OnChange, Periodic
from askos.algebra.streams import Element, Item, Stamped, to_logical, to_physical
from askos.algebra.windows import Window
from askos.errors import UnsupportedError, require
from askos.interval import FOREVER, Interval
from askos.terms import Triple


@dataclass(frozen=True, slots=True)
class Answer:
    """One report: the instant, and its rows in order."""

    at: int
    rows: tuple[Item, ...]


def intervals(plan: Operator, streams: Streams) -> list[Element]:
    """The interval report: every item with the maximal intervals of its validity."""
    _refuse_now(plan, "an interval report")
    times = change_instants(plan, streams)
    pieces = [
        Element(item, Interval(start, end))
        for start, end in zip(times, [*times[1:], FOREVER], strict=True)
        for item in sequence(plan, streams, start)
    ]
    return to_physical(to_logical(pieces))


def reports(plan: Operator, streams: Streams, how: Periodic | OnChange) -> list[Answer]:
    """RSTREAM, ISTREAM or DSTREAM, periodically or on change.

    >>> from askos.algebra import Pattern, SteppedWindow
    >>> from askos.terms import Literal, URIRef, Variable
    >>> wind, speed, t, v = URIRef("wind"), URIRef("speed"), Variable("t"), Variable("v")
    >>> plan = Pattern(t, speed, v, SteppedWindow(StreamAccess(wind), 10, 10))
    >>> data = {wind: [Stamped(Triple(URIRef("T1"), speed, Literal("7")), 3)]}
    >>> reports(plan, data, Periodic(Kind.ISTREAM, (10,), nonempty=True))
    [Answer(at=10, rows=({?t → <T1>, ?v → "7"},))]
    """
    if isinstance(how, OnChange):
        _refuse_now(plan, "a report on change")
    answers: list[Answer] = []
    before: Sequence[Item] = ()
    for time in _report_instants(plan, streams, how):
        now = sequence(plan, streams, time)
        due = isinstance(how, Periodic) or Counter(now) != Counter(before)
        rows = _told(how.kind, before, now)
        if due and (rows or not how.nonempty):
            answers.append(Answer(time, rows))
        before = now
    return answers


def publish(plan: Operator, streams: Streams, how: Periodic) -> list[Stamped]:
    """REGISTER STREAM: the triples of each report, stamped with its instant."""
    require(
        plan.payload is Payload.TRIPLE,
        f"a published stream needs triples, but {type(plan).__name__} yields {plan.payload.value}",
        "publish a CONSTRUCT or DESCRIBE",
    )
    require(
        isinstance(how, Periodic),
        "a published stream needs a periodic report",
        "say how often, with COMPUTED EVERY or a STEP",
    )
    return [
        Stamped(triple, answer.at)
        for answer in reports(plan, streams, how)
        for triple in answer.rows
        if isinstance(triple, Triple)
    ]


def change_instants(plan: Operator, streams: Streams) -> list[int]:
    """All instants at which the snapshot of `plan` may differ from the one before; from 0."""
    times = {0}
    for node in plan.walk():
        match node:
            case Window():
                times.update(_window_changes(node, streams))
            case StreamAccess():
                arrived = [arrival.at for arrival in arrivals(node, streams)]
                times.update(arrived, (at + 1 for at in arrived))
            case GraphAccess(source):
                for row in data_of(source, streams):
                    if isinstance(row, Element):
                        times.update((row.interval.start, row.interval.end))
    return sorted(times - {FOREVER})


def _window_changes(window: Window, streams: Streams) -> set[int]:
    arrived = {arrival.at for arrival in arrivals(window.input, streams)}
    return {time for at in arrived for time in changes(window, at) if time < FOREVER}


def _refuse_now(plan: Operator, report: str) -> None:
    if uses_instant(plan):
        raise UnsupportedError(
            f"NOW() has no value in {report}",
            hint="NOW() is the instant of a report: ask for a periodic one",
        )


def _told(kind: Kind, before: Sequence[Item], now: Sequence[Item]) -> tuple[Item, ...]:
    match kind:
        case Kind.RSTREAM:
            return tuple(now)
        case Kind.ISTREAM:
            return _less(now, before)
        case Kind.DSTREAM:
            return _less(before, now)


def _less(rows: Sequence[Item], others: Sequence[Item]) -> tuple[Item, ...]:
    """The bag difference, in the order of `rows`."""
    remaining = Counter(others)
    kept = []
    for row in rows:
        if remaining[row] > 0:
            remaining[row] -= 1
        else:
            kept.append(row)
    return tuple(kept)


def _report_instants(plan: Operator, streams: Streams, how: Periodic | OnChange) -> Iterator[int]:
    """On change: whenever something may.  Periodically: from the first arrival to the first
    report that sees everything settled; without streams, once."""
    if isinstance(how, OnChange):
        yield from change_instants(plan, streams)
        return
    accesses = [node for node in plan.walk() if isinstance(node, StreamAccess)]
    arrived = [arrival.at for access in accesses for arrival in arrivals(access, streams)]
    if accesses and not arrived:
        return
    last = max(_last_changes(plan, streams), default=max(arrived, default=0))
    time = how.next(min(arrived, default=0))
    while time < min(last, FOREVER):
        yield time
        time = how.next(time + 1)
    if time < FOREVER:
        yield time


def _last_changes(plan: Operator, streams: Streams) -> Iterator[int]:
    """Per window, the last instant at which an element entered or left it.

    Entering counts too: the last elements of `[ALL]`, or of a count window, never leave, and
    would otherwise never be reported.
    """
    for window in plan.walk():
        if isinstance(window, Window):
            arrived = arrivals(window.input, streams)
            members: list[Arrival] = []
            for time in sorted(_window_changes(window, streams)):
                now = content(window, arrived, time)
                if now != members:
                    yield time
                members = now
