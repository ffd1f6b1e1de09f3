"""Many queries over one stream, on the local driver and on Spark.

    python benchmarks/multi_query.py [--queries 1 10 100 1000] [--rows 1000] [--rounds 3] [--json]

Queries of one template, each about a turbine of its own: its readings above a limit; or how many
there are, and their mean, every second.  There are as many turbines as queries, so every triple
matches one of them, or two: the last two queries ask the same.  Then 100 queries that differ in
more than constants, of which every triple matches one.

Strings in to strings out: microseconds a triple, medians of batches in interleaved rounds, and the
cost of a triple for many queries over that for one.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from askos.local import Engine
from askos.sources import Catalogue
from askos.terms import URIRef

NS = "http://wind.example/"
WIND = URIRef(f"{NS}wind")
HEAD = f"PREFIX : <{NS}> SELECT "
TEMPLATES = {
    "readings": HEAD
    + """?v FROM STREAM :wind WINDOW RANGE 10 SECOND SLIDE
        WHERE {{ :T{} :speed ?v FILTER (?v > 500) }}""",
    "means": HEAD
    + """(COUNT(*) AS ?n) (AVG(?v) AS ?mean) FROM STREAM :wind [RANGE 10s STEP 1s]
        WHERE {{ :T{} :speed ?v }}""",
}
OTHERS = (
    HEAD
    + """?v FROM STREAM :wind WINDOW RANGE {range} SECOND SLIDE
    WHERE {{ :T{number} :speed ?v FILTER (?v > 500) }}"""
)
DIFFERENT = 100
WARM = 12  # batches until the window is full


def alike(template: str, count: int) -> Mapping[str, str]:
    """Queries that differ in constants only; the last two ask the same."""
    numbers = [*range(count - 1), max(count - 2, 0)]
    return {f"q{place}": template.format(n) for place, n in enumerate(numbers)}


def different(count: int) -> Mapping[str, str]:
    """Queries with windows of their own."""
    return {f"q{n}": OTHERS.format(number=n, range=n + 1) for n in range(count)}


def rows(number: int, turbines: int, size: int) -> pa.Table:
    """A second of readings."""
    random = np.random.default_rng([number, turbines])
    turbine, value = random.integers(0, turbines, size), random.integers(0, 1_000, size)
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    return pa.table(
        {
            "s": [f"<{NS}T{n}>" for n in turbine.tolist()],
            "p": [f"<{NS}speed>"] * size,
            "o": [f'"{n}"^^<{integer}>' for n in value.tolist()],
            "ts": np.sort(number * 1_000 + random.integers(0, 1_000, size)),
        }
    )


class Local:
    """Queries in the local driver, batch by batch."""

    def __init__(self, queries: Mapping[str, str], size: int) -> None:
        self._engine = Engine(sources=Catalogue().stream(WIND))
        self._engine.register_all(queries)
        self._turbines, self._size, self._number = max(len(queries) - 1, 1), size, 0
        for _ in range(WARM):
            self.step()

    def step(self) -> float:
        """Seconds of a batch."""
        given = rows(self._number, self._turbines, self._size)
        self._number += 1
        begin = time.perf_counter()
        self._engine.push(WIND, given)
        list(self._engine.take_tables())
        return time.perf_counter() - begin


def measured(runs: Mapping[str, Local], rounds: int, batches: int) -> dict[str, float]:
    """Seconds of a batch of each, the median of all rounds, which take turns."""
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            spent[name] += [run.step() for _ in range(batches)]
    return {name: statistics.median(times) for name, times in spent.items()}


def main() -> None:
    """Compare every number of queries."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--queries", type=int, nargs="+", default=[1, 10, 100, 1_000])
    parser.add_argument("--rows", type=int, default=1_000, help="triples a batch")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="all figures as JSON, on the last line")
    arguments = parser.parse_args()
    figures: dict[str, float] = {}
    for name, template in TEMPLATES.items():
        runs = {f"{n}": Local(alike(template, n), arguments.rows) for n in arguments.queries}
        if name == "readings":
            runs["different"] = Local(different(DIFFERENT), arguments.rows)
        found = measured(runs, arguments.rounds, 10)
        one = next(iter(found.values()))
        for many, seconds in found.items():
            figures[f"local_{name}_{many}"] = seconds / one
            print(
                f"local, {name}, {many:>9} queries: {seconds / arguments.rows * 1e6:7.2f} µs"
                f" a triple, {seconds / one:5.1f}x"
            )
    figures["local_1000"] = figures.get("local_readings_1000", 0.0)
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
