"""Layered drawing of directed graphs: ranks, then the order in each, then coordinates.

After Sugiyama, Tagawa and Toda.  An edge over several ranks passes each in a lane of its own.
Trees come out tidy, as Reingold and Tilford ask: no crossings, subtrees side by side, a reader
in the middle of what it reads.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, TypeAlias

Pair: TypeAlias = tuple[str, str]

_ROUNDS: Final = 12


@dataclass(slots=True)
class Layers:
    """Nodes and lanes by rank, each rank from left to right; the neighbours in the next rank
    and in the one before; and per edge the names it passes, ends included."""

    ranks: list[list[str]]
    routes: list[list[str]]
    after: dict[str, list[str]] = field(default_factory=dict)
    before: dict[str, list[str]] = field(default_factory=dict)
    lanes: set[str] = field(default_factory=set)

    def crossings(self) -> int:
        """How many pairs of edges cross."""
        return sum(_crossings(rank, self.after, self.places()) for rank in self.ranks)

    def places(self) -> dict[str, int]:
        """Where in its rank each name stands."""
        return {name: at for rank in self.ranks for at, name in enumerate(rank)}


def ranks(nodes: Sequence[str], edges: Sequence[Pair]) -> dict[str, int]:
    """How many edges lead to each node, on the longest way; cycles apart."""
    return _longest_paths(nodes, _acyclic(nodes, edges))


def layered(
    nodes: Sequence[str], edges: Sequence[Pair], last: Collection[str] = frozenset()
) -> Layers:
    """Rank nodes so that edges lead from low ranks to high ones, and order the ranks so that few
    edges cross; the nodes in `last` go to the highest rank.

    An edge that would close a cycle is laid backwards; one from a node to itself not at all.
    """
    turned = _acyclic(nodes, edges)
    rank = _longest_paths(nodes, turned)
    rank |= dict.fromkeys(last, max(rank.values(), default=0))
    layers = _with_lanes(rank, turned, edges)
    _first_order(layers)
    _uncross(layers)
    return layers


def _acyclic(nodes: Sequence[str], edges: Sequence[Pair]) -> list[Pair]:
    """The edges, those turned round that lead back to where a walk comes from."""
    leaving: dict[str, list[str]] = {name: [] for name in nodes}
    for start, end in edges:
        leaving[start].append(end)
    open_: set[str] = set()
    done: set[str] = set()
    back: set[Pair] = set()
    for root in nodes:
        todo = [(root, False)]
        while todo:
            name, left = todo.pop()
            if left:
                open_.discard(name)
                done.add(name)
            elif name not in done and name not in open_:
                open_.add(name)
                todo.append((name, True))
                back |= {(name, end) for end in leaving[name] if end in open_}
                todo.extend((end, False) for end in reversed(leaving[name]))
    return [(end, start) if (start, end) in back else (start, end) for start, end in edges]


def _longest_paths(nodes: Sequence[str], edges: Sequence[Pair]) -> dict[str, int]:
    """The number of edges on the longest path to each node."""
    waiting = dict.fromkeys(nodes, 0)
    leaving: dict[str, list[str]] = {name: [] for name in nodes}
    for start, end in edges:
        if start != end:
            waiting[end] += 1
            leaving[start].append(end)
    rank = dict.fromkeys(nodes, 0)
    ready = [name for name in nodes if not waiting[name]]
    for name in ready:
        for end in leaving[name]:
            rank[end] = max(rank[end], rank[name] + 1)
            waiting[end] -= 1
            if not waiting[end]:
                ready.append(end)
    return rank


def _with_lanes(rank: Mapping[str, int], turned: Sequence[Pair], edges: Sequence[Pair]) -> Layers:
    layers = Layers([[] for _ in range(max(rank.values(), default=-1) + 1)], [])
    for name, level in rank.items():
        layers.ranks[level].append(name)
    for at, ((start, end), edge) in enumerate(zip(turned, edges, strict=True)):
        names = [start, *(f"{at}/{level}" for level in range(rank[start] + 1, rank[end])), end]
        for level, lane in enumerate(names[1:-1], start=rank[start] + 1):
            layers.ranks[level].append(lane)
            layers.lanes.add(lane)
        for low, high in pairwise(names):
            if low != high:
                layers.after.setdefault(low, []).append(high)
                layers.before.setdefault(high, []).append(low)
        layers.routes.append(names if (start, end) == edge else names[::-1])
    return layers


def _first_order(layers: Layers) -> None:
    """As a walk down from the last rank meets them: a tree has no crossings then."""
    met: dict[str, None] = {}
    todo = [name for rank in layers.ranks for name in reversed(rank) if name not in layers.after]
    while todo:
        name = todo.pop()
        if name not in met:
            met[name] = None
            todo.extend(reversed(layers.before.get(name, [])))
    at = {name: place for place, name in enumerate(met)}
    for rank in layers.ranks:
        rank.sort(key=lambda name: at[name])


def _uncross(layers: Layers) -> None:
    """Move each name to the mean place of its neighbours, up and down, while that helps."""
    best, least = [list(rank) for rank in layers.ranks], layers.crossings()
    for turn in range(_ROUNDS):
        if not least:
            break
        for rank, neighbours in _sweep(layers, upwards=turn % 2 == 0):
            _by_mean(rank, neighbours, layers.places())
        if (now := layers.crossings()) < least:
            best, least = [list(rank) for rank in layers.ranks], now
    layers.ranks[:] = best


def _sweep(layers: Layers, upwards: bool) -> Iterator[tuple[list[str], Mapping[str, list[str]]]]:
    ranks = layers.ranks if upwards else layers.ranks[::-1]
    return ((rank, layers.before if upwards else layers.after) for rank in ranks[1:])


def _by_mean(
    rank: list[str], neighbours: Mapping[str, list[str]], places: Mapping[str, int]
) -> None:
    def mean(name: str) -> float:
        near = [places[other] for other in neighbours.get(name, [])]
        return sum(near) / len(near) if near else places[name]

    rank.sort(key=mean)


def _crossings(
    rank: Sequence[str], after: Mapping[str, list[str]], places: Mapping[str, int]
) -> int:
    seen: list[int] = []
    count = 0
    for name in rank:
        ends = sorted(places[end] for end in after.get(name, []))
        count += sum(len(seen) - bisect_right(seen, end) for end in ends)
        for end in ends:
            insort(seen, end)
    return count
