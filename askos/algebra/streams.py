"""Physical and logical streams, snapshots, and when two streams mean the same.

Streaming SPARQL, Defs. 1 and 2.  How validity is cut into pieces carries no meaning: streams
are compared as step functions n(z, t).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from askos.errors import StreamError
from askos.interval import FOREVER, Interval, check_instant
from askos.terms import Solution, Triple

Item: TypeAlias = Triple | Solution | bool
"""What a plan can yield: a triple, a solution, or the answer of ASK."""

Bag: TypeAlias = Counter[Item]
"""A multiset of items: how often each occurs."""

Step: TypeAlias = tuple[int, int, int]
"""start, end, n: n copies on [start, end)."""


@dataclass(frozen=True, slots=True)
class Stamped:
    """A triple of a stream and when it arrived, in event time.

    `sequence` is the source's own numbering, if it has one (an offset, a line number): it
    orders triples of one instant.
    """

    triple: Triple
    at: int
    sequence: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.triple, Triple):
            raise StreamError(
                f"{self.triple!r} is not a triple", hint="build it with Triple(s, p, o)"
            )
        check_instant(self.at)
        if self.sequence is not None:
            check_instant(self.sequence, "sequence number")


@dataclass(frozen=True, slots=True)
class Element:
    """An item and the interval [ts, te) of its validity (Def. 1)."""

    item: Item
    interval: Interval

    def __post_init__(self) -> None:
        if not isinstance(self.item, Triple | Solution | bool):
            raise StreamError(f"{self.item!r} is neither a triple, nor a solution, nor an answer")
        if not isinstance(self.interval, Interval):
            raise StreamError(f"{self.interval!r} is not an interval")


@dataclass(frozen=True, slots=True)
class LogicalStream(Mapping[Item, tuple[Step, ...]]):
    """{(z, t, n)}: per item its step function, in maximal steps (Def. 2).

    Equal exactly when the streams are snapshot-equivalent.
    """

    steps: Mapping[Item, tuple[Step, ...]]

    def __getitem__(self, item: Item) -> tuple[Step, ...]:
        return self.steps[item]

    def __iter__(self) -> Iterator[Item]:
        return iter(self.steps)

    def __len__(self) -> int:
        return len(self.steps)

    def at(self, time: int) -> Bag:
        """The snapshot at `time`."""
        return Counter(
            {
                item: n
                for item, steps in self.steps.items()
                for start, end, n in steps
                if start <= time < end
            }
        )


def snapshot(elements: Iterable[Element], time: int) -> Bag:
    """The bag of items whose interval covers `time`."""
    return Counter(element.item for element in elements if time in element.interval)


def to_logical(elements: Iterable[Element]) -> LogicalStream:
    """The logical stream of a physical one: pieces add up, and their borders vanish.

    >>> from askos.interval import Interval
    >>> dict(to_logical([Element(True, Interval(0, 5)), Element(True, Interval(5, 9))]))
    {True: ((0, 9, 1),)}
    """
    changes: dict[Item, Counter[int]] = {}
    for element in elements:
        change = changes.setdefault(element.item, Counter())
        change[element.interval.start] += 1
        change[element.interval.end] -= 1
    return LogicalStream({item: tuple(_steps(change)) for item, change in changes.items()})


def _steps(change: Counter[int]) -> Iterator[Step]:
    times = sorted(time for time, difference in change.items() if difference)
    n = 0
    for time, following in zip(times, [*times[1:], FOREVER], strict=True):
        n += change[time]
        if n:
            yield time, following, n


def to_physical(stream: LogicalStream) -> list[Element]:
    """The logical stream in the fewest elements: the k-th copy is valid while n ≥ k.

    >>> [str(e.interval) for e in to_physical(LogicalStream({True: ((0, 5, 1), (5, 9, 2))}))]
    ['[0, 9)', '[5, 9)']
    """
    return [
        Element(item, Interval(start, end))
        for item, steps in stream.items()
        for copy in range(1, max(n for _, _, n in steps) + 1)
        for start, end in _runs(steps, copy)
    ]


def _runs(steps: Iterable[Step], copy: int) -> list[tuple[int, int]]:
    """The maximal stretches on which there are at least `copy` copies."""
    runs: list[tuple[int, int]] = []
    for start, end, n in steps:
        if n >= copy:
            joined = runs.pop()[0] if runs and runs[-1][1] == start else start
            runs.append((joined, end))
    return runs


def equivalent(left: Iterable[Element], right: Iterable[Element]) -> bool:
    """Snapshot-equivalence: equal snapshots at every instant."""
    return to_logical(left) == to_logical(right)


def first_difference(left: Iterable[Element], right: Iterable[Element]) -> str | None:
    """The earliest instant at which two streams differ, in words; None where they never do."""
    a, b = to_logical(left), to_logical(right)
    borders = {
        time
        for stream in (a, b)
        for steps in stream.values()
        for start, end, _ in steps
        for time in (start, end)
    }
    for time in sorted(borders - {FOREVER}):
        one, other = a.at(time), b.at(time)
        if one != other:
            return f"at {time}: only left {dict(one - other)}, only right {dict(other - one)}"
    return None
