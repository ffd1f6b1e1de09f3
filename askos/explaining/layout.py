"""Coordinates: where the nodes of a layered graph stand, and the points its edges pass."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from askos.explaining.layers import Layers, Pair, layered

Point: TypeAlias = tuple[float, float]
Size: TypeAlias = tuple[float, float]

_ROUNDS: Final = 31
_LANE: Final = 8.0


@dataclass(frozen=True, slots=True)
class Gaps:
    """The least distance between neighbours in a rank, and between ranks."""

    across: float
    along: float


@dataclass(frozen=True, slots=True)
class Layout:
    """The centre of every node, the points each edge passes, and the size of the whole.

    x grows to the right and y downwards from the corner at (0, 0).
    """

    centres: Mapping[str, Point]
    routes: Sequence[Sequence[Point]]
    size: Size


def lay_out(
    sizes: Mapping[str, Size],
    edges: Sequence[Pair],
    gaps: Gaps,
    upward: bool,
    last: Collection[str] = frozenset(),
) -> Layout:
    """Places for nodes of the given sizes; edges lead up or down the sheet, to those in `last`
    at its end."""
    layers = layered(list(sizes), edges, last)
    widths = {name: sizes.get(name, (_LANE, 0.0))[0] for rank in layers.ranks for name in rank}
    x = _abscissas(layers, widths, gaps.across)
    extents, height = _extents(layers, sizes, gaps.along, upward)
    left = min((x[name] - width / 2 for name, width in widths.items()), default=0.0)
    right = max((x[name] + width / 2 for name, width in widths.items()), default=0.0)
    x = {name: round(value - left, 1) for name, value in x.items()}
    centres = {name: (x[name], sum(extents[name]) / 2) for name in sizes}
    routes = [_route(route, x, extents) for route in layers.routes]
    return Layout(centres, routes, (right - left, height))


def _route(
    names: Sequence[str], x: Mapping[str, float], extents: Mapping[str, tuple[float, float]]
) -> list[Point]:
    """From centre to centre; straight out of the first rank, through the whole height of those
    in between, and into the last."""
    turn = -1 if extents[names[0]][0] > extents[names[-1]][0] else 1
    borders = [(x[name], y) for name in names for y in extents[name][::turn]]
    first, last = ((x[name], sum(extents[name]) / 2) for name in (names[0], names[-1]))
    return [first, *borders[1:-1], last]


def _extents(
    layers: Layers, sizes: Mapping[str, Size], gap: float, upward: bool
) -> tuple[dict[str, tuple[float, float]], float]:
    """Top and bottom of each name's rank, as high as its highest node, and the height of all."""
    extents: dict[str, tuple[float, float]] = {}
    top = 0.0
    for rank in reversed(layers.ranks) if upward else layers.ranks:
        height = max((sizes[name][1] for name in rank if name in sizes), default=0.0)
        extents |= dict.fromkeys(rank, (top, top + height))
        top += height + gap
    return extents, max(top - gap, 0.0)


def _abscissas(layers: Layers, widths: Mapping[str, float], gap: float) -> dict[str, float]:
    """Every name as near to its neighbours as the order and the widths allow."""
    x: dict[str, float] = {}
    for rank in layers.ranks:
        _place(rank, dict.fromkeys(rank, 0.0), dict.fromkeys(rank, 1.0), widths, gap, x)
    for turn in range(_ROUNDS):
        # The last turn is an even one: a reader is to stand in the middle of what it reads.
        ranks, near = (
            (layers.ranks, layers.before) if turn % 2 == 0 else (layers.ranks[::-1], layers.after)
        )
        for rank in ranks:
            _settle(rank, near, layers.lanes, widths, gap, x)
    for rank in layers.ranks[:1]:  # what reads nothing goes once more below its readers
        _settle(rank, layers.after, layers.lanes, widths, gap, x)
    return x


def _settle(
    rank: Sequence[str],
    near: Mapping[str, list[str]],
    lanes: set[str],
    widths: Mapping[str, float],
    gap: float,
    x: dict[str, float],
) -> None:
    wish, weight = _wishes(rank, near, lanes, x)
    _place(rank, wish, weight, widths, gap, x)


def _wishes(
    rank: Sequence[str],
    neighbours: Mapping[str, list[str]],
    lanes: set[str],
    x: Mapping[str, float],
) -> tuple[dict[str, float], dict[str, float]]:
    """Where each name would stand best, and how much it matters; lanes should be straight."""
    wish, weight = {}, {}
    for name in rank:
        near = neighbours.get(name, [])
        force = [(1, 2, 8)[(name in lanes) + (other in lanes)] for other in near]
        total = sum(force)
        mean = sum(x[other] * f for other, f in zip(near, force, strict=True)) / (total or 1)
        wish[name], weight[name] = (mean, float(total)) if near else (x[name], 0.01)
    return wish, weight


def _place(
    rank: Sequence[str],
    wish: Mapping[str, float],
    weight: Mapping[str, float],
    widths: Mapping[str, float],
    gap: float,
    x: dict[str, float],
) -> None:
    """The places in this order that are least far from the wishes, without overlap.

    Less the room needed to the left, wishes must not decrease: isotonic regression, by pooling
    neighbours that violate it.
    """
    room, offset = 0.0, []
    for at, name in enumerate(rank):
        room += (widths[rank[at - 1]] + widths[name]) / 2 + gap if at else 0.0
        offset.append(room)
    pools: list[tuple[float, float, int]] = []  # mean, weight, members
    for name, shift in zip(rank, offset, strict=True):
        mean, total, count = wish[name] - shift, weight[name], 1
        while pools and pools[-1][0] > mean:
            other, others, more = pools.pop()
            mean = (mean * total + other * others) / (total + others)
            total, count = total + others, count + more
        pools.append((mean, total, count))
    means = (mean for mean, _, count in pools for _ in range(count))
    x.update({name: m + shift for name, m, shift in zip(rank, means, offset, strict=True)})
