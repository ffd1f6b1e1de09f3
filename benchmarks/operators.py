"""Columnar operators beside plain ones, which take one element after the other.

    python benchmarks/operators.py [--batches 100 1000 10000] [--keys uniform power] [--json]

The same elements, in the order of time, go through the operator that askos runs and through a
plain one on dicts and heaps, as one would write it first.  A window holds ten batches.  Both must
tell the same: the pieces of each add up to the same time, weighted by what they say.

Rows a second of each, medians of interleaved rounds, and their ratio; the worst step of ours
against its median step.
"""

from __future__ import annotations

import argparse
import heapq
import json
import statistics
import time
from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askos.algebra import (
    Avg,
    Binding,
    Count,
    Distinct,
    Group,
    Join,
    LeftJoin,
    Max,
    Min,
    OrderBy,
    Path,
    Pattern,
    Project,
    Ref,
    Slice,
    SlidingWindow,
    SortKey,
    StreamAccess,
    Sum,
)
from askos.algebra.operators.paths import Link, OneOrMore
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.ids import INTEGER, Ids, pack, unpack
from askos.interval import FOREVER
from askos.physical.cut import Cut
from askos.physical.fragment import operator
from askos.physical.made import top
from askos.physical.operator import Operator
from askos.physical.plan import Closure
from askos.physical.timing import Timing
from askos.terms import URIRef, Variable

X, Y, Z, N = (Variable(name) for name in "xyzn")
WINDOW = SlidingWindow(StreamAccess(URIRef("s")), 10, 1)
A, B = Pattern(X, URIRef("p"), Y, WINDOW), Pattern(X, URIRef("q"), Z, WINDOW)
CODER = Coder("0123456789abcdef")
STEP = 1_000  # milliseconds a batch
LIVE = 10  # batches in a window

Element = tuple[int, int, int, int]
"""Key, value, start and end."""
Told = tuple[int, int]
"""How long all pieces last together, and the same weighted by what they say."""


# ---- data ------------------------------------------------------------------------------------


