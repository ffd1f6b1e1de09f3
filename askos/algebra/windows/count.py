"""The sliding tuple window: the last c elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.windows.window import Window
from askos.errors import require, require_flag, require_whole
from askos.interval import FOREVER, Interval, interval


@dataclass(frozen=True, slots=True)
class CountWindow(Window):
    """WINDOW ELEMS c: the last c elements; with a step k, as of the last k-th arrival.

    Streaming SPARQL, Defs. 4 and 5; C-SPARQL `TRIPLES n`, CQELS `TRIPLES n`, RSP-QL `ELEMENTS n`.
    Departures: Def. 5 as printed keeps c + 1, and Def. 4 allows one element an instant only.
    Elements are ordered by (time, sequence number, source, text), never by arrival, so that
    several at one instant have an order.
    """

    count: int
    step: int = 1
    gaps: bool = False

    def __post_init__(self) -> None:
        self.check_raw()
        require_whole(self.count, 1, "CountWindow: count")
        require_whole(self.step, 1, "CountWindow: step")
        require_flag(self.gaps, "CountWindow: gaps")
        require(
            self.gaps or self.step <= self.count,
            f"CountWindow: step {self.step} is larger than count {self.count}",
            "elements between two windows would be missed; make the step at most the count",
        )

    def validity(self, position: int, arrivals: Sequence[int]) -> Interval | None:
        """When the element at `position` (from 0) is valid, given all arrival times in order.

        It enters with the first k-th arrival from its own on, and leaves with the first from
        the c-th following on; where that has not happened, never.
        """

        def completed(number: int) -> int:
            last = -(-number // self.step) * self.step
            return arrivals[last - 1] if last <= len(arrivals) else FOREVER

        return interval(completed(position + 1), completed(position + 1 + self.count))

    def label(self, names: Names) -> str:
        step = f" STEP {self.step}" if self.step > 1 else ""
        return f"ELEMS {self.count}{step}{' GAPS' * self.gaps}"
