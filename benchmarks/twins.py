"""The ordered join and left join beside the columnar ones, batch by batch.

    python benchmarks/twins.py [--batches 1 5 10 15 20 30 50 100] [--partners 1 10] [--rounds 3]

The same elements go through both twins, which must tell the same.  A window holds ten batches, or
a thousand elements a side where that is more; every element has some partners at a time.  Rows a
second of processor time, since a busy machine interrupts long steps more often than short ones:
medians of steps that alternate between the twins, and their ratio.  `FEW` of
askos/physical/estimates.py is taken from it.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator

import numpy as np

from askos.algebra import Join, LeftJoin, Operator, Pattern, SlidingWindow, StreamAccess
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.ids import INTEGER, pack
from askos.interval import FOREVER
from askos.physical.arranging import Arranging
from askos.physical.choices import Choices, Chooser, Way
from askos.physical.cut import Cut
from askos.physical.estimates import FEW
from askos.physical.fragment import operator
from askos.physical.timing import Timing
from askos.terms import URIRef, Variable

X, Y, Z = (Variable(name) for name in "xyz")
WINDOW = SlidingWindow(StreamAccess(URIRef("s")), 10, 1)
A, B = Pattern(X, URIRef("p"), Y, WINDOW), Pattern(X, URIRef("q"), Z, WINDOW)
PLANS: dict[str, Operator] = {"join": Join(A, B), "left join": LeftJoin(A, B)}
CODER = Coder("0123456789abcdef")
STEP = 1_000  # milliseconds a batch
ORDERED = Arranging(frozenset(), Chooser(wanted=Choices((Way.ORDERED,))))


def batches(size: int, partners: int, steps: int, side: int) -> Iterator[Batch]:
    """Elements whose keys are IRIs, so many that each has `partners` at a time."""
    live = max(10, 1_000 // size) * size
    keys = max(live // partners, 1)
    random = np.random.default_rng([size, partners, side])
    for number in range(steps):
        names = [URIRef(f"http://wind.example/{key}") for key in random.integers(0, keys, size)]
        ids, texts = CODER.terms(names)
        start = number * STEP + random.integers(0, STEP, size)
        value = pack(INTEGER, 0, random.integers(0, 1_000, size))
        columns = {X: ids, (Y, Z)[side]: value}
        yield Batch(columns, start, start + live // size * STEP, texts)


def told(plan: Operator, size: int, partners: int, steps: int) -> Iterator[tuple[float, int]]:
    """Seconds of each step, and how long all its pieces last together."""
    made = operator(plan, CODER, Timing(Cut((STEP,))))
    sides = [batches(size, partners, steps, side) for side in (0, 1)]
    for number, (left, right) in enumerate(zip(*sides, strict=True), 1):
        begin = time.process_time()
        parts = [made.process(0, left), made.process(1, right)]
        parts.append(made.advance(FOREVER if number == steps else number * STEP)[0])
        spent = time.process_time() - begin
        yield spent, sum(int((part.te - part.ts).sum()) for part in parts)


def compared(plan: Operator, size: int, partners: int, rounds: int) -> tuple[float, float]:
    """Rows a second of the columnar and the ordered twin."""
    full = max(10, 1_000 // size)
    steps = full + 40
    spent: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        twins = (plan, ORDERED(plan))
        running = [told(each, size, partners, steps) for each in twins]
        lasting = [0, 0]
        for number in range(steps):
            for place, each in enumerate(running):
                seconds, length = next(each)
                lasting[place] += length
                if full <= number < steps - 1:
                    spent[place].append(seconds)
        assert lasting[0] == lasting[1], "the twins tell something else"
    columnar, ordered = (2 * size / statistics.median(times) for times in spent)
    return columnar, ordered


def main() -> None:
    """Compare the twins at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 5, 10, 15, 20, 30, 50, 100])
    parser.add_argument("--partners", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(f"rows of each side; the ordered twin is taken up to {FEW} rows of both")
    for name, plan in PLANS.items():
        for partners in arguments.partners:
            for size in arguments.batches:
                columnar, ordered = compared(plan, size, partners, arguments.rounds)
                print(
                    f"{name}, {partners} partners, {size:,} rows".ljust(36)
                    + f"columnar {columnar:10,.0f} rows/s, ordered {ordered:10,.0f}:"
                    + f" {ordered / columnar:5.2f}x",
                    flush=True,
                )


if __name__ == "__main__":
    main()
