"""Edges as curves: where they leave and meet their nodes, and how they bend in between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from askos.explaining.graph import Edge
from askos.explaining.layout import Point
from askos.explaining.scene import Figure, Scene

_HEAD: Final = 8.0
_SPREAD: Final = 0.6
_STUB: Final = 20.0


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge as the data of an SVG path, the corners of its head, and where its label goes."""

    edge: Edge
    path: str
    head: tuple[Point, Point, Point]
    label: Point


@dataclass(frozen=True, slots=True)
class _End:
    """Where an edge touches a node: on its upper (-1) or lower (1) side, in the order of
    `towards`; those that `merge` in the middle."""

    figure: Figure
    side: int
    towards: float
    merge: bool


def arrows(scene: Scene, upward: bool) -> Iterator[Arrow]:
    """The edges of a scene.  What flows upward leaves a node at one point, since it is the same
    for all who read it; otherwise ends are spread along the side."""
    ways = [(edge, route) for edge, route in scene.routes if edge.start != edge.end]
    ends = [end for edge, route in ways for end in _ends(scene.figures, edge, route, upward)]
    ports = _ports(ends)
    for at, (edge, route) in enumerate(ways):
        yield _arrow(edge, route, ports[2 * at : 2 * at + 2], ends[2 * at : 2 * at + 2], upward)
    loops = (edge for edge, _ in scene.routes if edge.start == edge.end)
    yield from (_loop(edge, scene.figures[edge.start]) for edge in loops)


def _arrow(
    edge: Edge, route: Sequence[Point], ports: Sequence[Point], ends: Sequence[_End], upward: bool
) -> Arrow:
    start, (x, y) = ports
    side = ends[1].side
    base = (x, y + side * _HEAD)
    points = _bends(start, route, base, _STUB if upward else 0.0)
    label = (start[0], start[1] - 8.0) if upward else _middle(points)
    head = ((x, y), (x - 4, base[1]), (x + 4, base[1]))
    return Arrow(edge, _path(points), head, label)


def _ends(
    figures: Mapping[str, Figure], edge: Edge, route: Sequence[Point], upward: bool
) -> tuple[_End, _End]:
    start, end = figures[edge.start], figures[edge.end]
    leaves = -1 if route[1][1] < start.centre[1] else 1
    meets = -1 if route[-2][1] < end.centre[1] else 1
    return _End(start, leaves, route[2][0], upward), _End(end, meets, route[-3][0], False)


def _ports(ends: Sequence[_End]) -> list[Point]:
    """A point for each end, in their order."""
    together: dict[object, list[int]] = defaultdict(list)
    for at, end in enumerate(ends):
        together[end.figure.node.id, end.side, end.merge].append(at)
    points: dict[int, Point] = {}
    for group in together.values():
        group.sort(key=lambda at: ends[at].towards)
        for place, at in enumerate(group, start=1):
            share = 0.5 if ends[at].merge else place / (len(group) + 1)
            points[at] = _port(ends[at], (share - 0.5) * _SPREAD)
    return [points[at] for at in range(len(ends))]


def _port(end: _End, share: float) -> Point:
    (x, y), (width, height) = end.figure.centre, end.figure.size
    return x + share * width, y + end.side * height / 2


def _bends(start: Point, route: Sequence[Point], end: Point, stub: float) -> list[Point]:
    """The points a curve passes: straight on from its ends as far as their ranks reach, and
    past the label, which needs a `stub`."""
    way = -1 if route[-1][1] < route[0][1] else 1
    leave = max(route[1][1] * way, start[1] * way) * way + stub * way
    enter = min(route[-2][1] * way, end[1] * way) * way
    return [start, (start[0], leave), *route[2:-2], (end[0], enter), end]


def _middle(points: Sequence[Point]) -> Point:
    (a, b), (c, d) = points[1], points[2]
    return (a + c) / 2, (b + d) / 2 + 3


def _path(points: Sequence[Point]) -> str:
    """Curves that leave and arrive upright."""
    parts = [f"M{_xy(points[0])}"]
    for (a, b), (c, d) in pairwise(points):
        if a == c:
            parts.append(f"V{d:.1f}" if b != d else "")
        else:
            parts.append(f"C{_xy((a, (b + d) / 2))} {_xy((c, (b + d) / 2))} {_xy((c, d))}")
    return " ".join(part for part in parts if part)


def _loop(edge: Edge, figure: Figure) -> Arrow:
    """From a node to itself: out of its right side and back."""
    (x, y), (width, _) = figure.centre, figure.size
    x += width / 2
    path = (
        f"M{_xy((x, y - 7))} C{_xy((x + 26, y - 16))} {_xy((x + 26, y + 14))} {_xy((x + 8, y + 6))}"
    )
    head = ((x, y + 6), (x + 8, y + 2), (x + 8, y + 10))
    return Arrow(edge, path, head, (x + 20, y - 16))


def _xy(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
