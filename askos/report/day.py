"""A day of a park in equal steps of time: what the page draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

Values: TypeAlias = Sequence[float | None]

STATES: Final = {
    "FullPerformance": "full performance",
    "PartialPerformance": "partial performance",
    "TechnicalStandby": "technical standby",
    "OutOfEnvironmentalSpecification": "out of environmental specification",
    "RequestedShutdown": "requested shutdown",
    "ScheduledMaintenance": "scheduled maintenance",
    "ForcedOutage": "forced outage",
    "InformationUnavailable": "no information",
}
"""Categories of IEC 61400-26, and how the page says them."""
UNKNOWN: Final = list(STATES).index("InformationUnavailable")


@dataclass(frozen=True, slots=True)
class Turbine:
    """A turbine on the map, in metres."""

    name: str
    x: float
    y: float
    vendor: str
    feeder: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """What a turbine measured, in the mean of each step; None where it told nothing: kW, m/s and
    °C."""

    power: Values
    wind: Values
    oil: Values


@dataclass(frozen=True, slots=True)
class Day:
    """The park from `start` on, in steps of `step` milliseconds; states are places in STATES."""

    start: int
    step: int
    turbines: Sequence[Turbine]
    states: Mapping[str, Sequence[int]]
    series: Mapping[str, Series]

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(next(iter(self.states.values())))

    @property
    def power(self) -> list[float]:
        """Of the whole park, in MW."""
        columns = zip(*(each.power for each in self.series.values()), strict=True)
        return [round(sum(value or 0.0 for value in column) / 1000, 2) for column in columns]

    @property
    def wind(self) -> list[float | None]:
        """Mean over the turbines that tell it."""
        columns = zip(*(each.wind for each in self.series.values()), strict=True)
        told = ([value for value in column if value is not None] for column in columns)
        return [round(sum(known) / len(known), 2) if known else None for known in told]
