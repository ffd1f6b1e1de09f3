"""The sliding δ-window of Streaming SPARQL; CQELS's NOW, ALL and plain RANGE."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askos.algebra.names import Names, duration
from askos.algebra.operator import Operator
from askos.algebra.windows.window import Window
from askos.errors import require, require_whole
from askos.interval import FOREVER, Interval, interval


@dataclass(frozen=True, slots=True)
class SlidingWindow(Window):
    """WINDOW RANGE w SLIDE δ: an element enters when it arrives, leaves with a slide.

    Streaming SPARQL, Def. 3: at t, the elements of [iδ − w, t] for the smallest i with t < iδ.
    Departure: where δ does not divide w, Def. 3 and Alg. 2 disagree, and Def. 3 as printed
    admits several i; the smallest holds.  FIXED is δ = w.  CQELS: `[RANGE w]` is δ = 1, `[NOW]`
    and `[ALL]` are below.
    """

    width: int
    slide: int
    origin: int = 0

    def __post_init__(self) -> None:
        self.check_raw()
        require_whole(self.width, 1, "SlidingWindow: width")
        require_whole(self.slide, 1, "SlidingWindow: slide")
        require_whole(self.origin, 0, "SlidingWindow: origin")
        require(
            self.slide <= self.width,
            f"SlidingWindow: slide {self.slide} is larger than width {self.width}",
            "elements between two windows would be missed; make SLIDE at most RANGE",
        )

    @classmethod
    def now(cls, input: Operator) -> SlidingWindow:
        """CQELS `[NOW]`: valid at the instant of arrival alone."""
        return cls(input, 1, 1)

    @classmethod
    def all(cls, input: Operator) -> SlidingWindow:
        """CQELS `[ALL]`: valid for ever."""
        return cls(input, FOREVER, 1)

    @property
    def period(self) -> int:
        """How often the content may change by leaving."""
        return self.slide

    def validity(self, arrival: int) -> Interval | None:
        """[τ, ⌊(τ+w)/δ⌋·δ), counted from the origin; never empty, since δ ≤ w."""
        return interval(*self.bounds(arrival))

    def bounds(self, arrival: Any) -> tuple[Any, Any]:
        """Start and end before saturation; of one arrival, or of an array of them."""
        slides = (arrival - self.origin + self.width) // self.slide
        return arrival, self.origin + slides * self.slide

    def label(self, names: Names) -> str:
        match self.width, self.slide, self.origin:
            case 1, 1, 0:
                return "NOW"
            case w, 1, 0 if w == FOREVER:
                return "ALL"
        origin = f" FROM {self.origin}" if self.origin else ""
        return f"RANGE {duration(self.width)} SLIDE {duration(self.slide)}{origin}"
