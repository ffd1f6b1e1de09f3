"""A group over a join: by partial groups of both sides, beside a group of the pairs.

    python benchmarks/products.py [--rows 1000 10000] [--partners 1 2 4 16] [--json]

AVG by the join's key.  A window holds ten batches; a row finds about as many partners as is said.
Milliseconds a batch, medians of interleaved steps after the first window.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable

import numpy as np

from askos.algebra import Avg, Binding, Group, Join, Pattern, Ref, SlidingWindow, StreamAccess
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.ids import INTEGER, pack
from askos.physical.cut import Cut
from askos.physical.factoring import factored
from askos.physical.fragment import operator
from askos.physical.nodes import Products
from askos.physical.timing import Timing
from askos.terms import URIRef, Variable

X, Y, Z, N = (Variable(name) for name in "xyzn")
WINDOW = SlidingWindow(StreamAccess(URIRef("s")), 10, 1)
A, B = Pattern(X, URIRef("p"), Y, WINDOW), Pattern(X, URIRef("q"), Z, WINDOW)
CODER = Coder("0123456789abcdef")
STEP = 1_000  # milliseconds a batch
LIVE = 10  # batches in a window
STEPS = 2 * LIVE
PLAN = Group((Binding(X, Ref(X)),), (Binding(N, Avg(Ref(Y))),), Join(A, B))
Way = Callable[[list[Batch], int], Batch]


def by_products() -> Way:
    """Both sides by themselves."""
    found = factored(PLAN)
    assert found is not None
    plan = Products((X,), PLAN.aggregates, found.shared, found.inputs)
    made = operator(plan, CODER, Timing(Cut((STEP,))))

    def step(sides: list[Batch], watermark: int) -> Batch:
        for port, side in enumerate(sides):
            made.process(port, side)
        return made.advance(watermark)[0]

    return step


def by_pairs() -> Way:
    """The join, and a group of what it gives."""
    join, group = (operator(plan, CODER, Timing(Cut((STEP,)))) for plan in (Join(A, B), PLAN))

    def step(sides: list[Batch], watermark: int) -> Batch:
        group.process(0, Batch.concat([join.process(n, side) for n, side in enumerate(sides)]))
        join.advance(watermark)
        return group.advance(watermark)[0]

    return step


def arrivals(rows: int, partners: int, number: int) -> list[Batch]:
    """A batch of each side; all of its elements begin together, as under a periodic report."""
    made = []
    for side, value in enumerate((Y, Z)):
        random = np.random.default_rng([number, side])
        keys = random.integers(0, max(rows * LIVE // partners, 1), rows)
        start = np.full(rows, number * STEP)
        columns = {
            X: pack(INTEGER, 0, keys),
            value: pack(INTEGER, 0, random.integers(0, 999, rows)),
        }
        made.append(Batch(columns, start, start + LIVE * STEP, Dictionary()))
    return made


def compared(rows: int, partners: int) -> dict[str, float]:
    """Milliseconds of each way; they must tell the same, weighed by how long it holds."""
    ways = {"products": by_products(), "pairs": by_pairs()}
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(STEPS):
        sides, told = arrivals(rows, partners, number), []
        for name, step in ways.items():
            begin = time.perf_counter()
            pieces = step(sides, (number + 1) * STEP)
            spent[name].append(time.perf_counter() - begin)
            span = pieces.te - pieces.ts
            told.append((int(span.sum()), int((span * (pieces.column(N) % 1009)).sum())))
        assert told[0] == told[1], told
    return {name: statistics.median(times[LIVE:]) * 1_000 for name, times in spent.items()}


def main() -> None:
    """Compare at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--partners", type=int, nargs="+", default=[1, 2, 4, 16])
    parser.add_argument("--json", action="store_true", help="all figures as JSON, on the last line")
    arguments = parser.parse_args()
    figures: dict[str, float] = {}
    for rows in arguments.rows:
        for partners in arguments.partners:
            found = compared(rows, partners)
            ratio = figures[f"{rows} rows, {partners} partners"] = (
                found["pairs"] / found["products"]
            )
            print(
                f"{rows:>6,} rows a side, {partners:>2} partners a row: products"
                f" {found['products']:6.2f} ms, pairs {found['pairs']:7.2f} ms: {ratio:5.2f}x",
                flush=True,
            )
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
