"""When what was planned can be seen: the truth, by the definition of each kind.

Definitions are about what sensors would say without noise, minute by minute; of silence and of
flapping, about the rows that there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from askos.generate.events import starts
from askos.generate.operation import lost
from askos.generate.park import MINUTE, Flags, Integers, Numbers
from askos.generate.planning import OUTAGE, Plan, level
from askos.generate.sensing import Sensors
from askos.generate.truth import (
    FLAPPING,
    ICE,
    OVERTEMPERATURE,
    PITCH,
    SILENT,
    STUCK,
    UNDERPERFORMANCE,
    YAW,
    Episode,
)

QUIET: Final = 15 * MINUTE
STUCK_FOR: Final = 30 * MINUTE
LOW: Final = 0.85  # of the power of the curve
LAG: Final = 2.0  # m/s
_HOUR: Final = 60 * MINUTE


def truth(sensors: Sensors, offsets: Integers, last: int) -> list[Episode]:
    """The episodes of all plans but outages; `offsets` of readings within their minute, in ms.

    What would be seen after the `last` instant is not.
    """
    found = []
    for plan in sensors.plans:
        if plan.kind != OUTAGE:
            seen = _SEEN.get(plan.kind, _all_along)
            found += [
                Episode(begin, min(end, last), sensors.layout.park.names[plan.turbine], plan.kind)
                for begin, end in seen(sensors, plan, int(offsets[plan.turbine]))
                if begin < min(end, last)
            ]
    start = sensors.layout.park.start
    return sorted(Episode(e.begin + start, e.end + start, e.turbine, e.kind) for e in found)


Spans = Iterator[tuple[int, int]]


def _all_along(sensors: Sensors, plan: Plan, offset: int) -> Spans:
    yield plan.begin * MINUTE, plan.end * MINUTE


def _while(holds: Callable[[Sensors, Plan], Flags]) -> Callable[[Sensors, Plan, int], Spans]:
    """From the first minute of the plan in which something holds, to the last."""

    def spans(sensors: Sensors, plan: Plan, offset: int) -> Spans:
        minutes = np.flatnonzero(holds(sensors, plan)[plan.begin : plan.end]) + plan.begin
        if len(minutes):
            yield int(minutes[0]) * MINUTE + offset, int(minutes[-1] + 1) * MINUTE + offset

    return spans


def _above(values: Numbers, plan: Plan, limit: float) -> Flags:
    found: Flags = values[plan.turbine] > limit
    return found


def _hot(sensors: Sensors, plan: Plan) -> Flags:
    limit = float(sensors.layout.types[plan.turbine].max_oil_temperature)
    return _above(sensors.oil, plan, limit)


def _off_pitch(sensors: Sensors, plan: Plan) -> Flags:
    limit = float(sensors.layout.types[plan.turbine].max_pitch_deviation)
    return _above(np.abs(sensors.blades - sensors.pitch), plan, limit)


def _off_wind(sensors: Sensors, plan: Plan) -> Flags:
    limit = float(sensors.layout.types[plan.turbine].max_yaw_error)
    return _above(np.abs(sensors.yaw), plan, limit)


def _low(sensors: Sensors, plan: Plan) -> Flags:
    ramped, depth = level([plan], plan.kind, sensors.shape)
    return _above(-lost(ramped, depth), plan, -LOW)


def _iced(sensors: Sensors, plan: Plan) -> Flags:
    return _above(sensors.weather.speed - sensors.cup, plan, LAG)


def _stuck(sensors: Sensors, plan: Plan, offset: int) -> Spans:
    """From half an hour after the last reading that was another."""
    interval = sensors.layout.park.interval * 1000
    yield plan.begin * MINUTE - interval + offset + STUCK_FOR, plan.end * MINUTE + offset


def _silent(sensors: Sensors, plan: Plan, offset: int) -> Spans:
    """From a quarter of an hour after the last reading on, to the next."""
    interval = sensors.layout.park.interval * 1000
    yield plan.begin * MINUTE - interval + offset + QUIET, plan.end * MINUTE + offset


def _flapping(sensors: Sensors, plan: Plan, offset: int) -> Spans:
    """While more than the allowed number of starts lie in the last hour.

    Once more, where the wind lets a turbine start again within an hour of what it did.
    """
    happens = starts(sensors.operation.running)[plan.turbine]
    times = np.flatnonzero(happens) * MINUTE + offset
    most = sensors.layout.types[plan.turbine].max_starts
    begins, ends = times[most:], times[: len(times) - most] + _HOUR
    held = begins < ends
    begins, ends = begins[held], ends[held]
    new = np.concatenate([[True], begins[1:] > ends[:-1]])[: len(begins)]
    first = np.flatnonzero(new)
    for a, b in zip(first, [*first[1:], len(begins)], strict=True):
        if plan.begin * MINUTE <= begins[a] < plan.end * MINUTE + _HOUR:
            yield int(begins[a]), int(ends[b - 1])


_SEEN: Final[dict[str, Callable[[Sensors, Plan, int], Spans]]] = {
    OVERTEMPERATURE: _while(_hot),
    PITCH: _while(_off_pitch),
    YAW: _while(_off_wind),
    UNDERPERFORMANCE: _while(_low),
    ICE: _while(_iced),
    STUCK: _stuck,
    SILENT: _silent,
    FLAPPING: _flapping,
}
