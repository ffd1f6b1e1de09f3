"""Edges as curves: where they leave and meet their nodes, and how they bend in between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from askos.algebra.explain.graph import Edge
from askos.algebra.explain.layout import Point
from askos.algebra.explain.scene import Figure, Scene

_HEAD: Final = 8.0
_SPREAD: Final = 0.6


class Side(Enum):
    """A side of a node, as the way out of it."""

    TOP = (0, -1)
    BOTTOM = (0, 1)
    LEFT = (-1, 0)
    RIGHT = (1, 0)


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge as the data of an SVG path, the corners of its head, and where its label goes."""

    edge: Edge
    path: str
    head: tuple[Point, Point, Point]
    label: Point


@dataclass(frozen=True, slots=True)
class _End:
    """Where an edge touches a node: of those on one side, sorted by `towards`, each its place."""

    figure: Figure
    side: Side
    towards: float
    alone: bool

    @property
    def key(self) -> tuple[str, Side, bool]:
        return self.figure.node.id, self.side, self.alone


def arrows(scene: Scene, upward: bool) -> Iterator[Arrow]:
    """The edges of a scene.  What flows upward leaves a node at one point, since it is the same
    for all who read it; otherwise ends are spread along the side."""
    ends = [_ends(scene.figures, edge, route, upward) for edge, route in scene.routes]
    ports = _ports([end for pair in ends for end in pair])
    for at, (edge, route) in enumerate(scene.routes):
        first, last = ends[at]
        start, end = ports[2 * at], ports[2 * at + 1]
        if edge.start == edge.end:
            yield _loop(edge, scene.figures[edge.start])
            continue
        base = _out(end, last.side, _HEAD)
        label = _out(start, first.side, 13.0) if upward else _middle(start, route, base)
        path = _path([start, *route[1:-1], base], first.side, last.side)
        yield Arrow(edge, path, _head(end, last.side), label)


def _ends(
    figures: Mapping[str, Figure], edge: Edge, route: Sequence[Point], upward: bool
) -> tuple[_End, _End]:
    start, end = figures[edge.start], figures[edge.end]
    leaves, meets = _side(start, route[1]), _side(end, route[-2])
    return (
        _End(start, leaves, _along(leaves, route[1]), upward),
        _End(end, meets, _along(meets, route[-2]), False),
    )


def _side(figure: Figure, towards: Point) -> Side:
    """The side that looks at a point: up or down, unless the point is level with the node."""
    (x, y), (_, height) = figure.centre, figure.size
    if towards[1] < y - height / 2 - _HEAD:
        return Side.TOP
    if towards[1] > y + height / 2 + _HEAD:
        return Side.BOTTOM
    return Side.LEFT if towards[0] < x else Side.RIGHT


def _along(side: Side, point: Point) -> float:
    return point[0] if side in (Side.TOP, Side.BOTTOM) else point[1]


def _ports(ends: Sequence[_End]) -> list[Point]:
    """A point for each end, in their order."""
    together: dict[object, list[int]] = defaultdict(list)
    for at, end in enumerate(ends):
        together[end.key].append(at)
    points: dict[int, Point] = {}
    for group in together.values():
        group.sort(key=lambda at: ends[at].towards)
        for place, at in enumerate(group, start=1):
            share = 0.5 if ends[at].alone else place / (len(group) + 1)
            points[at] = _port(ends[at], (share - 0.5) * _SPREAD)
    return [points[at] for at in range(len(ends))]


def _port(end: _End, share: float) -> Point:
    (x, y), (width, height) = end.figure.centre, end.figure.size
    across, along = end.side.value
    if across:
        return x + across * width / 2, y + share * height
    return x + share * width, y + along * height / 2


def _out(point: Point, side: Side, distance: float) -> Point:
    return point[0] + side.value[0] * distance, point[1] + side.value[1] * distance


def _head(tip: Point, side: Side) -> tuple[Point, Point, Point]:
    (x, y), (across, along) = _out(tip, side, _HEAD), side.value
    return tip, (x + along * 4, y + across * 4), (x - along * 4, y - across * 4)


def _middle(start: Point, route: Sequence[Point], end: Point) -> Point:
    points = [start, *route[1:-1], end]
    a, b = points[(len(points) - 1) // 2], points[(len(points) - 1) // 2 + 1]
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2 + 3


def _path(points: Sequence[Point], first: Side, last: Side) -> str:
    """Curves that leave and arrive at right angles, and are upright in between."""
    parts = [f"M{_xy(points[0])}"]
    for at, (a, b) in enumerate(zip(points, points[1:], strict=False)):
        level = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        flat_start = at == 0 and first in (Side.LEFT, Side.RIGHT)
        flat_end = at == len(points) - 2 and last in (Side.LEFT, Side.RIGHT)
        one = (level[0], a[1]) if flat_start else (a[0], level[1])
        two = (level[0], b[1]) if flat_end else (b[0], level[1])
        parts.append(f"C{_xy(one)} {_xy(two)} {_xy(b)}")
    return " ".join(parts)


def _loop(edge: Edge, figure: Figure) -> Arrow:
    """From a node to itself: out of its right side and back."""
    (x, y), (width, _) = figure.centre, figure.size
    tip = (x + width / 2, y + 6)
    base = _out(tip, Side.RIGHT, _HEAD)
    out = (x + width / 2, y - 6)
    far = x + width / 2 + 26
    path = f"M{_xy(out)} C{_xy((far, y - 14))} {_xy((far, y + 12))} {_xy(base)}"
    return Arrow(edge, path, _head(tip, Side.RIGHT), (far, y - 14))


def _xy(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
