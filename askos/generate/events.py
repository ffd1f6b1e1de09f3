"""What turbines tell now and then: their state, starts and stops, alarms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.generate.layout import Layout
from askos.generate.operation import Operation
from askos.generate.park import MINUTE, Flags, Integers
from askos.generate.planning import OUTAGE, Plan
from askos.generate.rows import Rows, Texts, literal
from askos.generate.truth import FLAPPING, OVERTEMPERATURE
from askos.generate.vocabulary import (
    ALARM,
    ALARM_TIME,
    START_COUNT,
    STATE,
    STATES,
    STOP_COUNT,
    WIND,
)

GRID_DIP, START_ABORTED, HOT_GEARBOX = 150, 230, 310
_OUTAGES: Final = (101, 102, 103, 104)
_DIPS: Final = 0.1  # a day, for each turbine, and one at least: a whole feeder feels it


@dataclass(frozen=True, slots=True)
class Happenings:
    """When something happens: turbine, minute, and a number that goes with it."""

    turbine: Integers
    minute: Integers
    number: Integers


def events(layout: Layout, operation: Operation, plans: list[Plan], texts: Texts) -> Rows:
    """All events as rows, their times whole minutes."""
    states = texts.names([WIND + name for name in STATES])
    told = _told(operation.state)
    raised = _alarms(layout, operation, plans)
    time = pa.array((layout.park.start + raised.minute * MINUTE) // 1000).cast(pa.timestamp("s"))
    when = literal(pc.strftime(time, format="%Y-%m-%dT%H:%M:%SZ"), "dateTime")
    times = texts.add(when) + np.arange(len(raised.minute))
    parts = [
        _rows(told, STATE, states + told.number, texts),
        _rows(raised, ALARM_TIME, times, texts),
        _rows(raised, ALARM, _integers(raised.number, texts), texts),
        *_counted(layout, operation.running, texts),
    ]
    return Rows.together(parts)


def starts(running: Flags) -> Flags:
    """The minutes in which turbines start."""
    return np.pad(~running[:, :-1] & running[:, 1:], ((0, 0), (1, 0)))


def _told(state: Integers) -> Happenings:
    """A state is told every minute."""
    turbine, minute = (index.ravel() for index in np.indices(state.shape))
    return Happenings(turbine, minute, state.ravel().astype(np.int64))


def _counted(layout: Layout, running: Flags, texts: Texts) -> list[Rows]:
    """Starts and stops, each with its counter."""
    park = layout.park
    base = 200 + np.floor(300 * park.uniform("counters", len(running))).astype(np.int64)
    stops = np.pad(running[:, :-1] & ~running[:, 1:], ((0, 0), (1, 0)))
    rows = []
    for predicate, happens, first in [
        (START_COUNT, starts(running), base + running[:, 0]),
        (STOP_COUNT, stops, base),
    ]:
        turbine, minute = np.nonzero(happens)
        count = first[turbine] + 1 + np.arange(len(turbine)) - np.searchsorted(turbine, turbine)
        counted = Happenings(turbine, minute, count)
        rows.append(_rows(counted, predicate, _integers(count, texts), texts))
    return rows


def _alarms(layout: Layout, operation: Operation, plans: list[Plan]) -> Happenings:
    """Outages, hot gearboxes, starts that a flapping turbine gives up, and dips of the grid."""
    found = [*_dips(layout)]
    for plan in plans:
        if plan.kind == OUTAGE:
            found.append((plan.turbine, plan.begin, _OUTAGES[int(plan.depth * len(_OUTAGES))]))
        elif plan.kind == OVERTEMPERATURE:
            found.append((plan.turbine, plan.begin + plan.ramp, HOT_GEARBOX))
        elif plan.kind == FLAPPING:
            stands = ~operation.running[plan.turbine, plan.begin : plan.end]
            falls = np.flatnonzero(stands & ~np.roll(stands, 1))
            found += [(plan.turbine, plan.begin + int(each), START_ABORTED) for each in falls]
    return Happenings(*np.array(found, np.int64).reshape(-1, 3).T)


def _dips(layout: Layout) -> list[tuple[int, int, int]]:
    """Alarms of all turbines of a feeder, within four minutes."""
    park = layout.park
    count = max(round(park.turbines * park.hours / 24 * _DIPS), 1)
    feeder, when = park.uniform("grid dips", 2, count)
    found = []
    for number in range(count):
        on = np.flatnonzero(layout.feeders == int(feeder[number] * (layout.feeders[-1] + 1)))
        late = np.floor(4 * park.uniform(f"grid dip {number}", len(on)))
        minute = np.floor(when[number] * (park.minutes - 5)) + late
        found += [(int(t), int(m), GRID_DIP) for t, m in zip(on, minute, strict=True)]
    return found


def _integers(numbers: Integers, texts: Texts) -> Integers:
    """The codes of whole numbers."""
    if not len(numbers):
        return numbers
    low = int(numbers.min())
    every = pa.array(np.arange(low, int(numbers.max()) + 1)).cast(pa.string())
    return numbers - low + texts.add(literal(every, "integer"))


def _rows(what: Happenings, predicate: str, codes: Integers, texts: Texts) -> Rows:
    name = np.full(len(codes), texts.names([predicate]))
    return Rows(what.turbine, name, codes, what.minute * MINUTE)
