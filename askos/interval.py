"""Event time: instants, FOREVER, and half-open validity intervals [start, end).

Streaming SPARQL, section 3: the time domain T and the set of intervals I.  Ours is
milliseconds in a signed 64-bit integer, never negative; FOREVER is the largest value, and
arithmetic saturates there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from askos.errors import StreamError

FOREVER: Final = 2**63 - 1
_YEAR_10000: Final = 253_402_300_800_000  # beyond what a calendar here can say


def saturate(time: int) -> int:
    """`time`, but never later than FOREVER.

    >>> saturate(FOREVER + 5) == FOREVER
    True
    """
    return min(time, FOREVER)


def check_instant(time: object, what: str = "timestamp") -> int:
    """`time` as an instant: a whole number of milliseconds in [0, FOREVER)."""
    if not isinstance(time, int) or isinstance(time, bool) or not 0 <= time < FOREVER:
        raise StreamError(
            f"{what} {time!r} is not an instant",
            hint="an instant is a whole number of milliseconds, at least 0 and before FOREVER",
        )
    return time


def moment(time: int) -> str:
    """An instant as people read it; FOREVER is ∞.

    >>> moment(1780272000500)
    '2026-06-01T00:00:00.500Z'
    """
    if time == FOREVER:
        return "∞"
    if time >= _YEAR_10000:
        return str(time)
    text = datetime.fromtimestamp(time // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{text}.{time % 1000:03}Z" if time % 1000 else f"{text}Z"


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """The instants t with start <= t < end; never empty.

    >>> Interval(10, 30).intersect(Interval(20, 40))
    Interval(start=20, end=30)
    >>> Interval(10, 20).intersect(Interval(20, 40)) is None
    True
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        check_instant(self.start, "interval start")
        if self.end != FOREVER:
            check_instant(self.end, "interval end")
        if self.start >= self.end:
            raise StreamError(
                f"interval [{self.start}, {self.end}) is empty",
                hint="an element must be valid at one instant at least: start < end",
            )

    def __contains__(self, time: int) -> bool:
        return self.start <= time < self.end

    def intersect(self, other: Interval) -> Interval | None:
        """The instants in both, or None where there are none."""
        return interval(max(self.start, other.start), min(self.end, other.end))

    def __str__(self) -> str:
        return f"[{self.start}, {'∞' if self.end == FOREVER else self.end})"


def interval(start: int, end: int) -> Interval | None:
    """[start, end) saturated at FOREVER, or None where that is empty.

    For computed bounds: a window may leave an element no validity at all, and elements with
    an empty interval do not exist.
    """
    start, end = saturate(start), saturate(end)
    return Interval(start, end) if start < end else None


ALWAYS: Final = Interval(0, FOREVER)
