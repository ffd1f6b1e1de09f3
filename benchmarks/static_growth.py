"""What a stream costs beside static data of growing size: on the local driver and on Spark.

    python benchmarks/static_growth.py [--sizes 10000 100000 1000000 10000000] [--json]

Readings of 1,000 turbines are joined with static triples: their sites, among the sites of as many
things as there are triples.  Once the static graph is read with GRAPH (`declared`), once it is the
engine graph of a C-SPARQL query, which says nothing of it, so that every pattern is read from
stream and graph together (`engine`).  Start-up, that is reading the graph and making its tables, is
told apart; so is the memory of the process after it.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from askos.sources import Catalogue
from askos.terms import URIRef

EX = "http://wind.example/"
STREAM, GRAPH = URIRef(f"{EX}scada"), URIRef(f"{EX}park")
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
TURBINES, ROWS, BATCHES, WARM = 1_000, 20_000, 16, 6

QUERIES = {
    "declared": f"""
        PREFIX : <{EX}>
        SELECT ?t ?v ?site FROM STREAM :scada WINDOW RANGE 1 SECOND SLIDE 1 SECOND
        FROM NAMED :park WHERE {{ ?t :power ?v . GRAPH :park {{ ?t :site ?site }} }}""",
    "engine": f"""
        REGISTER QUERY sites AS
        PREFIX : <{EX}>
        SELECT ?t ?v ?site FROM STREAM :scada [RANGE 1s STEP 1s]
        WHERE {{ ?t :power ?v . ?t :site ?site }}""",
}


def graph(file: Path, size: int) -> None:
    """The sites of `size` things, of which the first are the turbines."""
    with file.open("w") as out:
        for begin in range(0, size, 100_000):
            numbers = range(begin, min(begin + 100_000, size))
            out.writelines(f"<{EX}T{n}> <{EX}site> <{EX}S{n % 97}> .\n" for n in numbers)


def readings(number: int) -> pa.Table:
    """A second of readings, many of each turbine."""
    random = np.random.default_rng(number)
    turbines = random.integers(0, TURBINES, ROWS)
    names = pa.array([f"<{EX}T{n}>" for n in range(TURBINES)])
    power = pa.array([f'"{v}"' for v in random.integers(0, 3_000, ROWS)])
    ts = number * 1_000 + np.sort(random.integers(0, 1_000, ROWS))
    return pa.table(
        {
            "s": names.take(pa.array(turbines)),
            "p": pa.repeat(f"<{EX}power>", ROWS),
            "o": power,
            "ts": ts,
        }
    )


def on_local(query: str, known: Catalogue) -> Iterator[float]:
    """Seconds until it has started, then of each batch."""
    from askos.local import Engine

    begin = time.perf_counter()
    engine = Engine(sources=known)
    made = engine.register(query, report="intervals")
    yield time.perf_counter() - begin
    for number in range(BATCHES):
        rows = readings(number)
        begin = time.perf_counter()
        engine.push(STREAM, rows)
        spent = time.perf_counter() - begin  # texts are what a caller asks for: not measured
        assert len(made.take_table()) or number == 0
        yield spent


def on_spark(query: str, known: Catalogue) -> Iterator[float]:
    """The same, a micro-batch for each."""
    import pyarrow.parquet as pq

    from askos import spark

    session = spark.session(settings={"spark.sql.shuffle.partitions": "2"})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir()
        begin = time.perf_counter()
        streams = {STREAM: spark.parquet(session, folder / "data")}
        sink = spark.Parquet(folder / "out")
        started = spark.start(
            session, query, streams, sink, folder / "checkpoint", sources=known, report="intervals"
        )
        spark.drain(started)
        yield time.perf_counter() - begin
        for number in range(BATCHES):
            hidden = folder / f"{number}.parquet"
            pq.write_table(readings(number), hidden)
            begin = time.perf_counter()
            hidden.rename(folder / "data" / hidden.name)
            spark.drain(started)
            yield time.perf_counter() - begin
        started.stop()
    session.stop()


HOSTS = {"local": on_local, "spark": on_spark}


def measured(host: str, query: str, size: int) -> dict[str, float]:
    """One run, in this process."""
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "park.nt"
        graph(file, size)
        known = Catalogue().stream(STREAM).graph(GRAPH, file)
        start, *batches = HOSTS[host](QUERIES[query], known)
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {
        "start_s": start,
        "us_per_triple": statistics.median(batches[WARM:]) / ROWS * 1e6,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "children_mb": children / 1024,
    }


def run(host: str, query: str, size: int) -> dict[str, float]:
    """One run, in a process of its own: memory is its own, and nothing is warm."""
    command = [sys.executable, __file__, "--one", host, query, str(size)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Run every size on every host, and tell what each costs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--hosts", nargs="+", choices=HOSTS, default=list(HOSTS))
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, interleaved")
    parser.add_argument("--json", action="store_true", help="all figures as JSON, on the last line")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        host, query, size = arguments.one
        print(json.dumps(measured(host, query, int(size))))
        return
    figures: dict[str, Any] = {}
    for host in arguments.hosts:
        for query in QUERIES:
            runs: dict[int, list[dict[str, float]]] = {size: [] for size in arguments.sizes}
            for _ in range(arguments.rounds):
                for size in arguments.sizes:
                    runs[size].append(run(host, query, size))
            figures[f"{host}_{query}"] = tell(host, query, runs)
    if arguments.json:
        print(json.dumps(figures))


def tell(host: str, query: str, runs: dict[int, list[dict[str, float]]]) -> dict[str, Any]:
    """Medians, as lines and as figures; growth is against the smallest size."""
    print(f"{host}, {query} graph: a join of {ROWS:,} readings a batch with static triples")
    found: dict[str, Any] = {}
    for size, results in runs.items():
        medians = {name: statistics.median(r[name] for r in results) for name in results[0]}
        found[str(size)] = medians
        least = found[str(min(runs))]["us_per_triple"]
        print(
            f"  {size:>10,} static: {medians['us_per_triple']:6.2f} µs a reading"
            f" ({medians['us_per_triple'] / least:.2f}x), start {medians['start_s']:6.1f} s,"
            f" memory {medians['memory_mb']:,.0f} MB",
            flush=True,
        )
    first, last = found[str(min(runs))], found[str(max(runs))]
    found["growth"] = last["us_per_triple"] / first["us_per_triple"]
    return found


if __name__ == "__main__":
    main()