def arrivals(size: int, keys: str, number: int, side: int) -> np.ndarray[Any, Any]:
    """The elements of one batch, in the order of their starts."""
    random = np.random.default_rng([number, side, size])
    few = max(size // 10, 10)
    if keys == "uniform":
        key = random.integers(0, few, size)
    else:
        key = np.minimum(random.zipf(1.3, size) - 1, few - 1)
    start = number * STEP + np.sort(random.integers(0, STEP, size))
    return np.stack([key, random.integers(0, 1_000, size), start, start + LIVE * STEP])


def as_batch(rows: np.ndarray[Any, Any], value: Variable) -> Batch:
    """The same as columns of ids."""
    key, size, ts, te = (column.copy() for column in rows)
    return Batch({X: pack(INTEGER, 0, key), value: pack(INTEGER, 0, size)}, ts, te, Dictionary())


# ---- plain operators -------------------------------------------------------------------------


class Plain:
    """Takes one element after the other, and says what its pieces add up to."""

    def take(self, side: int, element: Element) -> Told:
        """An element, in the order of time."""
        raise TypeError(f"{type(self).__name__} takes no element")

    def end(self) -> Told:
        """What is still open, up to its end."""
        return 0, 0


@dataclass
class PlainJoin(Plain):
    """Krämer's symmetric join: a dict of lists a side, purged as they are met."""

    sides: tuple[dict[int, list[Element]], ...] = field(
        default_factory=lambda: (defaultdict(list), defaultdict(list))
    )

    def take(self, side: int, element: Element) -> Told:
        key, value, start, end = element
        mine, others = self.sides[side], self.sides[1 - side].get(key, [])
        others[:] = [other for other in others if other[3] > start]
        mine[key].append(element)
        spans = [(min(end, other[3]) - start, other[1]) for other in others]
        return sum(s for s, _ in spans), sum(s * (value + v) for s, v in spans)


@dataclass
class PlainLeftJoin(Plain):
    """Algorithms 4 and 5: every left element has a marker, up to when it has been emitted."""

    left: dict[int, list[list[int]]] = field(default_factory=lambda: defaultdict(list))
    right: dict[int, list[Element]] = field(default_factory=lambda: defaultdict(list))

    def take(self, side: int, element: Element) -> Told:
        key, value, start, end = element
        time, weight = 0, 0
        if side:
            kept = []
            for one in self.left[key]:
                v, mark, until = one
                if mark < start:  # a gap before the partner
                    gap = min(start, until) - mark
                    time, weight = time + gap, weight + gap * v
                    one[1] = min(start, until)
                if until > start:
                    span = min(until, end) - start
                    time, weight = time + span, weight + span * (v + value)
                    one[1] = max(one[1], min(until, end))
                    kept.append(one)
            self.left[key] = kept
            self.right[key].append(element)
            return time, weight
        mark = start
        partners = self.right[key] = [other for other in self.right[key] if other[3] > start]
        for _, other, _, until in partners:
            span = min(end, until) - start
            time, weight = time + span, weight + span * (value + other)
            mark = max(mark, min(end, until))
        self.left[key].append([value, mark, end])
        return time, weight

    def end(self) -> Told:
        rest = [(until - mark, v) for row in self.left.values() for v, mark, until in row]
        return sum(gap for gap, _ in rest), sum(gap * v for gap, v in rest)


class PlainGroup(Plain):
    """A dict of groups, a heap of ends; a piece between two events of a group."""

    def __init__(self, fold: Callable[[int, int, Any], int], values: Callable[[], Any]) -> None:
        self._fold = fold
        self._groups: dict[int, list[Any]] = {}  # count, sum, values, since when
        self._ends: list[tuple[int, int, int]] = []
        self._values = values

    def take(self, side: int, element: Element) -> Told:
        key, value, start, end = element
        told = self._until(start)
        group = self._groups.setdefault(key, [0, 0, self._values(), start])
        piece = self._piece(group, start)
        group[0], group[1] = group[0] + 1, group[1] + value
        insort(group[2], value) if group[2] is not None else None
        heapq.heappush(self._ends, (end, key, value))
        return told[0] + piece[0], told[1] + piece[1]

    def _until(self, time: int) -> Told:
        length, weight = 0, 0
        while self._ends and self._ends[0][0] <= time:
            end, key, value = heapq.heappop(self._ends)
            group = self._groups[key]
            piece = self._piece(group, end)
            length, weight = length + piece[0], weight + piece[1]
            group[0], group[1] = group[0] - 1, group[1] - value
            if group[2] is not None:
                group[2].remove(value)
            if not group[0]:
                del self._groups[key]
        return length, weight

    def _piece(self, group: list[Any], time: int) -> Told:
        span = time - group[3] if group[0] else 0
        group[3] = time
        return span, span * self._fold(group[0], group[1], group[2]) if span else 0

    def end(self) -> Told:
        return self._until(FOREVER)


@dataclass
class PlainDistinct(Plain):
    """A dict: until when a row is covered."""

    covered: dict[tuple[int, int], int] = field(default_factory=dict)

    def take(self, side: int, element: Element) -> Told:
        key, value, start, end = element
        begin = max(start, self.covered.get((key, value), 0))
        self.covered[key, value] = max(end, begin)
        return max(end - begin, 0), max(end - begin, 0) * value


class PlainTop(Plain):
    """A sorted list of what is valid, and a heap of ends."""

    def __init__(self, places: int) -> None:
        self._places = places
        self._sorted: list[tuple[int, int]] = []
        self._ends: list[tuple[int, int, int]] = []
        self._since = 0

    def take(self, side: int, element: Element) -> Told:
        key, value, start, end = element
        told = self._until(start)
        piece = self._piece(start)
        insort(self._sorted, (-value, key))
        heapq.heappush(self._ends, (end, -value, key))
        return told[0] + piece[0], told[1] + piece[1]

    def _until(self, time: int) -> Told:
        length, weight = 0, 0
        while self._ends and self._ends[0][0] <= time:
            end, value, key = heapq.heappop(self._ends)
            piece = self._piece(end)
            length, weight = length + piece[0], weight + piece[1]
            self._sorted.remove((value, key))
        return length, weight

    def _piece(self, time: int) -> Told:
        span, self._since = time - self._since, time
        first = self._sorted[: self._places]
        return span * len(first), span * sum(-value for value, _ in first)

    def end(self) -> Told:
        return self._until(FOREVER)


# ---- what is compared ------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """An operator of ours, a plain one, and how many inputs they have."""

    ours: Callable[[], Operator]
    plain: Callable[[], Plain]
    says: Callable[[Batch], Ids]
    sides: int = 1


def _made(plan: Any) -> Operator:
    return operator(plan, CODER, Timing(Cut((STEP,))))


def _numbers(*names: Variable) -> Callable[[Batch], Ids]:
    """What a row says: the sum of some columns, 0 where unbound."""

    def said(batch: Batch) -> Ids:
        found = [np.where(batch.column(v) == 0, 0, unpack(batch.column(v))[2]) for v in names]
        return np.sum(found, axis=0) if found else np.zeros(len(batch), np.int64)

    return said


def _group(*aggregates: Any) -> Operator:
    made = tuple(Binding(Variable(f"n{i}"), each) for i, each in enumerate(aggregates))
    return _made(Group((Binding(X, Ref(X)),), made, A))


def _top() -> Operator:
    plan = Slice(0, 10, Project((X, Y), OrderBy((SortKey(Ref(Y), True), SortKey(Ref(X))), A)))
    found = top(plan, [A])
    assert found is not None
    return _made(found)


CASES = {
    "join": Case(lambda: _made(Join(A, B)), PlainJoin, _numbers(Y, Z), 2),
    "left join": Case(lambda: _made(LeftJoin(A, B)), PlainLeftJoin, _numbers(Y, Z), 2),
    "COUNT, SUM, AVG": Case(
        lambda: _group(Count(), Sum(Ref(Y)), Avg(Ref(Y))),
        lambda: PlainGroup(lambda count, total, _: count + total, lambda: None),
        _numbers(Variable("n0"), Variable("n1")),
    ),
    "MIN, MAX": Case(
        lambda: _group(Min(Ref(Y)), Max(Ref(Y))),
        lambda: PlainGroup(lambda count, total, values: values[0] + values[-1], list),
        _numbers(Variable("n0"), Variable("n1")),
    ),
    "DISTINCT": Case(lambda: _made(Distinct(A)), PlainDistinct, _numbers(Y)),
    "top 10": Case(_top, lambda: PlainTop(10), _numbers(Y)),
}


def ours(case: Case, size: int, keys: str, steps: int) -> Iterator[tuple[float, Told]]:
    """Seconds of each step, and what its pieces add up to."""
    made, values = case.ours(), (Y, Z)
    for number in range(steps):
        batches = [
            as_batch(arrivals(size, keys, number, side), values[side]) for side in range(case.sides)
        ]
        last = number == steps - 1
        begin = time.perf_counter()
        told = [made.process(side, batch) for side, batch in enumerate(batches)]
        told.append(made.advance(FOREVER if last else (number + 1) * STEP)[0])
        spent = time.perf_counter() - begin
        pieces = Batch.concat(told)
        span = pieces.te - pieces.ts
        yield spent, (int(span.sum()), int((span * case.says(pieces)).sum()))


def theirs(case: Case, size: int, keys: str, steps: int) -> Iterator[tuple[float, Told]]:
    """The same by the plain operator."""
    made = case.plain()
    for number in range(steps):
        rows = [
            (*element, side)
            for side in range(case.sides)
            for element in arrivals(size, keys, number, side).T.tolist()
        ]
        rows.sort(key=lambda row: row[2])
        begin = time.perf_counter()
        length = weight = 0
        for key, value, start, end, side in rows:
            told = made.take(side, (key, value, start, end))
            length, weight = length + told[0], weight + told[1]
        if number == steps - 1:
            told = made.end()
            length, weight = length + told[0], weight + told[1]
        yield time.perf_counter() - begin, (length, weight)


def compared(case: Case, size: int, keys: str, steps: int, rounds: int) -> dict[str, float]:
    """Rows a second of both, and our worst step; what they tell must be the same."""
    spent: dict[str, list[float]] = {"ours": [], "plain": []}
    for _ in range(rounds):
        told = {"ours": [0, 0], "plain": [0, 0]}
        running = {"ours": ours(case, size, keys, steps), "plain": theirs(case, size, keys, steps)}
        for number in range(steps):
            for name, each in running.items():
                seconds, (length, weight) = next(each)
                told[name][0] += length
                told[name][1] += weight
                if LIVE <= number < steps - 1:
                    spent[name].append(seconds)
        assert told["ours"] == told["plain"], told
    medians = {name: statistics.median(times) for name, times in spent.items()}
    rows = size * case.sides
    return {
        "ours": rows / medians["ours"],
        "plain": rows / medians["plain"],
        "ratio": medians["plain"] / medians["ours"],
        "worst": max(spent["ours"]) / medians["ours"],
    }


# ---- closure ---------------------------------------------------------------------------------


def closures(size: int, steps: int) -> dict[str, float]:
    """Edges of a sliding graph: ours follows new ones, the other recomputes at every change."""
    nodes = size * 4
    path = Path(X, OneOrMore(Link(URIRef("p"))), Y, WINDOW)
    made = _made(Closure(X, Y, (X, Y), (path,)))
    live: list[tuple[int, int, int]] = []
    spent: dict[str, list[float]] = {"ours": [], "plain": []}
    for number in range(steps):
        random = np.random.default_rng(number)
        edge = np.stack([random.integers(0, nodes, size), random.integers(0, nodes, size)])
        ts = np.full(size, number * STEP)
        ids = pack(INTEGER, 0, edge)
        batch = Batch({X: ids[0], Y: ids[1]}, ts, ts + 3 * STEP, Dictionary())
        begin = time.perf_counter()
        made.process(0, batch)
        made.advance(number * STEP)
        spent["ours"].append(time.perf_counter() - begin)
        begin = time.perf_counter()
        live = [one for one in live if one[2] > number * STEP]
        for x, y in edge.T.tolist():
            live.append((x, y, (number + 3) * STEP))
            reached((x, y) for x, y, _ in live)
        spent["plain"].append(time.perf_counter() - begin)
    medians = {name: statistics.median(times[3:]) for name, times in spent.items()}
    return {
        "ours": size / medians["ours"],
        "plain": size / medians["plain"],
        "ratio": medians["plain"] / medians["ours"],
        "worst": max(spent["ours"][3:]) / medians["ours"],
    }


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


def main() -> None:
    """Compare every operator at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batches", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument("--keys", nargs="+", choices=["uniform", "power"], default=["uniform"])
    parser.add_argument("--operators", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="all figures as JSON, on the last line")
    arguments = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}

    def tell(what: str, found: dict[str, float]) -> None:
        figures[what] = found
        print(
            f"{what:36} ours {found['ours'] / 1e6:6.2f} M rows/s, plain"
            f" {found['plain'] / 1e6:6.3f} M: {found['ratio']:6.1f}x,"
            f" worst step {found['worst']:.1f}x the median",
            flush=True,
        )

    for keys in arguments.keys:
        for name in arguments.operators:
            for size in arguments.batches:
                found = compared(CASES[name], size, keys, arguments.steps, arguments.rounds)
                tell(f"{name}, {keys} keys, {size:,} rows", found)
    tell("closure, 100 edges a batch", closures(100, 12))
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
