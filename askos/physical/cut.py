"""The cut: up to when undecided pieces are emitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from askos.algebra import (
    Intervals,
    Node,
    OnChange,
    Operator,
    Periodic,
    Report,
    SlidingWindow,
    SteppedWindow,
)
from askos.interval import FOREVER, saturate

DEFAULT_STEP: Final = 1000


@dataclass(frozen=True, slots=True)
class Cut(Node):
    """C(W) = the largest origin + k·period ≤ W, over all periods; on the `grid` of a periodic
    report the least ≥ W, for nothing happens in between.

    A piece whose end is undecided (a left row without partner, a group) is emitted up to C and
    remembered as emitted until C, so that nobody waits half an hour to learn that an OPTIONAL
    had no match.  Output progress is C too, hence a function of W alone: all partitions agree
    on it without asking each other.

    >>> Cut((60_000,))(150_000), Cut((60_000,), grid=True)(150_000)
    (120000, 180000)
    """

    periods: tuple[int, ...]
    origin: int = 0
    grid: bool = False

    @classmethod
    def of(cls, plan: Operator, report: Report | None = None) -> Cut:
        """For interval reports the smallest slide of the query, else a second; for periodic
        ones the period; on change every instant."""
        match report or Intervals():
            case Periodic(every=every, origin=origin):
                return cls(every, origin, grid=True)
            case OnChange():
                return cls((1,))
        windows = [n for n in plan.walk() if isinstance(n, SlidingWindow | SteppedWindow)]
        return cls((min((w.period for w in windows), default=DEFAULT_STEP),))

    def __call__(self, watermark: int) -> int:
        if watermark == FOREVER:
            return FOREVER
        elapsed = watermark - self.origin
        if self.grid:
            steps = (-(-max(elapsed, 0) // period) * period for period in self.periods)
            return saturate(self.origin + min(steps))
        if elapsed < 0:
            return 0
        return self.origin + max(elapsed // period * period for period in self.periods)
