"""What elements cost whose end is not known: of count windows, and of reloadable graphs.

    python benchmarks/pieces.py [--sizes 1000 100000] [--json]

Readings of a second are joined with the last `size` settings of a stream of their own (`count`),
or with as many static triples that may be reloaded (`reloadable`).  A handful of settings comes
each second, and the graph is never reloaded; so little changes from one cut to the next, whatever
is live.  With static triples that hold always (`static`), it is what the readings cost alone.  The
same readings come whatever the size, of turbines half of which have a setting.

The others say the same of an OPTIONAL (`optional`), of NOT EXISTS (`absent`), and of the mean of
the last settings of each of a hundred turbines, with a handful (`mean`) or a thousand (`busy`) new
ones a second.

Milliseconds a step of one second on the local driver, the median and the worst; all sizes of a case
take turns.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from askos.local import Engine
from askos.sources import Catalogue
from askos.terms import Literal, URIRef

EX = "http://wind.example/"
SCADA, SETTINGS, PARK = (URIRef(f"{EX}{name}") for name in ("scada", "settings", "park"))
SIZES = (1_000, 100_000)
READINGS, NEW, MANY, TURBINES, KNOWN = 100, 5, 1_000, 100, 1_000
STEPS, WARM = 40, 8

Things = np.ndarray[tuple[int], np.dtype[np.int64]]

STREAMS = """FROM STREAM :scada WINDOW RANGE 1 SECOND SLIDE 1 SECOND
    FROM NAMED STREAM :settings WINDOW ELEMS %d"""
MERGED = """FROM STREAM :scada WINDOW RANGE 1 SECOND SLIDE 1 SECOND
    FROM STREAM :settings WINDOW ELEMS %d"""
SET = "GRAPH :settings { ?t :limit ?limit }"
JOINED = f"SELECT ?t ?v ?limit {MERGED} WHERE {{ ?t :power ?v . ?t :limit ?limit }}"
OPTIONAL = f"SELECT ?t ?v ?limit {STREAMS} WHERE {{ ?t :power ?v OPTIONAL {{ {SET} }} }}"
ABSENT = f"SELECT ?t ?v {STREAMS} WHERE {{ ?t :power ?v FILTER NOT EXISTS {{ {SET} }} }}"
MEAN = f"SELECT ?t (AVG(?limit) AS ?mean) {STREAMS} WHERE {{ {SET} }} GROUP BY ?t"
STATIC = """SELECT ?t ?v ?limit FROM STREAM :scada WINDOW RANGE 1 SECOND SLIDE 1 SECOND
    FROM NAMED :park WHERE { ?t :power ?v . GRAPH :park { ?t :limit ?limit } }"""


def rows(predicate: str, things: Things, ts: int) -> pa.Table:
    """One triple for each thing, in the second that begins at `ts`."""
    random, count = np.random.default_rng(ts), len(things)
    return pa.table(
        {
            "s": [f"<{EX}T{n}>" for n in things.tolist()],
            "p": pa.repeat(f"<{EX}{predicate}>", count),
            "o": [str(Literal(v).n3()) for v in random.integers(0, 3_000, count).tolist()],
            "ts": ts + np.sort(random.integers(0, 1_000, count)),
        }
    )


class Case:
    """A query over so many live settings, those of every other of `turbines`, which `new` ones
    follow each second."""

    def __init__(self, text: str, size: int, turbines: int, new: int = NEW) -> None:
        self._new, self._known = new, min(turbines, KNOWN)
        self._engine = self._made(size)
        self._query = self._engine.register(f"PREFIX : <{EX}> {text}", report="intervals")
        self._read = self._query.sources
        self._push(SETTINGS, rows("limit", 2 * (np.arange(size) % turbines), 0))
        self.spent: list[float] = []
        self.told = 0

    def _made(self, size: int) -> Engine:
        return Engine()

    def _push(self, stream: URIRef, given: pa.Table) -> None:
        if stream in self._read:
            self._engine.push(stream, given)

    def step(self, number: int) -> None:
        """A second."""
        random, ts = np.random.default_rng(number), number * 1_000
        readings = rows("power", random.integers(0, 2 * self._known, READINGS), ts)
        settings = rows("limit", 2 * random.integers(0, self._known, self._new), ts)
        begin = time.perf_counter()
        self._push(SETTINGS, settings)
        self._push(SCADA, readings)
        self.spent.append(1_000 * (time.perf_counter() - begin))
        self.told += len(self._query.take_table())


class Reloadable(Case):
    """Settings are static, and may be reloaded."""

    reloadable = True

    def _made(self, size: int) -> Engine:
        limit = URIRef(f"{EX}limit")
        limits = [(URIRef(f"{EX}T{2 * n}"), limit, Literal(n % 3_000)) for n in range(size)]
        known = Catalogue().stream(SCADA).graph(PARK, limits, reloadable=self.reloadable)
        return Engine(sources=known)


class Static(Reloadable):
    """Settings hold always."""

    reloadable = False


CASES: dict[str, Callable[[int], Case]] = {
    "count": lambda size: Case(JOINED % size, size, size),
    "optional": lambda size: Case(OPTIONAL % size, size, size),
    "absent": lambda size: Case(ABSENT % size, size, size),
    "mean": lambda size: Case(MEAN % size, size, TURBINES),
    "busy": lambda size: Case(MEAN % size, size, TURBINES, MANY),
    "reloadable": lambda size: Reloadable(STATIC, size, size),
    "static": lambda size: Static(STATIC, size, size),
}


def measured(case: str, sizes: Sequence[int]) -> Iterator[tuple[str, dict[str, float]]]:
    """Milliseconds of the steps after the first few, for every size."""
    made = [CASES[case](size) for size in sizes]
    for number in range(1, STEPS):
        for one in made:
            one.step(number)
    for size, one in zip(sizes, made, strict=True):
        assert one.told, "nothing was told"
        spent = one.spent[WARM:]
        yield f"{case} {size}", {"median": statistics.median(spent), "worst": max(spent)}


def main() -> None:
    """Every case at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--json", action="store_true", help="all figures as JSON, on the last line")
    arguments = parser.parse_args()
    gc.disable()
    figures: dict[str, dict[str, float]] = {"ratios": {}}
    for case in CASES:
        found = dict(measured(case, arguments.sizes))
        for size, times in zip(arguments.sizes, found.values(), strict=True):
            print(
                f"{case:10} of {size:7,}: {times['median']:7.1f} ms a step,"
                f" worst {times['worst']:7.1f} ms"
            )
        first, *_, last = (times["median"] for times in found.values())
        figures |= found
        figures["ratios"][case] = last / first
        print(f"{case:10} {last / first:.1f}x from the smallest to the largest", flush=True)
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
