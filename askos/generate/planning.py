"""What is to happen in a park: which turbine, from when to when, how much.

Faults are placed where they can be seen: a turbine that stands still has no pitch to be off.  So
candidates are drawn by the seed until one suits, and an hour and a half of each turbine is kept
free around everything that happens to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from askos.generate.layout import Layout
from askos.generate.park import Flags, Numbers
from askos.generate.truth import (
    CURTAILMENT,
    DERATING,
    FLAPPING,
    ICE,
    MAINTENANCE,
    OVERTEMPERATURE,
    PITCH,
    SILENT,
    STUCK,
    UNDERPERFORMANCE,
    YAW,
)
from askos.generate.weather import Weather

OUTAGE: Final = "outage"
"""An alarm stops the turbine for a while: an event of every day, and no fault to be detected."""

_APART: Final = 90  # minutes
_LEAD: Final = 35  # minutes that must suit already before a fault begins: longer than its window
_TRIES: Final = 500
_SHARE: Final = 0.6  # of the time of a park, at most, for one fault

LENGTHS: Final = {  # minutes
    OVERTEMPERATURE: (80, 200),
    PITCH: (80, 200),
    YAW: (110, 240),
    UNDERPERFORMANCE: (110, 240),
    STUCK: (60, 180),
    SILENT: (25, 120),
    ICE: (80, 200),
    FLAPPING: (70, 140),
    CURTAILMENT: (40, 120),
    DERATING: (40, 120),
    MAINTENANCE: (100, 180),
    OUTAGE: (10, 40),
}
RATES: Final = {CURTAILMENT: 0.04, DERATING: 0.08, MAINTENANCE: 0.08, OUTAGE: 0.15}
"""How often a turbine has what is no fault, a day; a curtailment is of a whole feeder."""
FAULT_RATE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Plan:
    """Something that happens to a turbine in the minutes `[begin, end)`.

    `depth` in [0, 1) is how bad it gets, `ramp` how many minutes until then.
    """

    kind: str
    turbine: int
    begin: int
    end: int
    depth: float
    ramp: int

    def ramped(self, minutes: int) -> Numbers:
        """From 0 to 1 while it ramps, 1 until it ends, else 0."""
        minute = np.arange(minutes)
        level: Numbers = np.clip((minute - self.begin + 1) / max(self.ramp, 1), 0.0, 1.0)
        return np.where((minute >= self.begin) & (minute < self.end), level, 0.0)


class Calendar:
    """What has been planned, and when turbines are still free."""

    def __init__(self, layout: Layout, weather: Weather, running: Flags) -> None:
        self._park, self._layout = layout.park, layout
        self._free = np.ones(running.shape, np.bool_)
        if self._park.joining:
            self._free[-1, : self._park.minutes // 2] = False
        windy = running & (weather.speed > 6.5)
        self._suits = {
            **dict.fromkeys((OVERTEMPERATURE, PITCH, YAW, FLAPPING, DERATING), running),
            **dict.fromkeys((UNDERPERFORMANCE, CURTAILMENT), windy),
            ICE: windy & (weather.temperature < 1.0),
        }
        self.plans: list[Plan] = []

    def plan(self, kind: str, number: int, turbine: int | None = None) -> None:
        """Place one, if there is a place; of that turbine, if one is said."""
        found = self._first_that_suits(kind, number, turbine)
        if found is not None:
            for each in self._affected(found):
                self.plans.append(each)
                around = slice(max(each.begin - _APART, 0), each.end + _APART)
                self._free[each.turbine, around] = False

    def _first_that_suits(self, kind: str, number: int, turbine: int | None) -> Plan | None:
        fine = self._free & self._suits.get(kind, True)
        for plan in self._candidates(kind, number, turbine):
            during = slice(plan.begin - _LEAD, plan.end)
            if plan.begin >= _LEAD and fine[plan.turbine, during].all():
                return plan
        return None

    def _candidates(self, kind: str, number: int, turbine: int | None) -> list[Plan]:
        park = self._park
        count = len(self._layout.vendors)
        who, when, long, depth, ramp = park.uniform(f"{kind} {number}", 5, _TRIES)
        shortest, longest = LENGTHS[kind]
        most = min(longest, park.minutes * _SHARE)
        length = np.floor(np.minimum(shortest + (longest - shortest) * long, most))
        begin = np.floor(when * (park.minutes - length - 5))
        chosen = np.floor(who * count) if turbine is None else np.full(_TRIES, turbine)
        ramps = np.floor((0.15 + 0.25 * ramp) * length)
        rows = np.stack([chosen, begin, begin + length, ramps]).astype(np.int64).T.tolist()
        return [
            Plan(kind, t, b, e, float(d), r)
            for (t, b, e, r), d in zip(rows, depth, strict=True)
            if b >= 0
        ]

    def _affected(self, plan: Plan) -> list[Plan]:
        """A curtailment is of a feeder: of all turbines on it that are free."""
        if plan.kind != CURTAILMENT:
            return [plan]
        on = np.flatnonzero(self._layout.feeders == self._layout.feeders[plan.turbine])
        during = slice(plan.begin, plan.end)
        free = [int(t) for t in on if self._free[t, during].all()]
        return [Plan(plan.kind, t, plan.begin, plan.end, plan.depth, plan.ramp) for t in free]


def plans(layout: Layout, weather: Weather, running: Flags, kinds: tuple[str, ...]) -> list[Plan]:
    """All that happens: first what is no fault, then faults, every kind in its turn.

    Of the turbine that joins, the gearbox gets too hot.
    """
    park = layout.park
    days = park.turbines * park.hours / 24
    calendar = Calendar(layout, weather, running)
    if park.joining:
        calendar.plan(OVERTEMPERATURE, -1, park.turbines)
    for kind, rate in RATES.items():
        for number in range(round(days * rate)):
            calendar.plan(kind, number)
    faults = max(len(kinds), round(days * FAULT_RATE))
    for number in range(faults if kinds else 0):
        calendar.plan(kinds[number % len(kinds)], number)
    return calendar.plans


def marked(plans: list[Plan], kind: str, shape: tuple[int, ...]) -> Flags:
    """When and where something of a kind happens."""
    mask = np.zeros(shape, np.bool_)
    for plan in plans:
        if plan.kind == kind:
            mask[plan.turbine, plan.begin : plan.end] = True
    return mask


def level(plans: list[Plan], kind: str, shape: tuple[int, ...]) -> tuple[Numbers, Numbers]:
    """How far each fault of a kind has ramped, and how deep it is: matrices."""
    ramped, depth = np.zeros(shape), np.zeros(shape)
    for plan in plans:
        if plan.kind == kind:
            ramped[plan.turbine] += plan.ramped(shape[1])
            depth[plan.turbine, plan.begin : plan.end] = plan.depth
    return ramped, depth
