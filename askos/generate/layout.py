"""Where the turbines stand, who made them, and what their types are able to do."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from askos.generate.park import Integers, Numbers, Park
from askos.generate.vocabulary import BOREAS, EUROS, NOTOS, ZEPHYROS, Vendor

CUT_IN: Final = 3
CUT_OUT: Final = 25
DIAMETER: Final = 110.0  # m
_ALONG: Final = 550.0  # m between turbines of a row: five diameters
_ACROSS: Final = 880.0  # m between rows: eight
_FEEDER: Final = 8  # turbines on one
_NEAR: Final = 1000.0  # m to a neighbour, at most


@dataclass(frozen=True, slots=True)
class Type:
    """A type of turbine: its power curve, and from when on something is wrong with it."""

    name: str
    rated_power: int  # kW
    rated_speed: int  # m/s
    max_oil_temperature: str  # °C
    max_pitch_deviation: str = "2.0"  # °
    max_yaw_error: str = "8.0"  # °
    max_starts: int = 5  # an hour

    def power_at(self, speed: int) -> float:
        """kW at a whole speed: cubic up to the rated one, to a tenth."""
        if speed >= self.rated_speed:
            return float(self.rated_power)
        cubic = (speed**3 - CUT_IN**3) / (self.rated_speed**3 - CUT_IN**3)
        return round(self.rated_power * max(cubic, 0.0), 1)

    @property
    def curve(self) -> list[float]:
        """kW at 0, 1, 2 … 40 m/s; linear in between."""
        return [self.power_at(speed) for speed in range(41)]


_B110: Final = Type("B110", 3000, 12, "80.0")
TYPES: Final = {
    BOREAS.name: _B110,
    NOTOS.name: Type("N100", 2500, 13, "78.0"),
    EUROS.name: Type("E126", 3600, 12, "82.0"),
    ZEPHYROS.name: _B110,  # under licence
}
_MIXED: Final = (BOREAS, BOREAS, NOTOS, BOREAS, EUROS)


@dataclass(frozen=True)
class Layout:
    """The turbines of a park, by number: rows of a rectangle, somewhat crooked."""

    park: Park

    @cached_property
    def vendors(self) -> list[Vendor]:
        """Who made each; the one that joins is of a vendor of its own."""
        own = [_MIXED[i % len(_MIXED)] for i in range(self.park.turbines)]
        return own + [ZEPHYROS] * self.park.joining

    @cached_property
    def types(self) -> list[Type]:
        """The type of each: vendors make one."""
        return [TYPES[vendor.name] for vendor in self.vendors]

    @cached_property
    def rows(self) -> Integers:
        """The row of each, from 0."""
        long = max(int(np.ceil(np.sqrt(2.0 * self.park.turbines))), 1)
        return np.arange(len(self.vendors)) // long

    @cached_property
    def feeders(self) -> Integers:
        """The feeder of each, from 0."""
        return np.arange(len(self.vendors)) // _FEEDER

    @cached_property
    def positions(self) -> Numbers:
        """East and north of each, in whole metres."""
        first = np.searchsorted(self.rows, self.rows)
        along = (np.arange(len(self.rows)) - first) * _ALONG
        crooked = 120.0 * (self.park.uniform("position", len(self.rows), 2) - 0.5)
        return np.rint(np.stack([along, self.rows * _ACROSS], axis=1) + crooked)

    @cached_property
    def neighbours(self) -> list[tuple[int, int]]:
        """Pairs that stand near each other, both ways."""
        apart = self.positions[:, None, :] - self.positions[None, :, :]
        near = (apart**2).sum(axis=2) <= _NEAR**2
        np.fill_diagonal(near, False)
        return [(int(a), int(b)) for a, b in zip(*np.nonzero(near), strict=True)]

    @cached_property
    def rated_power(self) -> Numbers:
        """kW, a column."""
        return np.array([[float(each.rated_power)] for each in self.types])

    @cached_property
    def rated_speed(self) -> Numbers:
        """m/s, a column."""
        return np.array([[float(each.rated_speed)] for each in self.types])

    def power(self, speed: Numbers) -> Numbers:
        """kW that each turbine yields at these speeds: a row for each."""
        at = np.arange(41.0)
        rows = (np.interp(row, at, each.curve) for row, each in zip(speed, self.types, strict=True))
        return np.stack(list(rows))
