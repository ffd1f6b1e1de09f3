"""Figures of a verdict: precision, recall, detection delay, false alarms per turbine-month."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final

from askos.backtest.judge import Verdict

MONTH: Final = 30 * 24 * 3_600_000
"""Of false alarms per turbine-month, in milliseconds."""


@dataclass(frozen=True, slots=True)
class Score:
    """What rules for one kind of fault are worth.  What is a share of nothing is None."""

    kind: str
    faults: int
    alerts: int
    hits: int
    during_no_fault: int
    delays: tuple[int, ...]
    turbine_months: float

    @classmethod
    def of(cls, verdict: Verdict, turbine_months: float) -> Score:
        """The figures of a verdict on so many turbines for so long."""
        hits = len(verdict.hits)
        return cls(
            verdict.kind,
            hits + len(verdict.missed),
            hits + len(verdict.false),
            hits,
            sum(alarm.during is not None for alarm in verdict.false),
            tuple(sorted(hit.delay for hit in verdict.hits)),
            turbine_months,
        )

    @property
    def precision(self) -> float | None:
        """Of the alerts, how many were hits."""
        return self.hits / self.alerts if self.alerts else None

    @property
    def recall(self) -> float | None:
        """Of the faults, how many were found."""
        return self.hits / self.faults if self.faults else None

    @property
    def median_delay(self) -> float | None:
        """From the beginning of a fault that was found to that of its alert, in milliseconds."""
        return median(self.delays) if self.delays else None

    @property
    def max_delay(self) -> int | None:
        """The longest of these."""
        return self.delays[-1] if self.delays else None

    @property
    def false_alarms(self) -> int:
        """Alerts that were no hits."""
        return self.alerts - self.hits

    @property
    def false_alarm_rate(self) -> float | None:
        """False alarms per turbine-month."""
        return self.false_alarms / self.turbine_months if self.turbine_months else None

    def document(self) -> dict[str, Any]:
        """All figures, as plain data; delays are in milliseconds."""
        derived = (
            "precision", "recall", "median_delay", "max_delay", "false_alarms", "false_alarm_rate",
        )  # fmt: skip
        return asdict(self) | {name: getattr(self, name) for name in derived}


def total(scores: Iterable[Score]) -> Score:
    """The figures of all kinds together."""
    each = list(scores)
    return Score(
        "all",
        sum(score.faults for score in each),
        sum(score.alerts for score in each),
        sum(score.hits for score in each),
        sum(score.during_no_fault for score in each),
        tuple(sorted(delay for score in each for delay in score.delays)),
        max((score.turbine_months for score in each), default=0.0),
    )
