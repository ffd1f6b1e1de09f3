"""Scores of rules, and what became of alerts, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from askos.backtest.judge import Verdict
from askos.backtest.score import Score
from askos.interval import Interval, moment

HEADING: Final = (
    "kind", "faults", "alerts", "hits", "precision", "recall", "median delay", "longest",
    "false alarms", "per turbine-month",
)  # fmt: skip


def table(scores: Iterable[Score]) -> str:
    """A line for each kind; numbers to the right."""
    rows = [HEADING, *map(row, scores)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))]
        for row in rows
    )
    return "\n".join("  ".join(line) for line in lines)


def row(score: Score) -> tuple[str, ...]:
    """The cells of a line."""
    return (
        score.kind,
        str(score.faults),
        str(score.alerts),
        str(score.hits),
        share(score.precision),
        share(score.recall),
        duration(score.median_delay),
        duration(score.max_delay),
        str(score.false_alarms),
        share(score.false_alarm_rate),
    )


def share(value: float | None) -> str:
    """To two digits, or a dash."""
    return "-" if value is None else f"{value:.2f}"


def duration(milliseconds: float | None) -> str:
    """As people say it, to the second.

    >>> duration(95_400), duration(3 * 3600_000 + 60_000), duration(0), duration(None)
    ('1m 35s', '3h 1m', '0s', '-')
    """
    if milliseconds is None:
        return "-"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{n}{unit}" for n, unit in ((hours, "h"), (minutes, "m"), (seconds, "s")) if n]
    return " ".join(parts[:2]) or "0s"


def listing(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """A line for each fault that was missed, and for each false alarm."""
    for verdict in verdicts:
        for fault in verdict.missed:
            yield f"missed  {verdict.kind}  {fault.turbine}  {_times(fault.interval)}"
        for alarm in verdict.false:
            during = f"  during {alarm.during.kind}" if alarm.during else ""
            yield f"false   {verdict.kind}  {alarm.turbine}  {_times(alarm.alert)}{during}"


def _times(interval: Interval) -> str:
    return f"{moment(interval.start)}  {moment(interval.end)}"
