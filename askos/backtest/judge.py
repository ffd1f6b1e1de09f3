"""What became of each fault and of each alert of one kind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from askos.backtest.alerts import Spans
from askos.backtest.matching import matched
from askos.backtest.truth import Episode
from askos.interval import Interval


@dataclass(frozen=True, slots=True)
class Hit:
    """A fault, and the alert that found it."""

    fault: Episode
    alert: Interval

    @property
    def delay(self) -> int:
        """How long the fault had been there, in milliseconds; none where the alert came before."""
        return max(self.alert.start - self.fault.interval.start, 0)


@dataclass(frozen=True, slots=True)
class FalseAlarm:
    """An alert that found no fault of its own, and the episode that is no fault around its
    beginning, such as a maintenance, if there is one."""

    turbine: str
    alert: Interval
    during: Episode | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """All faults and all alerts of one kind."""

    kind: str
    hits: tuple[Hit, ...]
    missed: tuple[Episode, ...]
    false: tuple[FalseAlarm, ...]

    def document(self) -> dict[str, Any]:
        """As plain data; intervals are pairs of milliseconds."""
        hits = [(hit.fault, hit.alert) for hit in self.hits]
        return {
            "kind": self.kind,
            "hits": [
                {"turbine": fault.turbine, "fault": _ends(fault.interval), "alert": _ends(alert)}
                for fault, alert in hits
            ],
            "missed": [
                {"turbine": fault.turbine, "fault": _ends(fault.interval)} for fault in self.missed
            ],
            "false": [
                {
                    "turbine": a.turbine,
                    "alert": _ends(a.alert),
                    "during": a.during and a.during.kind,
                }
                for a in self.false
            ],
        }


def _ends(interval: Interval) -> list[int]:
    return [interval.start, interval.end]


def judge(kind: str, alerts: Spans, truth: Iterable[Episode]) -> Verdict:
    """Alerts of rules that detect `kind`, against the truth, turbine by turbine.

    A fault and an alert belong together if they overlap; of one turbine, as many as can be do, one
    to one.  So of two alerts in one fault the second is false, and so is an alert during an episode
    that is no fault.
    """
    known = tuple(truth)
    hits, missed, false = list[Hit](), list[Episode](), list[FalseAlarm]()
    for turbine in sorted({*alerts, *(episode.turbine for episode in known)}):
        own = [episode for episode in known if episode.turbine == turbine]
        faults = [episode for episode in own if episode.fault and episode.kind == kind]
        told = alerts.get(turbine, ())
        pairs = matched([fault.interval for fault in faults], told)
        hits += [Hit(faults[place], told[alert]) for place, alert in sorted(pairs.items())]
        missed += [fault for place, fault in enumerate(faults) if place not in pairs]
        left = sorted({*range(len(told))} - {*pairs.values()})
        false += [_false(turbine, told[place], own) for place in left]
    return Verdict(kind, tuple(hits), tuple(missed), tuple(false))


def _false(turbine: str, alert: Interval, episodes: Iterable[Episode]) -> FalseAlarm:
    others = (e for e in episodes if not e.fault and alert.start in e.interval)
    return FalseAlarm(turbine, alert, next(others, None))
