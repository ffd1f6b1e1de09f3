"""The cut: up to when undecided pieces are emitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from askos.algebra import Intervals, Node, Operator, Periodic, Report, SlidingWindow, SteppedWindow
from askos.errors import UnsupportedError
from askos.interval import FOREVER

DEFAULT_STEP: Final = 1000


@dataclass(frozen=True, slots=True)
class Cut(Node):
    """C(W) = the largest origin + k·period + offset ≤ W, over all periods.

    A piece whose end is undecided (a left row without partner, a group) is emitted up to C and
    remembered as emitted until C, so that nobody waits half an hour to learn that an OPTIONAL
    had no match.  Output progress is C too, hence a function of W alone: all partitions agree
    on it without asking each other.

    >>> Cut((60_000,))(150_000), Cut((60_000,), offset=1)(120_000)
    (120000, 60001)
    """

    periods: tuple[int, ...]
    origin: int = 0
    offset: int = 0

    @classmethod
    def of(cls, plan: Operator, report: Report | None = None) -> Cut:
        """For interval reports the smallest slide of the query, else a second; for periodic
        ones the period, and an instant more, so that the report instant is decided."""
        match report or Intervals():
            case Intervals():
                windows = [n for n in plan.walk() if isinstance(n, SlidingWindow | SteppedWindow)]
                return cls((min((w.period for w in windows), default=DEFAULT_STEP),))
            case Periodic(every=every, origin=origin):
                return cls(every, origin, 1)
        raise UnsupportedError(f"{type(report).__name__} is not offered by the hosts yet")

    def __call__(self, watermark: int) -> int:
        if watermark == FOREVER:
            return FOREVER
        elapsed = watermark - self.origin - self.offset
        if elapsed < 0:
            return 0
        passed = max(elapsed // period * period for period in self.periods)
        return self.origin + passed + self.offset
