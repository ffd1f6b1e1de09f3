"""Plain operators, on dicts and heaps, beside which benchmarks/operators.py puts ours."""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from askos.interval import FOREVER
from askos.terms import XSD

UNIT = 10**18  # what answers are compared in

Element = tuple[int, int, int, int]
"""Key, value, start and end."""
Says = tuple[int | str, ...]
Piece = tuple[Any, ...]
"""A key, what is said of it, start and end."""


class Plain:
    """Takes one element after the other, and tells pieces."""

    def __init__(self) -> None:
        self.told: list[Piece] = []

    def take(self, side: int, element: Element) -> None:
        """An element, in the order of time."""
        raise TypeError(f"{type(self).__name__} takes no element")

    def end(self) -> None:
        """What is still open, up to its end."""


class PlainJoin(Plain):
    """Krämer's symmetric join: a dict of lists a side, purged as they are met."""

    def __init__(self) -> None:
        super().__init__()
        self._sides: tuple[dict[int, list[Element]], ...] = (defaultdict(list), defaultdict(list))

    def take(self, side: int, element: Element) -> None:
        key, value, start, end = element
        mine, others = self._sides[side], self._sides[1 - side].get(key, [])
        others[:] = [other for other in others if other[3] > start]
        mine[key].append(element)
        self.told += [(key, value, other[1], start, min(end, other[3])) for other in others]


class PlainLeftJoin(Plain):
    """Algorithms 4 and 5: every left element has a marker, up to when it has been emitted."""

    def __init__(self) -> None:
        super().__init__()
        self._left: dict[int, list[list[int]]] = defaultdict(list)
        self._right: dict[int, list[Element]] = defaultdict(list)

    def take(self, side: int, element: Element) -> None:
        if side:
            self._partner(*element)
            return
        key, value, start, end = element
        mark, told = start, self.told
        partners = self._right[key] = [other for other in self._right[key] if other[3] > start]
        for _, other, _, until in partners:
            until = min(end, until)
            told.append((key, value, other, start, until))
            mark = max(mark, until)
        self._left[key].append([value, mark, end])

    def _partner(self, key: int, value: int, start: int, end: int) -> None:
        kept, told = [], self.told
        for one in self._left[key]:
            v, mark, until = one
            if mark < start:  # a gap before the partner
                one[1] = min(start, until)
                told.append((key, v, 0, mark, one[1]))
            if until > start:
                last = min(until, end)
                told.append((key, v, value, start, last))
                one[1] = max(one[1], last)
                kept.append(one)
        self._left[key] = kept
        self._right[key].append((key, value, start, end))

    def end(self) -> None:
        for key, rows in self._left.items():
            self.told += [(key, v, 0, mark, until) for v, mark, until in rows]


class PlainGroup(Plain):
    """A dict of groups, a heap of ends; a piece between two events of a group."""

    def __init__(self, fold: Callable[[int, int, Any], Says], values: Callable[[], Any]) -> None:
        super().__init__()
        self._fold = fold
        self._groups: dict[int, list[Any]] = {}  # count, sum, values, since when
        self._ends: list[tuple[int, int, int]] = []
        self._values = values

    def take(self, side: int, element: Element) -> None:
        key, value, start, end = element
        self._until(start)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = [0, 0, self._values(), start]
        self._piece(key, group, start)
        group[0] += 1
        group[1] += value
        if group[2] is not None:
            insort(group[2], value)
        heapq.heappush(self._ends, (end, key, value))

    def _until(self, time: int) -> None:
        while self._ends and self._ends[0][0] <= time:
            end, key, value = heapq.heappop(self._ends)
            group = self._groups[key]
            self._piece(key, group, end)
            group[0] -= 1
            group[1] -= value
            if group[2] is not None:
                del group[2][bisect_left(group[2], value)]
            if not group[0]:
                del self._groups[key]

    def _piece(self, key: int, group: list[Any], time: int) -> None:
        count, total, values, since = group
        if count and since < time:
            self.told.append((key, *self._fold(count, total, values), since, time))
        group[3] = time

    def end(self) -> None:
        self._until(FOREVER)


class PlainDistinct(Plain):
    """A dict: until when a row is covered; a heap of ends, by which it is forgotten."""

    def __init__(self) -> None:
        super().__init__()
        self._covered: dict[tuple[int, int], int] = {}
        self._ends: list[tuple[int, tuple[int, int]]] = []

    def take(self, side: int, element: Element) -> None:
        key, value, start, end = element
        while self._ends and self._ends[0][0] <= start:
            until, row = heapq.heappop(self._ends)
            if self._covered[row] == until:
                del self._covered[row]
        row = key, value
        begin = max(start, self._covered.get(row, 0))
        if begin < end:
            self.told.append((key, value, begin, end))
            self._covered[row] = end
            heapq.heappush(self._ends, (end, row))


class PlainTop(Plain):
    """A sorted list of what is valid, and a heap of ends; a piece when a row leaves the first."""

    def __init__(self, places: int) -> None:
        super().__init__()
        self._places = places
        self._sorted: list[tuple[int, int]] = []
        self._ends: list[tuple[int, int, int]] = []
        self._since = 0

    def take(self, side: int, element: Element) -> None:
        key, value, start, end = element
        self._until(start)
        self._piece(start)
        insort(self._sorted, (-value, key))
        heapq.heappush(self._ends, (end, -value, key))

    def _until(self, time: int) -> None:
        while self._ends and self._ends[0][0] <= time:
            end, value, key = heapq.heappop(self._ends)
            self._piece(end)
            del self._sorted[bisect_left(self._sorted, (value, key))]

    def _piece(self, time: int) -> None:
        since, self._since = self._since, time
        if since < time:
            first = self._sorted[: self._places]
            self.told += [(key, -value, since, time) for value, key in first]

    def end(self) -> None:
        self._until(FOREVER)


def averaged(count: int, total: int, _: Any) -> Says:
    """COUNT, SUM and AVG, the last as a decimal of 18 digits is written."""
    quotient = (total * UNIT + count // 2) // count
    whole, fraction = divmod(quotient, UNIT)
    digits = f"{fraction:018d}".rstrip("0")
    return count, total, f'"{whole}.{digits or 0}"^^<{XSD.decimal}>'


class PlainClosure(Plain):
    """Edges from key to value; at every change all pairs are searched for anew, and those that are
    there no more are told."""

    def __init__(self) -> None:
        super().__init__()
        self._edges: list[Element] = []
        self._since: dict[tuple[int, int], int] = {}

    def take(self, side: int, element: Element) -> None:
        self._until(element[2])
        self._edges.append(element)
        self._search(element[2])

    def _until(self, time: int) -> None:
        for end in sorted({edge[3] for edge in self._edges if edge[3] <= time}):
            self._edges = [edge for edge in self._edges if edge[3] > end]
            self._search(end)

    def _search(self, time: int) -> None:
        found = reached((x, y) for x, y, _, _ in self._edges)
        for pair in self._since.keys() - found:
            self.told.append((*pair, self._since.pop(pair), time))
        for pair in found - self._since.keys():
            self._since[pair] = time

    def end(self) -> None:
        self._until(FOREVER)


def reached(edges: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """All pairs, by a search from every node."""
    following = defaultdict(list)
    for x, y in edges:
        following[x].append(y)
    found = set()
    for start in following:
        seen: set[int] = set()
        todo = list(following[start])
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += following.get(node, ())
        found |= {(start, node) for node in seen}
    return found
