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
import json
import statistics
import time
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
from askos.terms import URIRef, Variable
from benchmarks.plain import (
    UNIT,
    Piece,
    Plain,
    PlainClosure,
    PlainDistinct,
    PlainGroup,
    PlainJoin,
    PlainLeftJoin,
    PlainTop,
    averaged,
)

X, Y, Z, N = (Variable(name) for name in "xyzn")
WINDOW = SlidingWindow(StreamAccess(URIRef("s")), 10, 1)
A, B = Pattern(X, URIRef("p"), Y, WINDOW), Pattern(X, URIRef("q"), Z, WINDOW)
CODER = Coder("0123456789abcdef")
STEP = 1_000  # milliseconds a batch
LIVE = 10  # batches in a window

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


def edges(size: int, keys: str, number: int, side: int) -> np.ndarray[Any, Any]:
    """Edges between nodes, each valid for three steps: few of them make long paths."""
    random = np.random.default_rng(number)
    start = number * STEP + np.sort(random.integers(0, STEP, size))
    x, y = random.integers(0, 4 * size, (2, size))
    return np.stack([x, y, start, start + 3 * STEP])


def as_batch(rows: np.ndarray[Any, Any], value: Variable) -> Batch:
    """The same as columns of ids."""
    key, size, ts, te = (column.copy() for column in rows)
    return Batch({X: pack(INTEGER, 0, key), value: pack(INTEGER, 0, size)}, ts, te, Dictionary())


# ---- what is compared ------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """An operator of ours, a plain one, what their pieces say, how many inputs they have, and what
    comes."""

    ours: Callable[[], Operator]
    plain: Callable[[], Plain]
    says: tuple[Variable, ...]
    sides: int = 1
    arrivals: Callable[[int, str, int, int], np.ndarray[Any, Any]] = arrivals


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
PATH = Path(X, OneOrMore(Link(URIRef("p"))), Y, WINDOW)
CLOSURE = Case(lambda: _made(Closure(X, Y, (X, Y), (PATH,))), PlainClosure, (Y,), arrivals=edges)


def ours(case: Case, size: int, keys: str, steps: int) -> Iterator[tuple[float, Told]]:
    """Seconds of each step, and what its pieces add up to."""
    made, values = case.ours(), (Y, Z)
    for number in range(steps):
        batches = [
            as_batch(case.arrivals(size, keys, number, side), values[side])
            for side in range(case.sides)
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
            for element in case.arrivals(size, keys, number, side).T.tolist()
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
    found = compared(CLOSURE, 100, "", arguments.steps, arguments.rounds)
    tell("closure, 100 edges a batch", found)
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
