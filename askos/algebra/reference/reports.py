"""Reports over finite streams: what a query tells, and when.

By looking at every instant at which something may change; the definitions are on the report
values in `askos.algebra.report`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from askos.algebra.clock import Clock
from askos.algebra.expressions.instant import uses_instant
from askos.algebra.operator import Operator, Payload
from askos.algebra.operators import GraphAccess, StreamAccess
from askos.algebra.reference.arrivals import Streams, arrivals, data_of
from askos.algebra.reference.evaluate import sequence
from askos.algebra.reference.windows import changes
from askos.algebra.report import Answer, Kind, OnChange, Periodic
from askos.algebra.streams import Element, Item, Stamped, to_logical, to_physical
from askos.algebra.windows import Window
from askos.errors import UnsupportedError, require
from askos.interval import FOREVER, Interval
from askos.terms import Triple, URIRef


@dataclass(frozen=True, slots=True)
class Published(Collection[Stamped]):
    """What REGISTER STREAM gives to its readers: triples, and the instants of all reports.

    The clocks of its readers see an arrival at each of these, with rows or without.
    """

    triples: tuple[Stamped, ...]
    instants: tuple[int, ...]

    def __contains__(self, row: object) -> bool:
        return row in self.triples

    def __iter__(self) -> Iterator[Stamped]:
        return iter(self.triples)

    def __len__(self) -> int:
        return len(self.triples)


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


def reports(
    plan: Operator,
    streams: Streams,
    how: Periodic | OnChange,
    *,
    clock: Clock | None = None,
    progress: int = 0,
) -> list[Answer]:
    """RSTREAM, ISTREAM or DSTREAM, periodically or on change.

    `clock` says when, where `plan` is not canonical; `progress` is what was promised before the
    end of the streams.

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
    for time in _report_instants(plan, streams, how, clock or Clock.of(plan), progress):
        now = sequence(plan, streams, time)
        rows = _told(how.kind, before, now)
        due = isinstance(how, Periodic) or Counter(now) != Counter(before)
        if due and (rows or _told_without_rows(how)):
            answers.append(Answer(time, rows))
        before = now
    return answers


def _told_without_rows(how: Periodic | OnChange) -> bool:
    """A row-less report says that nothing holds, or that nothing is new; on change the latter
    would say nothing."""
    return not how.nonempty and (isinstance(how, Periodic) or how.kind is Kind.RSTREAM)


def publish(
    plan: Operator,
    streams: Streams,
    how: Periodic,
    *,
    clock: Clock | None = None,
    progress: int = 0,
) -> Published:
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
    every = replace(how, nonempty=False)
    answers = reports(plan, streams, every, clock=clock, progress=progress)
    return Published(
        tuple(
            Stamped(triple, answer.at)
            for answer in answers
            for triple in answer.rows
            if isinstance(triple, Triple)
        ),
        tuple(answer.at for answer in answers),
    )


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


def _report_instants(
    plan: Operator, streams: Streams, how: Periodic | OnChange, clock: Clock, progress: int
) -> Iterator[int]:
    """On change: whenever something may.  Periodically: as the clock says."""
    if isinstance(how, OnChange):
        yield from change_instants(plan, streams)
        return
    times = {source: _times(source, streams) for source in clock.streams}
    smallest = {source: min(arrived) for source, arrived in times.items() if arrived}
    largest = {source: max(arrived) for source, arrived in times.items() if arrived}
    first, last = clock.first(how, smallest), clock.last(how, largest, progress)
    if first is None or last is None:
        return
    if largest:
        how.check_number(max(largest.values()), last + 1)
    yield from how.instants(first, last + 1)


def _times(source: URIRef, streams: Streams) -> Collection[int]:
    """When something arrived on a stream."""
    data = data_of(source, streams)
    if isinstance(data, Published):
        return data.instants
    return [arrival.at for arrival in arrivals(StreamAccess(source), streams)]
