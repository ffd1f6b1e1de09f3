"""What the operators of a stage do in one bucket: elements in and out, what is kept, the time."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra import Operator


@dataclass(slots=True)
class Tally:
    """Of one operator, since it was last asked: elements that came and went, and seconds."""

    plan: Operator
    rows_in: int = 0
    rows_out: int = 0
    seconds: float = 0.0

    def add(self, rows_in: int, rows_out: int, seconds: float) -> None:
        """Count a step."""
        self.rows_in += rows_in
        self.rows_out += rows_out
        self.seconds += seconds

    def take(self) -> Tally:
        """What was counted; from now on nothing is."""
        told = Tally(self.plan, self.rows_in, self.rows_out, self.seconds)
        self.rows_in, self.rows_out, self.seconds = 0, 0, 0.0
        return told
