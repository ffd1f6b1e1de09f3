"""The map of a park, as SVG: a circle for each turbine, a line for each feeder.

The page's script colours the circles by state, and puts a ring around those with an alert.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from itertools import combinations, groupby, pairwise
from math import dist
from statistics import median
from typing import Final

from askos.report.day import Turbine

_ACROSS: Final = 1000.0
_MARGIN: Final = 60.0
_RADIUS: Final = 21.0
_LABEL: Final = 54.0  # below the centre
_ROOM: Final = 112.0  # from one turbine to the next below it
_TALLEST: Final = 4.0
_FAR: Final = 1.8  # times the usual distance on a feeder: no line is drawn to the next row


def park_map(turbines: Sequence[Turbine]) -> str:
    """North is up.  One scale for both directions, unless rows are so near that names have no
    room."""
    places = _placed(turbines)
    height = max(y for _, y in places.values()) + _MARGIN + _LABEL / 2
    lines = [
        f'<svg id="map" viewBox="0 0 {_ACROSS:.0f} {height:.0f}" role="group"'
        ' aria-label="map of the park">',
        *_feeders(turbines, places),
        *(_turbine(each, *places[each.name]) for each in turbines),
        "</svg>",
    ]
    return "\n".join(lines)


def _placed(turbines: Sequence[Turbine]) -> dict[str, tuple[float, float]]:
    left, right = min(t.x for t in turbines), max(t.x for t in turbines)
    top = max(t.y for t in turbines)
    scale = (_ACROSS - 2 * _MARGIN) / max(right - left, 1.0)
    tall = scale * _stretch(turbines, scale)
    return {
        t.name: (_MARGIN + (t.x - left) * scale, _MARGIN + (top - t.y) * tall) for t in turbines
    }


def _stretch(turbines: Sequence[Turbine], scale: float) -> float:
    """How many times as tall the map must be, so that names do not run into the turbines below."""
    near = (
        abs(one.y - other.y) * scale
        for one, other in combinations(turbines, 2)
        if abs(one.x - other.x) * scale < 3 * _RADIUS
    )
    closest = min((gap for gap in near if gap > 0), default=_ROOM)
    return min(max(_ROOM / closest, 1.0), _TALLEST)


def _feeders(turbines: Sequence[Turbine], places: dict[str, tuple[float, float]]) -> Iterator[str]:
    by_feeder = sorted((t for t in turbines if t.feeder), key=lambda t: (t.feeder, t.name))
    lines = [
        (feeder, places[one.name], places[other.name])
        for feeder, members in groupby(by_feeder, key=lambda t: t.feeder)
        for one, other in pairwise(members)
    ]
    usual = median(dist(start, end) for _, start, end in lines) if lines else 0.0
    for feeder, start, end in lines:
        if dist(start, end) <= _FAR * usual:
            ends = "x1={:.1f} y1={:.1f} x2={:.1f} y2={:.1f}".format(*start, *end)
            yield f'<line class="feeder" {ends}><title>{escape(feeder)}</title></line>'


def _turbine(turbine: Turbine, x: float, y: float) -> str:
    name = escape(turbine.name)
    return (
        f'<g class="turbine" data-turbine="{name}" tabindex="0" role="button"'
        f' aria-label="{name}, {escape(turbine.vendor)}"><title>{name}</title>'
        f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS + 7}"/>'
        f'<circle class="body" cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}"'
        f' fill="var(--InformationUnavailable)"/>'
        f'<text x="{x:.1f}" y="{y + _LABEL:.1f}">{name}</text></g>'
    )
