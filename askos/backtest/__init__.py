"""Rules against what really happened: alerts, the truth, and how well they agree."""

from __future__ import annotations

from askos.backtest.alerts import Spans, joined, spans
from askos.backtest.judge import FalseAlarm, Hit, Verdict, judge
from askos.backtest.matching import matched
from askos.backtest.score import MONTH, Score, total
from askos.backtest.truth import Episode, read_truth

__all__ = [
    "MONTH",
    "Episode",
    "FalseAlarm",
    "Hit",
    "Score",
    "Spans",
    "Verdict",
    "joined",
    "judge",
    "matched",
    "read_truth",
    "spans",
    "total",
]
