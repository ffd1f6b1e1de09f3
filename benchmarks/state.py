"""Whether state stays bounded: many elements through operators that keep some.

    python benchmarks/state.py [--elements 1000000] [--operators distinct closure]

Elements come in batches, 100,000 are valid at a time, each for a second to twenty.  Their subjects
are named after the time, so that names come and go as elements do.  About a hundred times a run:

- *valid*: how many elements that have come are valid;
- *needed*: how many of those that the operator keeps are valid;
- *kept*: how many it keeps, as it would store them; it forgets the others by and by;
- the memory of the process, which runs this operator and nothing else.

After a tenth of the run *kept* must be within 1.3 times *needed*, and the memory of the last third
within 1.1 times that of the third before.  Progress on the error output, then a table.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra import (
    Distinct,
    LeftJoin,
    OrderBy,
    Path,
    Pattern,
    Project,
    Ref,
    Slice,
    SlidingWindow,
    SortKey,
    StreamAccess,
)
from askos.algebra.operators.paths import Link, OneOrMore
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.ids import INTEGER, Ids, pack
from askos.physical.cut import Cut
from askos.physical.fragment import operator
from askos.physical.made import top
from askos.physical.nodes import Closure
from askos.physical.operator import Operator
from askos.physical.timing import Timing
from askos.terms import URIRef, Variable

X, Y, Z = (Variable(name) for name in "xyz")
WINDOW = SlidingWindow(StreamAccess(URIRef("s")), 10, 1)
A, B = Pattern(X, URIRef("p"), Y, WINDOW), Pattern(X, URIRef("q"), Z, WINDOW)
CODER = Coder("0123456789abcdef")
STEP = 1_000  # milliseconds a batch
ROWS = 10_000  # a batch
LONGEST = 20  # steps that an element is valid
SAMPLES = 100
KEPT, GROWN = 1.3, 1.1


@dataclass(frozen=True)
class Sample:
    """What is there after some elements, in elements and bytes."""

    elements: int
    valid: int
    needed: int
    kept: int
    memory: int


# ---- operators -------------------------------------------------------------------------------


def _made(plan: Any) -> Operator:
    return operator(plan, CODER, Timing(Cut((STEP,))))


def _top() -> Operator:
    plan = Slice(0, 10, Project((X, Y), OrderBy((SortKey(Ref(Y), True), SortKey(Ref(X))), A)))
    found = top(plan, [A])
    assert found is not None
    return _made(found)


def _closure() -> Operator:
    path = Path(X, OneOrMore(Link(URIRef("p"))), Y, WINDOW)
    return _made(Closure(X, Y, (X, Y), (path,)))


@dataclass(frozen=True)
class Case:
    """An operator, the values of its inputs, how many names are new in a step, and whether values
    are names too."""

    make: Callable[[], Operator]
    values: tuple[Variable, ...] = (Y,)
    fresh: int = ROWS // 4
    named: bool = False


CASES = {
    "left join": Case(lambda: _made(LeftJoin(A, B)), (Y, Z)),
    "distinct": Case(lambda: _made(Distinct(A))),
    "top 10": Case(_top),
    "closure": Case(_closure, fresh=3 * ROWS, named=True),  # paths are short
}


# ---- elements --------------------------------------------------------------------------------


def names(case: Case, number: int, random: np.random.Generator, count: int) -> tuple[Ids, Any]:
    """IRIs of a step and of the one before."""
    places = (number - random.integers(0, 2, count)) * case.fresh
    texts = pc.cast(pa.array(places + random.integers(0, case.fresh, count)), pa.string())
    return CODER.encode(pc.binary_join_element_wise("<http://wind.example/", texts, ">", ""))


def arrivals(case: Case, number: int, side: int) -> Batch:
    """The elements of one step."""
    random, count = np.random.default_rng([number, side]), ROWS // len(case.values)
    subjects, texts = names(case, number, random, count)
    values = pack(INTEGER, 0, random.integers(0, 4, count))
    if case.named:
        values, more = names(case, number, random, count)
        texts |= more
    start = number * STEP + random.integers(0, STEP, count)
    end = start + random.integers(1, LONGEST + 1, count) * STEP
    return Batch({X: subjects, case.values[side]: values}, start, end, texts)


def samples(name: str, elements: int) -> Iterator[Sample]:
    """Run an operator; what is there from time to time."""
    case = CASES[name]
    made, steps, ends = case.make(), max(elements // ROWS, SAMPLES), list[Ids]()
    pause = steps // SAMPLES | 1  # odd: not in step with what happens every twenty seconds
    for number in range(steps):
        batches = [arrivals(case, number, side) for side in range(len(case.values))]
        for side, batch in enumerate(batches):
            made.process(side, batch)
        made.advance((number + 1) * STEP)
        ends = [*ends, *(batch.te for batch in batches)][-LONGEST * len(batches) :]
        if number % pause == 0:
            yield sample((number + 1) * ROWS, (number + 1) * STEP, made, ends)


def sample(elements: int, time: int, made: Operator, ends: list[Ids]) -> Sample:
    """What is there at `time`."""
    runs = made.snapshot().runs.values()
    return Sample(
        elements,
        sum(int((end > time).sum()) for end in ends),
        sum(int((run.te > time).sum()) for run in runs),
        sum(len(run) for run in runs),
        memory(),
    )


def memory() -> int:
    """Bytes of this process that are in memory now."""
    with open("/proc/self/status", encoding="ascii") as status:
        (line,) = (line for line in status if line.startswith("VmRSS:"))
    return int(line.split()[1]) * 1024


# ---- what is told ----------------------------------------------------------------------------


def run(name: str, elements: int) -> list[Sample]:
    """All samples of an operator, told as they come."""
    found = []
    for number, one in enumerate(samples(name, elements), 1):
        found.append(one)
        if number % (SAMPLES // 10) == 0:
            print(
                f"{name}: {one.elements:,} elements, {one.kept:,} kept, {one.needed:,} needed,"
                f" {one.memory / 1e6:,.0f} MB",
                file=sys.stderr,
                flush=True,
            )
    return found


def told(name: str, found: list[Sample]) -> bool:
    """A line of the table; whether state stayed within its bounds."""
    warm = found[len(found) // 10 :]
    ratios = [one.kept / max(one.needed, 1) for one in warm]
    third = len(found) // 3
    before, after = (max(s.memory for s in part) for part in (found[third:-third], found[-third:]))
    last = warm[-1]
    bounded = max(ratios) <= KEPT and after <= GROWN * before
    print(
        f"{name:10}{last.elements:>12,}{last.valid:>9,}{last.needed:>9,}{last.kept:>9,}"
        f"{sum(ratios) / len(ratios):>7.2f}{max(ratios):>7.2f}"
        f"{before / 1e6:>8,.0f} MB{after / 1e6:>6,.0f} MB  {'bounded' if bounded else 'GROWS'}",
        flush=True,
    )
    return bounded


def main() -> int:
    """Run each operator in a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--elements", type=int, default=1_000_000)
    parser.add_argument("--operators", nargs="+", choices=CASES, default=list(CASES))
    arguments = parser.parse_args()
    print(f"{'':49}   kept/needed   memory of the thirds")
    print(f"{'':10}{'elements':>12}{'valid':>9}{'needed':>9}{'kept':>9}", end="")
    print(f"{'mean':>7}{'worst':>7}{'second':>11}{'last':>9}")
    fresh = multiprocessing.get_context("spawn")
    bounded = True
    for name in arguments.operators:
        with ProcessPoolExecutor(1, fresh) as process:
            bounded &= told(name, process.submit(run, name, arguments.elements).result())
    return 0 if bounded else 1


if __name__ == "__main__":
    sys.exit(main())
