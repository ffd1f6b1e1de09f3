"""Reports: what of an ever-changing answer is told, and when."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from askos.algebra.node import Node
from askos.errors import require, require_flag, require_whole
from askos.interval import saturate


class Kind(Enum):
    """Of a report: the whole snapshot, what is new in it, or what is gone."""

    RSTREAM = "RSTREAM"
    ISTREAM = "ISTREAM"
    DSTREAM = "DSTREAM"


@dataclass(frozen=True, slots=True)
class Report(Node):
    """How a query reports."""


@dataclass(frozen=True, slots=True)
class Intervals(Report):
    """Elements with their validity: Streaming SPARQL's own way."""


@dataclass(frozen=True, slots=True)
class Periodic(Report):
    """At origin + kσ, for each period σ in `every`."""

    kind: Kind
    every: tuple[int, ...]
    origin: int = 0
    nonempty: bool = False

    def __post_init__(self) -> None:
        _check_kind(self)
        ok = isinstance(self.every, tuple) and bool(self.every)
        require(ok, f"Periodic: every must be a tuple of periods, not {self.every!r}")
        for period in self.every:
            require_whole(period, 1, "Periodic: a period")
        require_whole(self.origin, 0, "Periodic: origin")

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
