"""A join of three inputs while selectivities swap: an order that adapts beside the fixed ones.

    python benchmarks/adaptive.py [--rows 10000] [--steps 40] [--rounds 5] [--json]

Readings of turbines, and two kinds of events, of which one has few partners among the readings and
the other many; in the middle of the run they change places.  The same batches go through the three
left-deep orders of binary joins, and through the adaptive join, which must find as many
combinations.  Steps alternate between the plans; medians of the processor time of a step in each
half, with windows full, and how the adaptive join compares with the better fixed order there.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from askos.algebra import Join, Operator, Pattern, SlidingWindow, StreamAccess
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.ids import INTEGER, Ids, pack
from askos.columns.vocabulary import vocabulary
from askos.physical.cut import Cut
from askos.physical.fragment import Fragment
from askos.physical.nodes import AdaptiveJoin
from askos.physical.plan import Port, Stage
from askos.physical.timing import Timing
from askos.terms import URIRef, Variable

X = Variable("x")
VALUES = [Variable(name) for name in ("reading", "alarm", "order")]
WINDOW = SlidingWindow(StreamAccess(URIRef("s")), 10, 1)
INPUTS = [Pattern(X, URIRef(name), Variable(name), WINDOW) for name in VALUES]
PORTS = [Port(n, tuple(sorted(i.variables)), (X,), False) for n, i in enumerate(INPUTS)]
CODER = Coder("0123456789abcdef")
STEP, HELD = 1_000, 10  # milliseconds a batch, and batches that a window holds
ORDERS = {"reading ⋈ alarm ⋈ order": (0, 1, 2), "reading ⋈ order ⋈ alarm": (0, 2, 1)}
ORDERS |= {"alarm ⋈ order ⋈ reading": (1, 2, 0)}
ADAPTIVE = "adaptive"


def plans() -> Mapping[str, Operator]:
    """All plans, by name."""
    fixed = {name: Join(Join(PORTS[a], PORTS[b]), PORTS[c]) for name, (a, b, c) in ORDERS.items()}
    return {**fixed, ADAPTIVE: AdaptiveJoin(tuple(PORTS))}


def fragment(plan: Operator) -> Fragment:
    """A stage of nothing but these joins, in one bucket."""
    return Fragment(Stage(0, (X,), plan, (), ()), CODER, Timing(Cut((1,))))


def batches(rows: int, steps: int) -> Iterator[dict[int, Batch]]:
    """Of each input: events of every fiftieth turbine, and two of each, change places."""
    random = np.random.default_rng(1)
    turbines = HELD * rows // 4
    ids, texts = CODER.terms(URIRef(f"http://wind.example/T{n}") for n in range(turbines))
    texts = vocabulary(CODER).adopt(texts)
    rare, often = ids[: turbines // 50], ids

    def made(place: int, number: int, subjects: Ids, count: int) -> Batch:
        start = number * STEP + random.integers(0, STEP, count)
        value = pack(INTEGER, 0, random.integers(0, 1_000, count))
        columns = {X: random.choice(subjects, count), VALUES[place]: value}
        return Batch(columns, start, start + HELD * STEP, texts).compact()

    for number in range(steps):
        few, many = (1, 2) if number < steps // 2 else (2, 1)
        yield {
            0: made(0, number, often, rows),
            few: made(few, number, rare, rows // 50),
            many: made(many, number, often, rows),
        }


def spent(rows: int, steps: int) -> dict[str, list[float]]:
    """Seconds of every step of every plan."""
    running = {name: fragment(plan) for name, plan in plans().items()}
    found: dict[str, list[float]] = {name: [] for name in running}
    for number, given in enumerate(batches(rows, steps)):
        told = set()
        for name, made in running.items():
            begin = time.process_time()
            told.add(len(made.step(given, number * STEP)[0]))
            found[name].append(time.process_time() - begin)
        assert len(told) == 1, "the plans find something else"
    return found


def halves(steps: int) -> Sequence[slice]:
    """The steps of each half in which windows hold nothing of the other one."""
    middle = steps // 2
    return slice(HELD, middle), slice(middle + HELD, steps)


def main() -> None:
    """Compare the plans in both halves."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rounds = [spent(arguments.rows, arguments.steps) for _ in range(arguments.rounds)]
    print(f"{arguments.rows:,} readings a batch; milliseconds a step, medians")
    ratios = {}
    for half, steps in zip(("first", "second"), halves(arguments.steps), strict=True):
        medians = {
            name: 1_000 * statistics.median([s for one in rounds for s in one[name][steps]])
            for name in plans()
        }
        for name, milliseconds in medians.items():
            print(f"{half} half".ljust(14) + name.ljust(28) + f"{milliseconds:8.1f} ms")
        best = min(milliseconds for name, milliseconds in medians.items() if name != ADAPTIVE)
        ratios[f"{half}_half"] = round(medians[ADAPTIVE] / best, 3)
        print(
            f"{half} half: adaptive takes {ratios[f'{half}_half']:.2f}x of the better fixed order"
        )
    if arguments.json:
        print(json.dumps(ratios))


if __name__ == "__main__":
    main()
