"""How the turbines run: started and stopped by the wind, held by what happens, limited or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from askos.generate.layout import CUT_IN, CUT_OUT, Layout
from askos.generate.park import Flags, Integers, Numbers
from askos.generate.planning import OUTAGE, Plan, level, marked
from askos.generate.truth import CURTAILMENT, DERATING, FLAPPING, MAINTENANCE, UNDERPERFORMANCE
from askos.generate.vocabulary import STATES
from askos.generate.weather import Weather

_PAUSE: Final = 20  # minutes that a turbine waits before it tries the wind again
(FULL, PARTIAL, STANDBY, ENVIRONMENT, REQUESTED, SERVICE, FORCED) = range(len(STATES))


@dataclass(frozen=True, slots=True)
class Operation:
    """Minute by minute, a row for each turbine: state, whether it runs, its limit, its power."""

    state: Integers
    running: Flags
    limit: Numbers
    power: Numbers


def in_the_wind(speed: Numbers) -> Flags:
    """When the wind lets turbines run, if nothing else holds them.

    One that has stopped waits; so the wind alone never makes more than three starts an hour.
    """
    running = np.empty(speed.shape, np.bool_)
    runs = (speed[:, 0] > CUT_IN + 0.5) & (speed[:, 0] < CUT_OUT)
    wait = np.zeros(len(speed))
    for minute, now in enumerate(speed.T):
        stops = runs & ((now < CUT_IN - 0.2) | (now > CUT_OUT))
        wait = np.where(stops, _PAUSE, wait - 1)
        starts = ~runs & (wait <= 0) & (now > CUT_IN + 0.5) & (now < CUT_OUT - 3)
        runs = (runs & ~stops) | starts
        running[:, minute] = runs
    return running


def operation(layout: Layout, weather: Weather, wind: Flags, plans: list[Plan]) -> Operation:
    """What the turbines do."""
    shape = wind.shape
    rated = np.broadcast_to(layout.rated_power, shape)
    limit = _limit(plans, rated)
    derated = marked(plans, DERATING, shape)
    service, forced = marked(plans, MAINTENANCE, shape), marked(plans, OUTAGE, shape)
    standby, requested = _flapping(plans, shape), limit == 0.0
    running = wind & ~(service | forced | standby | requested)
    state = np.select(
        [service, forced, requested, standby, ~wind, derated | (limit < rated)],
        [SERVICE, FORCED, REQUESTED, STANDBY, ENVIRONMENT, PARTIAL],
        FULL,
    )
    ramped, depth = level(plans, UNDERPERFORMANCE, shape)
    able = layout.power(weather.speed) * lost(ramped, depth)
    power = np.minimum(np.minimum(able, limit), np.where(derated, 0.6, 1.0) * rated)
    return Operation(state, running, limit, power * running)


def lost(ramped: Numbers, depth: Numbers) -> Numbers:
    """Which part of its power a turbine that underperforms still yields: down to 50 to 70 %."""
    return 1.0 - ramped * (0.3 + 0.2 * depth)


def _limit(plans: list[Plan], rated: Numbers) -> Numbers:
    """kW that may be fed in: 20 to 60 % where curtailed, and some are told to stop."""
    limit = rated.copy()
    for plan in plans:
        if plan.kind == CURTAILMENT:
            part = 0.0 if plan.depth < 0.2 else np.round(0.5 * plan.depth + 0.1, 2)
            limit[plan.turbine, plan.begin : plan.end] *= part
    return np.rint(limit)


def _flapping(plans: list[Plan], shape: tuple[int, ...]) -> Flags:
    """When a turbine that flaps stands: for two minutes of every five to eight."""
    stands = marked(plans, FLAPPING, shape)
    for plan in plans:
        if plan.kind == FLAPPING:
            period = 5 + int(plan.depth * 4)
            phase = np.arange(plan.end - plan.begin) % period
            stands[plan.turbine, plan.begin : plan.end] = phase < 2
    return stands
