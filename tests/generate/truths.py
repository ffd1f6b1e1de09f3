"""What the generator knows of a park, as those who judge alerts read it."""

from __future__ import annotations

from collections.abc import Iterable

from askos.backtest import Episode
from askos.generate.truth import Episode as Happened
from askos.interval import Interval


def judged(episodes: Iterable[Happened]) -> list[Episode]:
    """The same episodes."""
    return [Episode(e.turbine, e.kind, Interval(e.begin, e.end), e.fault) for e in episodes]
