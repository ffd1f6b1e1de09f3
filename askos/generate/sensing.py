"""What the sensors of the turbines say, faults included: a matrix of readings for each signal.

A row for each turbine, a column for each reading.  Where a reading lasts less than a minute, its
noise is its own, and what it measures is that of the minute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from askos.generate.layout import Layout
from askos.generate.operation import Operation
from askos.generate.park import Flags, Numbers
from askos.generate.planning import Plan, level
from askos.generate.truth import ICE, MAINTENANCE, OVERTEMPERATURE, PITCH, STUCK, YAW
from askos.generate.weather import Weather, smooth

_WARMS: Final = 20  # minutes until a gearbox follows its load


@dataclass(frozen=True)
class Sensors:
    """Knows each signal by its key: first without noise, minute by minute, then as it is read."""

    layout: Layout
    weather: Weather
    operation: Operation
    plans: list[Plan]

    def read(self, key: str) -> Numbers:
        """A signal as it is read."""
        park = self.layout.park
        exact, noise = _SIGNALS[key]
        often = 60 // park.interval
        value = np.repeat(exact(self), often, axis=1)
        read = value + noise * park.noise(key, *value.shape)
        return self._stuck(read, often) if key == "WGEN_GnTmpSta" else _BOUNDS[key](read)

    @cached_property
    def load(self) -> Numbers:
        """Which part of its rated power a turbine yields, in the mean of the last minutes."""
        total = np.cumsum(self.operation.power / self.layout.rated_power, axis=1)
        before = np.pad(total, ((0, 0), (_WARMS, 0)))[:, : total.shape[1]]
        return (total - before) / np.minimum(np.arange(1, total.shape[1] + 1), _WARMS)

    @cached_property
    def oil(self) -> Numbers:
        """The gearbox: by its load; and drawn to a temperature of its own where it is faulty."""
        ramped, depth = self._level(OVERTEMPERATURE)
        limit = np.array([[float(each.max_oil_temperature)] for each in self.layout.types])
        normal = 42.0 + 22.0 * self.load
        faulty = normal + (limit + 6.0 + 8.0 * depth - normal) * ramped
        return np.where(self._hot_run(), limit + 5.0, faulty)

    @cached_property
    def yaw(self) -> Numbers:
        """How far the nacelle is off the wind: it follows slowly, and a fault adds to it."""
        ramped, depth = self._level(YAW)
        minute = np.broadcast_to(np.arange(float(self.shape[1])), self.shape)
        side = np.where(depth < 0.5, -1.0, 1.0)
        follows = 4.0 * (smooth(self.layout.park, "yaw", minute, 25.0) - 0.5)
        return follows + side * ramped * (14.0 + 6.0 * depth)

    @cached_property
    def pitch(self) -> Numbers:
        """What is demanded of the blades: flat below the rated wind, feathered at rest."""
        steep = np.clip(2.2 * (self.weather.speed - self.layout.rated_speed), 0.0, 30.0)
        return np.where(self.operation.running, 0.5 + steep, 88.0)

    @cached_property
    def blades(self) -> Numbers:
        """Where the blades are."""
        ramped, depth = self._level(PITCH)
        return self.pitch + ramped * (4.0 + 3.0 * depth)

    @cached_property
    def cup(self) -> Numbers:
        """The wind, as a cup anemometer sees it that ice may slow down."""
        ramped, depth = self._level(ICE)
        return self.weather.speed * (1.0 - ramped * (0.5 + 0.2 * depth))

    @cached_property
    def rotor(self) -> Numbers:
        """rpm of the rotor."""
        fast = np.minimum(self.weather.speed / self.layout.rated_speed, 1.0)
        return np.where(self.operation.running, 6.0 + 9.0 * fast, 0.0)

    @property
    def shape(self) -> tuple[int, ...]:
        """Turbines and minutes."""
        return self.weather.speed.shape

    @property
    def direction(self) -> Numbers:
        """Where the wind comes from, at each turbine."""
        return np.broadcast_to(self.weather.direction, self.shape)

    @property
    def windup(self) -> Numbers:
        """How far the cables are wound up."""
        minute = np.broadcast_to(np.arange(float(self.shape[1])), self.shape)
        return 1400.0 * (smooth(self.layout.park, "cables", minute, 500.0) - 0.5)

    def _level(self, kind: str) -> tuple[Numbers, Numbers]:
        return level(self.plans, kind, self.shape)

    def _hot_run(self) -> Flags:
        """In the middle of a maintenance somebody runs the gearbox hot, to see what it does."""
        hot = np.zeros(self.shape, np.bool_)
        for plan in self.plans:
            if plan.kind == MAINTENANCE:
                third = (plan.end - plan.begin) // 3
                hot[plan.turbine, plan.begin + third : plan.end - third] = True
        return hot

    def _stuck(self, read: Numbers, often: int) -> Numbers:
        """A sensor that is stuck goes on saying what it said last."""
        for plan in self.plans:
            if plan.kind == STUCK:
                first = plan.begin * often
                read[plan.turbine, first : plan.end * often] = read[plan.turbine, first]
        return read


def _positive(read: Numbers) -> Numbers:
    return np.maximum(read, 0.0)


def _round(read: Numbers) -> Numbers:
    return np.mod(read, 360.0)


def _any(read: Numbers) -> Numbers:
    return read


Exact = Callable[[Sensors], Numbers]
_SIGNALS: Final[dict[str, tuple[Exact, float]]] = {  # without noise, and how much of it
    "WTUR_W": (lambda s: s.operation.power, 8.0),
    "WTUR_DmdW": (lambda s: s.operation.limit, 0.0),
    "WROT_RotSpd": (lambda s: s.rotor, 0.05),
    "WROT_BlPthAngVal": (lambda s: s.blades, 0.12),
    "WROT_BlPthAngSp": (lambda s: s.pitch, 0.0),
    "WTRM_TrmTmpGbxOil": (lambda s: s.oil, 0.8),
    "WGEN_Spd": (lambda s: 100.0 * s.rotor, 4.0),
    "WGEN_GnTmpSta": (lambda s: 40.0 + 50.0 * s.load, 0.5),
    "WNAC_Dir": (lambda s: s.direction - s.yaw, 0.2),
    "WNAC_WdSpd": (lambda s: s.cup, 0.2),
    "WNAC_IntlTmp": (lambda s: 18.0 + s.weather.temperature + 6.0 * s.load, 0.3),
    "WYAW_CabWup": (lambda s: s.windup, 0.0),
    "WMET_HorWdSpd": (lambda s: s.weather.speed, 0.2),
    "WMET_HorWdDir": (lambda s: s.direction, 3.0),
    "WMET_HorWdDirRel": (lambda s: s.yaw, 3.0),
    "WMET_EnvTmp": (lambda s: s.weather.temperature, 0.2),
}
_BOUNDS: Final[dict[str, Callable[[Numbers], Numbers]]] = {
    **dict.fromkeys(_SIGNALS, _any),
    **dict.fromkeys(
        ("WTUR_W", "WROT_RotSpd", "WGEN_Spd", "WNAC_WdSpd", "WMET_HorWdSpd"), _positive
    ),
    **dict.fromkeys(("WNAC_Dir", "WMET_HorWdDir"), _round),
}
