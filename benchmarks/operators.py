"""Columnar operators beside plain ones, which take one element after the other.

    python benchmarks/operators.py [--batches 100 1000 10000] [--keys uniform power] [--json]

The same elements, in the order of time, go through the operator that askos runs and through a
plain one on dicts and heaps, as one would write it first.  A window holds ten batches.  Both must
tell the same: the pieces of each add up to the same time, weighted by what they say.  Plain
operators have plain numbers; where an answer is no integer, they write it as a term too.

Rows a second of each, medians of interleaved rounds, and their ratio; the worst step of ours
against its median step.  At the end a join that holds more and more elements, at equal pairs a row.
"""

from __future__ import annotations

import argparse
import gc
import heapq
import json
import statistics
import time
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
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
from askos.columns.ids import INTEGER, pack, unpack
from askos.columns.memory import keep_freed_memory
from askos.interval import FOREVER
from askos.physical.cut import Cut
from askos.physical.fragment import operator
from askos.physical.made import top
from askos.physical.nodes import Closure
from askos.physical.operator import Operator
from askos.physical.timing import Timing
from askos.terms import XSD, URIRef, Variable

X, Y, Z, N = (Variable(name) for name in "xyzn")
WINDOW = SlidingWindow(StreamAccess(URIRef("s")), 10, 1)
A, B = Pattern(X, URIRef("p"), Y, WINDOW), Pattern(X, URIRef("q"), Z, WINDOW)
CODER = Coder("0123456789abcdef")
STEP = 1_000  # milliseconds a batch
LIVE = 10  # batches in a window
UNIT = 10**18  # what answers are compared in

Element = tuple[int, int, int, int]
"""Key, value, start and end."""
Says = tuple[int | str, ...]
Piece = tuple[Any, ...]
"""A key, what is said of it, start and end."""
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


# ---- what is compared ------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """An operator of ours, a plain one, what their pieces say, and how many inputs they have."""

    ours: Callable[[], Operator]
    plain: Callable[[], Plain]
    says: tuple[Variable, ...]
    sides: int = 1


def _made(plan: Any) -> Operator:
    return operator(plan, CODER, Timing(Cut((STEP,))))


def weighed(batch: Batch, says: Iterable[Variable]) -> Told:
    """How long all pieces last, and what they say, each as long as it lasts."""
    span, weight = batch.te - batch.ts, 0
    for ids in map(batch.column, says):
        kind, _, value = unpack(ids)
        whole = kind == INTEGER
        weight += int((span * np.where(whole, value, 0)).sum()) * UNIT
        rest = np.flatnonzero(~whole & (ids != 0))
        texts = batch.dictionary.texts(ids[rest]).to_pylist()
        weight += sum(n * _size(text) for n, text in zip(span[rest].tolist(), texts, strict=True))
    return int(span.sum()), weight


def _size(text: str) -> int:
    return int(Decimal(text.split('"')[1]) * UNIT)


def weighed_plain(told: list[Piece]) -> Told:
    """The same of pieces one by one."""
    length = weight = 0
    for begin in range(0, len(told), 100_000):
        columns = list(zip(*told[begin : begin + 100_000], strict=True))
        span = np.array(columns[-1]) - np.array(columns[-2])
        length += int(span.sum())
        for said in columns[1:-2]:
            if isinstance(said[0], str):
                weight += sum(n * _size(text) for n, text in zip(span.tolist(), said, strict=True))
            else:
                weight += int((span * np.array(said)).sum()) * UNIT
    return length, weight


def _group(*aggregates: Any) -> Operator:
    made = tuple(Binding(Variable(f"n{i}"), each) for i, each in enumerate(aggregates))
    return _made(Group((Binding(X, Ref(X)),), made, A))


def _top() -> Operator:
    plan = Slice(0, 10, Project((X, Y), OrderBy((SortKey(Ref(Y), True), SortKey(Ref(X))), A)))
    found = top(plan, [A])
    assert found is not None
    return _made(found)


