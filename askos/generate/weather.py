"""The weather over a park: wind that is alike where turbines are near, and reaches them in turn.

Minute by minute, a row for each turbine.  The wind has a slow part common to all, gusts that
travel with it from turbine to turbine, and some of each turbine's own; whoever stands behind
another has less of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from askos.generate.layout import DIAMETER, Layout
from askos.generate.park import Numbers, Park

_TRAVEL: Final = 8.0 * 60  # m a minute, at which gusts travel
_REACH: Final = 2500.0  # m, as far as a wake is felt
_SPREAD: Final = 0.05  # of a wake, for each metre: N. O. Jensen's model, offshore


@dataclass(frozen=True, slots=True)
class Weather:
    """Wind speed (m/s) and temperature (°C) of each turbine, direction (°) of the whole park."""

    speed: Numbers
    direction: Numbers
    temperature: Numbers


def weather(layout: Layout) -> Weather:
    """The weather of a park, from its seed."""
    park = layout.park
    minute = np.arange(float(park.minutes))
    direction = 240.0 + 50.0 * (smooth(park, "direction", minute[None], 240.0)[0] - 0.5)
    towards = _towards(direction)
    speed = _free(layout, minute, towards) * (1.0 - _wakes(layout, towards))
    high = layout.rows[:, None] * 0.2
    temperature = 6.0 * smooth(park, "temperature", minute[None], 360.0) - 4.0 - high
    return Weather(np.maximum(speed, 0.0), direction, temperature)


def smooth(park: Park, purpose: str, at: Numbers, period: float) -> Numbers:
    """Noise in [0, 1] at these minutes, each row its own: random knots joined by 3t² − 2t³."""
    before = np.floor(at / period).astype(np.int64)
    knots = park.uniform(purpose, len(at), int(before.max()) + 2)
    t = at / period - before
    weight = t * t * (3.0 - 2.0 * t)
    here = np.take_along_axis(knots, before, axis=1)
    return here + (np.take_along_axis(knots, before + 1, axis=1) - here) * weight


def _towards(direction: Numbers) -> Numbers:
    """Where the wind blows to, as east and north; rounded, since sines differ by machine."""
    angle = np.deg2rad(direction)
    return np.round(np.stack([-np.sin(angle), -np.cos(angle)]), 6)


def _free(layout: Layout, minute: Numbers, towards: Numbers) -> Numbers:
    """Wind without wakes: gusts arrive later where the wind comes to later."""
    park = layout.park
    behind = layout.positions @ towards.mean(axis=1)
    late = minute + ((behind.max() - behind) / _TRAVEL)[:, None]
    # Knots of one row serve all turbines of it: they see the same gusts, one after the other.
    gusts = smooth(park, "gusts", late.reshape(1, -1), 12.0).reshape(late.shape)
    own = smooth(park, "own wind", np.broadcast_to(minute, late.shape), 7.0)
    slow = smooth(park, "wind", minute[None], 150.0)
    return 2.5 + 12.5 * slow + 2.4 * (gusts - 0.5) + 1.2 * (own - 0.5)


def _wakes(layout: Layout, towards: Numbers) -> Numbers:
    """Which part of the wind each turbine lacks, for those that stand in front of it."""
    places, radius = layout.positions, DIAMETER / 2
    lack = np.zeros((len(places), towards.shape[1]))
    for number, place in enumerate(places):
        ahead = place - places
        near = ahead[((ahead**2).sum(axis=1) < _REACH**2) & (ahead != 0).any(axis=1)]
        along = near @ towards
        aside = np.abs(near[:, :1] * towards[1] - near[:, 1:] * towards[0])
        wide = radius + _SPREAD * np.maximum(along, 0.0)
        hit = (along > 0) & (aside < wide)
        part = np.where(hit, 0.55 * (radius / wide) ** 2, 0.0)
        lack[number] = np.sqrt((part**2).sum(axis=0))
    return np.minimum(lack, 0.6)
