"""Many queries over one stream, on the local driver and on Spark.

    python benchmarks/multi_query.py [--queries 1 10 100 1000] [--hosts local spark] [--json]

Queries of one template, each about a turbine of its own: its readings above a limit; or how many
there are, and their mean, every second.  There are as many turbines as queries, so every triple
matches one of them, or two: the last two queries ask the same.  Then 100 queries that differ in
more than constants, of which every triple matches one.  And eight that do different things with one
join, over eight with a join for each.

Strings in to strings out: microseconds a triple, medians of batches in interleaved rounds, and the
cost of a triple for many queries over that for one.  On Spark a triple has its share of what every
micro-batch costs, which is most of it unless `--spark-rows` are many.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from askos import spark as host
from askos.local import Engine
from askos.sources import Catalogue
from askos.spark.measuring import reports
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
JOIN = """FROM STREAM :wind WINDOW RANGE 10 SECOND SLIDE
    WHERE {{ ?t :speed ?{v} . ?t :power ?{w} {more} }} {tail}"""
TOPS = (
    ("*", "", ""),
    ("?t ?{v}", "FILTER (?{v} > ?{w})", ""),
    ("?t ?{w}", "FILTER (?{v} < ?{w})", ""),
    ("?t (MAX(?{v} - ?{w}) AS ?most)", "", "GROUP BY ?t"),
    ("?t (MIN(?{v} - ?{w}) AS ?least)", "", "GROUP BY ?t"),
    ("(MAX(?{v} * ?{w}) AS ?top)", "", ""),
    ("*", "OPTIONAL {{ ?t :alarm ?a }}", ""),
    ("*", "MINUS {{ ?t :alarm ?a }}", ""),
)
DIFFERENT = 100
WARM = 12  # batches until the window is full
_BEGIN = 4  # micro-batches that start workers


def alike(template: str, count: int) -> Mapping[str, str]:
    """Queries that differ in constants only; the last two ask the same."""
    numbers = [*range(count - 1), max(count - 2, 0)]
    return {f"q{place}": template.format(n) for place, n in enumerate(numbers)}


def different(count: int) -> Mapping[str, str]:
    """Queries with windows of their own."""
    return {f"q{n}": OTHERS.format(number=n, range=n + 1) for n in range(count)}


def over_one_join(*, shared: bool) -> Mapping[str, str]:
    """Queries over pairs of readings: by the same names, or each by its own."""
    made = dict[str, str]()
    for place, (head, more, tail) in enumerate(TOPS):
        names = {"v": "v", "w": "w"} if shared else {"v": f"v{place}", "w": f"w{place}"}
        join = JOIN.format(**names, more=more.format(**names), tail=tail)
        made[f"q{place}"] = f"{HEAD}{head.format(**names)} {join}"
    return made


def rows(number: int, turbines: int, size: int, predicates: Sequence[str] = ("speed",)) -> pa.Table:
    """A second of readings."""
    random = np.random.default_rng([number, turbines])
    turbine, value = random.integers(0, turbines, size), random.integers(0, 1_000, size)
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    return pa.table(
        {
            "s": [f"<{NS}T{n}>" for n in turbine.tolist()],
            "p": [f"<{NS}{predicates[n % len(predicates)]}>" for n in range(size)],
            "o": [f'"{n}"^^<{integer}>' for n in value.tolist()],
            "ts": np.sort(number * 1_000 + random.integers(0, 1_000, size)),
        }
    )


class Local:
    """Queries in the local driver, batch by batch."""

    def __init__(self, queries: Mapping[str, str], given: Callable[[int], pa.Table]) -> None:
        self._engine = Engine(sources=Catalogue().stream(WIND))
        self._engine.register_all(queries)
        self._given, self._number = given, 0
        self.steps(WARM)

    def steps(self, batches: int) -> list[float]:
        """Seconds of each batch, of the processor: whatever else runs matters little."""
        return [self._step() for _ in range(batches)]

    def _step(self) -> float:
        given = self._given(self._number)
        self._number += 1
        begin = time.process_time()
        self._engine.push(WIND, given)
        list(self._engine.take_tables())
        return time.process_time() - begin


class OnSpark:
    """Queries as one of Spark's, a Parquet file for each micro-batch."""

    def __init__(
        self, session: SparkSession, queries: Mapping[str, str], folder: Path, size: int
    ) -> None:
        self._session, self._queries, self._folder = session, queries, folder
        self._rows = readings(len(queries), size)
        self._rounds = 0

    def steps(self, batches: int) -> list[float]:
        """Seconds of each micro-batch, in a query of its own, but for the first ones."""
        folder = self._folder / str(self._rounds)
        self._rounds += 1
        (folder / "wind").mkdir(parents=True)
        for number in range(_BEGIN + batches):
            pq.write_table(self._rows(number), folder / "wind" / f"{number:04}.parquet")
        frame = host.parquet(self._session, folder / "wind", files_per_trigger=1)
        sink, checkpoint = host.Parquet(folder / "answers"), folder / "checkpoint"
        known = Catalogue().stream(WIND)
        query = host.start(
            self._session, self._queries, {WIND: frame}, sink, checkpoint, sources=known
        )
        host.drain(query)
        query.stop()
        found = [p["durationMs"]["triggerExecution"] for p in reports(query, -1)]
        return [ms / 1000 for ms in found[_BEGIN : _BEGIN + batches]]