N0, N1, N2 = (Variable(f"n{number}") for number in range(3))
CASES = {
    "join": Case(lambda: _made(Join(A, B)), PlainJoin, (Y, Z), 2),
    "left join": Case(lambda: _made(LeftJoin(A, B)), PlainLeftJoin, (Y, Z), 2),
    "COUNT, SUM, AVG": Case(
        lambda: _group(Count(), Sum(Ref(Y)), Avg(Ref(Y))),
        lambda: PlainGroup(averaged, lambda: None),
        (N0, N1, N2),
    ),
    "MIN, MAX": Case(
        lambda: _group(Min(Ref(Y)), Max(Ref(Y))),
        lambda: PlainGroup(lambda count, total, values: (values[0], values[-1]), list),
        (N0, N1),
    ),
    "DISTINCT": Case(lambda: _made(Distinct(A)), PlainDistinct, (Y,)),
    "top 10": Case(_top, lambda: PlainTop(10), (Y,)),
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
        found = [weighed(pieces, case.says) for pieces in told]
        yield spent, (sum(length for length, _ in found), sum(weight for _, weight in found))


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
        made.told = []
        begin = time.perf_counter()
        for key, value, start, end, side in rows:
            made.take(side, (key, value, start, end))
        if number == steps - 1:
            made.end()
        spent = time.perf_counter() - begin
        yield spent, weighed_plain(made.told)


def compared(case: Case, size: int, keys: str, steps: int, rounds: int) -> dict[str, float]:
    """Rows a second of both, and our worst step; what they tell must be the same."""
    spent: dict[str, list[float]] = {"ours": [], "plain": []}
    for _ in range(rounds):
        gc.collect()
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


# ---- growth ----------------------------------------------------------------------------------


def growth(live: int, size: int, steps: int) -> dict[str, float]:
    """A join of which each side holds `live` elements: microseconds a row, and the worst step.
    There are as many keys as leave every row about ten partners."""
    made, begun = CASES["join"].ours(), live // size
    spent, pairs = [], 0
    for number in range(begun + steps):
        batches = [_filling(number, side, size, live) for side in (0, 1)]
        begin = time.perf_counter()
        told = [made.process(side, batch) for side, batch in enumerate(batches)]
        made.advance((number + 1) * STEP)
        if number >= begun:
            spent.append(time.perf_counter() - begin)
            pairs += sum(map(len, told))
    rows, median = 2 * size, statistics.median(spent)
    return {
        "microseconds": statistics.mean(spent) / rows * 1e6,
        "pairs": pairs / rows / steps,
        "worst": max(spent) / median,
    }


def _filling(number: int, side: int, size: int, live: int) -> Batch:
    random = np.random.default_rng([number, side, live])
    start = number * STEP + np.sort(random.integers(0, STEP, size))
    key, value = random.integers(0, live // 10, size), random.integers(0, 1_000, size)
    end = start + live // size * STEP
    return as_batch(np.stack([key, value, start, end]), (Y, Z)[side])


def main() -> None:
    """Compare every operator at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batches", type=int, nargs="+", default=[100, 1_000, 10_000])
    parser.add_argument(
        "--keys", nargs="+", choices=["uniform", "power"], default=["uniform", "power"]
    )
    parser.add_argument("--operators", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--live", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--json", action="store_true", help="all figures as JSON, on the last line")
    arguments = parser.parse_args()
    keep_freed_memory()  # as both hosts do
    gc.disable()  # a step is not to pay for what the benchmark itself has made
    figures: dict[str, dict[str, float]] = {}

    def tell(what: str, found: dict[str, float]) -> None:
        figures[what] = found
        print(
            f"{what:42} ours {found['ours'] / 1e6:6.2f} M rows/s, plain"
            f" {found['plain'] / 1e6:6.3f} M: {found['ratio']:6.1f}x,"
            f" worst step {found['worst']:.1f}x the median",
            flush=True,
        )

    for keys in arguments.keys:
        for name in arguments.operators:
            for size in arguments.batches:
                if keys == "power" and CASES[name].sides == 2 and size > 1_000:
                    continue  # half of all pairs are of one key: their number grows as its square
                rounds = arguments.rounds if size <= 1_000 else 1
                found = compared(CASES[name], size, keys, arguments.steps, rounds)
                tell(f"{name}, {keys} keys, {size:,} rows", found)
    tell("closure, 100 edges a batch", closures(100, 12))
    for live in arguments.live:
        grown = figures[f"join, {live:,} live"] = growth(live, 1_000, 100)
        print(
            f"join, 1,000 rows, {live:,} live elements a side: {grown['microseconds']:.2f} µs a row"
            f" at {grown['pairs']:.1f} pairs, worst step {grown['worst']:.1f}x the median",
            flush=True,
        )
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
