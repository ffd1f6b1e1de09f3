"""The stepped window of C-SPARQL, CQELS and RSP-QL, and SPARQLstream's window in the past."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from askos.algebra.names import Names, duration
from askos.algebra.windows.window import Window
from askos.errors import require, require_flag, require_whole
from askos.interval import Interval, interval


class Boundary(Enum):
    """Which end of its window an element on the boundary belongs to."""

    OPEN_CLOSED = "(o,c]"
    CLOSED_OPEN = "[o,c)"


@dataclass(frozen=True, slots=True)
class SteppedWindow(Window):
    """[RANGE w STEP δ]: content is decided at each kδ, and kept until the next.

    At kδ exactly the elements with kδ − w < τ ≤ kδ (C-SPARQL, CQELS), or kδ − w ≤ τ < kδ
    (RSP-QL).  TUMBLING is δ = w.  With `until` v the window ends v before kδ: SPARQLstream's
    `[NOW - w TO NOW - v SLIDE δ]`.  C-SPARQL's reports never see elements between two windows,
    so δ > w is refused unless `gaps` says that they may be missed (CQELS, RSP-QL).

    CQELS 2011 prints the window once as (t − T, t] and once with t − T included; the first
    holds.
    """

    width: int
    step: int
    until: int = 0
    boundary: Boundary = Boundary.OPEN_CLOSED
    gaps: bool = False
    origin: int = 0

    def __post_init__(self) -> None:
        self.check_raw()
        require_whole(self.width, 1, "SteppedWindow: width")
        require_whole(self.step, 1, "SteppedWindow: step")
        require_whole(self.until, 0, "SteppedWindow: until")
        require_whole(self.origin, 0, "SteppedWindow: origin")
        ok = isinstance(self.boundary, Boundary)
        require(ok, f"SteppedWindow: boundary must be a Boundary, not {self.boundary!r}")
        require_flag(self.gaps, "SteppedWindow: gaps")
        require(
            self.until < self.width,
            f"SteppedWindow: until {self.until} leaves nothing of width {self.width}",
            "the window must begin before it ends",
        )
        require(
            self.gaps or self.step <= self.width - self.until,
            f"SteppedWindow: step {self.step} is larger than the window,"
            f" which spans {self.width - self.until}",
            "elements between two windows would be missed; make STEP at most RANGE",
        )

    @property
    def period(self) -> int:
        """How often the content may change."""
        return self.step

    def validity(self, arrival: int) -> Interval | None:
        """[⌈(τ+v)/δ⌉·δ, ⌈(τ+w)/δ⌉·δ), or with ⌊·⌋ + 1 for ⌈·⌉ if the window is [o,c)."""
        return interval(*self.bounds(arrival))

    def bounds(self, arrival: Any) -> tuple[Any, Any]:
        """Start and end before saturation; of one arrival, or of an array of them."""
        return self._next(arrival + self.until), self._next(arrival + self.width)

    def _next(self, time: Any) -> Any:
        """The first step that sees the window's edge pass `time`."""
        elapsed = time - self.origin
        if self.boundary is Boundary.OPEN_CLOSED:
            steps = -(-elapsed // self.step)
        else:
            steps = elapsed // self.step + 1
        return self.origin + steps * self.step

    def label(self, names: Names) -> str:
        until = f" UNTIL {duration(self.until)}" if self.until else ""
        origin = f" FROM {self.origin}" if self.origin else ""
        span = f"RANGE {duration(self.width)}{until} STEP {duration(self.step)}{origin}"
        return f"{span} {self.boundary.value}{' GAPS' * self.gaps}"
