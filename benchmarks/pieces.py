"""What elements cost whose end is not known: of count windows, and of reloadable graphs.

    python benchmarks/pieces.py [--sizes 1000 100000] [--json]

Readings of a second are joined with the last `size` settings of a stream of their own (`count`), or
with as many static triples that may be reloaded (`reloadable`).  A handful of settings comes each
second, and the graph is never reloaded; so little changes from one cut to the next, whatever is
live.  The same with static triples that hold always (`static`) tells what the readings cost alone.

Milliseconds a step of one second on the local driver, the median and the worst.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable

import numpy as np
import pyarrow as pa

from askos.local import Engine, Query
from askos.sources import Catalogue
from askos.terms import Literal, URIRef

EX = "http://wind.example/"
SCADA, SETTINGS, PARK = (URIRef(f"{EX}{name}") for name in ("scada", "settings", "park"))
SIZES = (1_000, 100_000)
READINGS, NEW = 100, 5  # a second
STEPS, WARM = 24, 6

STREAMED = f"""
    PREFIX : <{EX}>
    SELECT ?t ?v ?limit FROM STREAM :scada WINDOW RANGE 1 SECOND SLIDE 1 SECOND
    FROM STREAM :settings WINDOW ELEMS %d WHERE {{ ?t :power ?v . ?t :limit ?limit }}"""
STATIC = f"""
    PREFIX : <{EX}>
    SELECT ?t ?v ?limit FROM STREAM :scada WINDOW RANGE 1 SECOND SLIDE 1 SECOND
    FROM NAMED :park WHERE {{ ?t :power ?v . GRAPH :park {{ ?t :limit ?limit }} }}"""


def rows(predicate: str, things: np.ndarray[tuple[int], np.dtype[np.int64]], ts: int) -> pa.Table:
    """One triple for each thing, in the second that begins at `ts`."""
    random, count = np.random.default_rng(ts), len(things)
    return pa.table(
        {
            "s": [f"<{EX}T{n}>" for n in things.tolist()],
            "p": pa.repeat(f"<{EX}{predicate}>", count),
            "o": [f'"{v}"' for v in random.integers(0, 3_000, count).tolist()],
            "ts": ts + np.sort(random.integers(0, 1_000, count)),
        }
    )


def counted(size: int) -> tuple[Engine, Query]:
    """Limits come as a stream, of which the last `size` hold."""
    engine = Engine()
    query = engine.register(STREAMED % size, report="intervals")
    engine.push(SETTINGS, rows("limit", np.arange(size), 0))
    return engine, query


def from_graph(size: int, *, reloadable: bool) -> tuple[Engine, Query]:
    """Limits are static."""
    limits = [(URIRef(f"{EX}T{n}"), URIRef(f"{EX}limit"), Literal(n % 3_000)) for n in range(size)]
    known = Catalogue().stream(SCADA).graph(PARK, limits, reloadable=reloadable)
    engine = Engine(sources=known)
    return engine, engine.register(STATIC, report="intervals")


CASES: dict[str, Callable[[int], tuple[Engine, Query]]] = {
    "count": counted,
    "reloadable": lambda size: from_graph(size, reloadable=True),
    "static": lambda size: from_graph(size, reloadable=False),
}


def steps(case: str, size: int) -> dict[str, float]:
    """Milliseconds of the steps after the first few."""
    engine, query = CASES[case](size)
    spent, told = [], 0
    for number in range(1, STEPS):
        random, ts = np.random.default_rng(number), number * 1_000
        readings = rows("power", random.integers(0, size, READINGS), ts)
        settings = rows("limit", random.integers(0, size, NEW), ts)
        begin = time.perf_counter()
        if case == "count":
            engine.push(SETTINGS, settings)
        engine.push(SCADA, readings)
        spent.append(1_000 * (time.perf_counter() - begin))
        told += len(query.take())
    assert told, "nothing was told"
    return {"median": statistics.median(spent[WARM:]), "worst": max(spent[WARM:])}


def main() -> None:
    """Every case at every size."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--json", action="store_true", help="all figures as JSON, on the last line")
    arguments = parser.parse_args()
    gc.disable()
    figures: dict[str, dict[str, float]] = {}
    for case in CASES:
        for size in arguments.sizes:
            found = figures[f"{case} {size}"] = steps(case, size)
            print(
                f"{case:10} of {size:7,}: {found['median']:7.1f} ms a step,"
                f" worst {found['worst']:7.1f} ms",
                flush=True,
            )
        first, last = (
            figures[f"{case} {size}"]["median"]
            for size in arguments.sizes[:: len(arguments.sizes) - 1]
        )
        print(f"{case:10} {last / first:.1f}x from the smallest to the largest", flush=True)
    if arguments.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
