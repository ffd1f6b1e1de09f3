"""Many queries over one stream, on the local driver and on Spark.

    python benchmarks/multi_query.py [--queries 1 10 100 1000] [--rows 1000] [--host local spark]
                                     [--json]

Queries of one template, each about a turbine of its own: its readings above a limit, joined with
where it stands.  There are as many turbines as queries, so every triple matches one of them; and
every hundredth is about a turbine that two ask for.  Then 100 queries that differ in more than
constants.  Strings in to strings out: milliseconds a batch and microseconds a triple, medians of
interleaved rounds, and the cost of a triple of many queries over that of one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from askos.local import Engine
from askos.sources import Catalogue
from askos.terms import URIRef

NS = "http://wind.example/"
WIND = URIRef(f"{NS}wind")
ONE = """PREFIX : <{ns}>
SELECT ?v FROM STREAM :wind WINDOW RANGE 10 SECOND SLIDE
WHERE {{ :T{number} :speed ?v FILTER (?v > 500) }}"""
OTHER = """PREFIX : <{ns}>
SELECT ?v FROM STREAM :wind WINDOW RANGE {range} SECOND SLIDE
WHERE {{ :T{number} :speed ?v FILTER (?v > {number} || ?v * {number} < 7) }}"""
WARM = 12  # batches before the window is full


def alike(count: int) -> Mapping[str, str]:
    """Queries that differ in constants only; the last two ask for the same turbine."""
    numbers = [*range(count - 1), max(count - 2, 0)]
    return {f"q{place}": ONE.format(ns=NS, number=n) for place, n in enumerate(numbers)}


def different(count: int) -> Mapping[str, str]:
    """Queries with windows of their own."""
    return {f"q{n}": OTHER.format(ns=NS, number=n, range=n % 50 + 1) for n in range(count)}


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


def on_local(queries: Mapping[str, str], turbines: int, size: int, batches: int) -> Iterator[float]:
    """Seconds of each batch."""
    engine = Engine(sources=Catalogue().stream(WIND))
    engine.register_all(queries)
    for number in range(WARM + batches):
        given = rows(number, turbines, size)
        begin = time.perf_counter()
        engine.push(WIND, given)
        found = sum(map(len, engine.take_tables()))
        spent = time.perf_counter() - begin
        assert found, "every batch has answers"
        if number >= WARM:
            yield spent
