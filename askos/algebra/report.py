"""Reports: what of an ever-changing answer is told, and when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from askos.algebra.node import Node
from askos.algebra.streams import Item
from askos.errors import StreamError, require, require_flag, require_whole
from askos.interval import FOREVER, saturate

LIMIT: Final = 1_000_000
"""How many reports may follow the last arrival."""


class Kind(Enum):
    """Of a report: the whole snapshot, what is new in it, or what is gone."""

    RSTREAM = "RSTREAM"
    ISTREAM = "ISTREAM"
    DSTREAM = "DSTREAM"


@dataclass(frozen=True, slots=True)
class Answer:
    """One report: the instant, and its rows in order; none where it is row-less."""

    at: int
    rows: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Report(Node):
    """How a query reports."""


@dataclass(frozen=True, slots=True)
class Intervals(Report):
    """Elements with their validity: Streaming SPARQL's own way."""


@dataclass(frozen=True, slots=True)
class Periodic(Report):
    """At origin + kσ, for each period σ in `every`.

    `nonempty`: a report without rows is not told.  More than `limit` reports after the last
    arrival, of a window of years or of a mark far ahead, are an error.
    """

    kind: Kind
    every: tuple[int, ...]
    origin: int = 0
    nonempty: bool = False
    limit: int = field(default=LIMIT, repr=False)

    def __post_init__(self) -> None:
        _check_kind(self)
        ok = isinstance(self.every, tuple) and bool(self.every)
        require(ok, f"Periodic: every must be a tuple of periods, not {self.every!r}")
        for period in self.every:
            require_whole(period, 1, "Periodic: a period")
        require_whole(self.origin, 0, "Periodic: origin")
        require_whole(self.limit, 1, "Periodic: limit")

    def next(self, time: int) -> int:
        """The first report instant at or after `time`; never one before the origin."""
        elapsed = max(time - self.origin, 0)
        steps = min(-(-elapsed // period) * period for period in self.every)
        return saturate(self.origin + steps)

    def before(self, time: int) -> int | None:
        """The last report instant before `time`, if there is one.

        >>> every = Periodic(Kind.RSTREAM, (4, 6))
        >>> every.before(12), every.before(13), every.before(0)
        (8, 12, None)
        """
        elapsed = time - 1 - self.origin
        if elapsed < 0:
            return None
        return self.origin + max(elapsed // period * period for period in self.every)

    def instants(self, start: int, stop: int) -> Iterator[int]:
        """The report instants from `start` up to, not including, `stop`.

        >>> list(Periodic(Kind.RSTREAM, (4, 6)).instants(1, 13))
        [4, 6, 8, 12]
        """
        instant = self.next(start)
        while instant < min(stop, FOREVER):
            yield instant
            instant = self.next(instant + 1)

    def check_number(self, arrival: int, stop: int) -> None:
        """Refuse more than `limit` report instants after the last `arrival` and before `stop`."""
        if self._exceeds(arrival, stop):
            raise StreamError(
                f"more than {self.limit} reports would follow the last arrival, at {arrival}",
                hint="report less often, or allow more: Periodic(…, limit=…)",
            )

    def check_gap(self, told: int, stop: int) -> None:
        """Refuse more than `limit` report instants at once, after `told` and before `stop`: of
        nobody's patience, and of more memory than there is."""
        if self._exceeds(told, stop):
            raise StreamError(
                f"more than {self.limit} reports would be due at once, from {told} to {stop}",
                hint="if a row is stamped in the future by mistake, declare the stream's not_after;"
                " else report less often, or allow more: Periodic(…, limit=…)",
            )

    def _exceeds(self, after: int, before: int) -> bool:
        if before - after <= self.limit:  # instants are whole numbers
            return False
        elapsed = max(before - 1 - self.origin, 0), max(after - self.origin, 0)
        each = [elapsed[0] // period - elapsed[1] // period for period in self.every]
        if sum(each) <= self.limit or max(each) > self.limit:
            return max(each) > self.limit
        # Some instants may be of several periods: where it matters, they are counted one by one.
        return sum(1 for _ in self.instants(after + 1, before)) > self.limit


@dataclass(frozen=True, slots=True)
class OnChange(Report):
    """At every instant at which the snapshot changed."""

    kind: Kind
    nonempty: bool = False

    def __post_init__(self) -> None:
        _check_kind(self)


def _check_kind(report: Periodic | OnChange) -> None:
    ok = isinstance(report.kind, Kind)
    require(ok, f"{type(report).__name__}: kind must be a Kind, not {report.kind!r}")
    require_flag(report.nonempty, f"{type(report).__name__}: nonempty")
