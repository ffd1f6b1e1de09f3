"""A park, simulated: from its seed to the rows of its streams, the static graph and the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from askos.generate.delivery import Delivered, Reception, deliver, reception
from askos.generate.events import events
from askos.generate.layout import Layout
from askos.generate.operation import in_the_wind, operation
from askos.generate.park import MINUTE, Integers, Park
from askos.generate.planning import plans
from askos.generate.rows import Rows, Texts
from askos.generate.seen import truth
from askos.generate.sensing import Sensors
from askos.generate.truth import FAULTS, Episode
from askos.generate.vocabulary import SIGNALS, WIND, Signal, Vendor
from askos.generate.weather import weather


@dataclass(frozen=True)
class Simulation:
    """What came of a park.  `streams` are in order of delivery."""

    sensors: Sensors
    reception: Reception
    texts: pa.Array
    streams: dict[str, Delivered]
    truth: list[Episode]

    @property
    def park(self) -> Park:
        """What was asked for."""
        return self.sensors.layout.park

    @property
    def layout(self) -> Layout:
        """Where the turbines stand."""
        return self.sensors.layout

    def table(self, stream: str) -> pa.Table:
        """A stream: columns s, p, o (N-Triples text) and ts, in order of delivery."""
        return self.streams[stream].rows.table(self.texts, self.park.start)

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """All streams, by name."""
        return {name: self.table(name) for name in self.streams}


def simulate(park: Park, faults: tuple[str, ...] = FAULTS) -> Simulation:
    """Let a park run, with these kinds of faults.

    >>> made = simulate(Park(turbines=4, hours=3))
    >>> sorted(made.tables)
    ['events', 'scada']
    """
    layout = Layout(park)
    air = weather(layout)
    wind = in_the_wind(air.speed)
    planned = plans(layout, air, wind, faults)
    works = operation(layout, air, wind, planned)
    sensors = Sensors(layout, air, works, planned)
    heard = reception(park, planned, wind.shape)
    texts, offsets = Texts(), _offsets(park, len(layout.vendors))
    texts.names([WIND + name for name in park.names])
    readings = _readings(sensors, offsets, texts)
    told = events(layout, works, planned, texts)
    told = told.later(offsets[told.subject])
    streams = {
        "scada": deliver(park, readings, "scada", heard, sensors=True),
        "events": deliver(park, told, "events", heard, sensors=False),
    }
    found = truth(sensors, offsets, park.minutes * MINUTE)
    return Simulation(sensors, heard, texts.all(), streams, found)


def _offsets(park: Park, turbines: int) -> Integers:
    """Per turbine, how many ms after the tick it reads: a multiple of 500, within the interval."""
    halves = np.floor(2 * park.interval * park.uniform("offset", turbines))
    return halves.astype(np.int64) * 500


def _readings(sensors: Sensors, offsets: Integers, texts: Texts) -> Rows:
    """All signals of all turbines."""
    parts = [part for signal in SIGNALS for part in _signal(sensors, signal, offsets, texts)]
    return Rows.together(parts)


def _signal(sensors: Sensors, signal: Signal, offsets: Integers, texts: Texts) -> list[Rows]:
    """A signal, by the vendors that have a name of their own for it."""
    park, vendors = sensors.layout.park, sensors.layout.vendors
    values = sensors.read(signal.key)
    ticks = np.arange(values.shape[1]) * park.interval * 1000
    rows = []
    for name, of in _speakers(signal, vendors).items():
        turbines = np.array(of)
        tag = vendors[of[0]].tag(signal.key)
        raw, digits = values[turbines], signal.digits
        if tag is not None:
            raw, digits = (raw - float(tag.offset)) / float(tag.factor), tag.digits
        ms = offsets[turbines, None] + ticks
        codes = texts.decimals(raw, digits).ravel()
        subject = np.repeat(turbines, len(ticks))
        rows.append(Rows(subject, np.full(len(codes), texts.names([name])), codes, ms.ravel()))
    return rows


def _speakers(signal: Signal, vendors: list[Vendor]) -> dict[str, list[int]]:
    """The turbines that call a signal by the same name."""
    found: dict[str, list[int]] = {}
    for number, vendor in enumerate(vendors):
        tag = vendor.tag(signal.key)
        name = signal.iri if tag is None else vendor.namespace + tag.name
        found.setdefault(name, []).append(number)
    return found