def measured(runs: Mapping[str, Local | OnSpark], rounds: int, batches: int) -> dict[str, float]:
    """Seconds of a batch of each, the median of all rounds, which take turns."""
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            spent[name] += run.steps(batches)
    return {name: statistics.median(times) for name, times in spent.items()}


def told(what: str, found: Mapping[str, float], size: int) -> dict[str, float]:
    """Print what was found; the cost for many queries over that for one."""
    one = next(iter(found.values()))
    for many, seconds in found.items():
        print(
            f"{what}, {many:>9} queries: {seconds / size * 1e6:7.2f} µs a triple,"
            f" {seconds / one:5.1f}x",
            flush=True,
        )
    return {many: seconds / one for many, seconds in found.items()}


def on_local(numbers: Sequence[int], size: int, rounds: int) -> dict[str, float]:
    """Figures of the local driver."""
    figures: dict[str, float] = {}
    for name, template in TEMPLATES.items():
        runs = {f"{n}": Local(alike(template, n), readings(n, size)) for n in numbers}
        if name == "readings":
            runs["different"] = Local(different(DIFFERENT), readings(DIFFERENT, size))
        found = told(f"local, {name}", measured(runs, rounds, 10), size)
        figures |= {f"local_{name}_{many}": ratio for many, ratio in found.items()}
    return figures


def readings(queries: int, size: int) -> Callable[[int], pa.Table]:
    """What comes in each second, of as many turbines as there are queries but for one."""
    return partial(rows, turbines=max(queries - 1, 1), size=size)


def over_joins(size: int, rounds: int) -> dict[str, float]:
    """Figures of the local driver for queries that have a join in common."""
    pairs = partial(rows, turbines=2_000, size=size, predicates=("speed", "power"))
    runs = {
        name: Local(over_one_join(shared=shared), pairs)
        for name, shared in (("apart", False), ("one join", True))
    }
    found = told(f"local, {len(TOPS)} over pairs", measured(runs, rounds, 10), size)
    return {"local_one_join": found["one join"]}


def on_spark(numbers: Sequence[int], size: int, rounds: int) -> dict[str, float]:
    """Figures of Spark."""
    session, figures = host.session(), dict[str, float]()
    with TemporaryDirectory() as folder:
        for name, template in TEMPLATES.items():
            # A run takes a quarter of a minute: of the second template, the ends will do.
            wanted = numbers if name == "readings" else sorted({numbers[0], numbers[-1]})
            runs = {
                f"{n}": OnSpark(session, alike(template, n), Path(folder, name, str(n)), size)
                for n in wanted
            }
            found = told(f"spark, {name}", measured(runs, rounds, 12), size)
            figures |= {f"spark_{name}_{many}": ratio for many, ratio in found.items()}
    session.stop()
    return figures


def main() -> None:
    """Compare every number of queries."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--queries", type=int, nargs="+", default=[1, 10, 100, 1_000])
    parser.add_argument("--rows", type=int, default=1_000, help="triples a batch, locally")
    parser.add_argument("--spark-rows", type=int, default=10_000, help="triples a micro-batch")
    parser.add_argument(
        "--hosts", nargs="+", choices=["local", "spark"], default=["local", "spark"]
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="all figures as JSON, on the last line")
    arguments = parser.parse_args()
    figures: dict[str, float] = {}
    if "local" in arguments.hosts:
        figures |= on_local(arguments.queries, arguments.rows, arguments.rounds)
        figures |= over_joins(arguments.rows, arguments.rounds)
    if "spark" in arguments.hosts:
        figures |= on_spark(arguments.queries, arguments.spark_rows, arguments.rounds)
    for where in arguments.hosts if 1_000 in arguments.queries else ():  # the headline: readings
        figures[f"{where}_1000"] = figures[f"{where}_readings_1000"]
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
