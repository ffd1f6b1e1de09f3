"""LUBM: seconds for loading, for the first query and for each query, beside pyoxigraph and rdflib.

    python -m benchmarks.lubm [--suite DIR] [--universities 1 5] [--rounds 5] [--json]

from the project's root.  With one university, data are the 100,543 triples of the generator and
what a reasoner made of the ontology, so that all 14 queries have their answers, against which every
engine's are counted.  With more, they are LUBM-like: each further university is a copy of the first
under its own name; then the engines' counts are compared with each other.

All engines are in one process and take turns, query by query; of the rounds the median counts.
They start from the text of a query and end with an iteration over its rows.  `first` is loading and
the first query together, with whatever an engine does once.  rdflib takes the patterns of a query
as they are written: a query that needs longer than --patience is told as such, and not tried again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

import pyoxigraph
import rdflib

from askos.static import Solutions, StaticGraph, Terms, load, merge, rdfs, select
from tests.static import lubm
from tests.suites import FOLDER

FILES: Final = ("lubm-1.nt.gz", "lubm-1-inferred.nt.gz")
LINES: Final = ("load", "first", *lubm.QUERIES)
Times: TypeAlias = dict[str, dict[str, float]]
"""Seconds by engine and line; infinite where patience ended."""


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """How long `work` takes, and what it yields."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


# ---- data ----------------------------------------------------------------------------------------


def universities(suite: Path, folder: Path, count: int) -> list[Path]:
    """Files of so many universities, unpacked."""
    files = []
    for name in FILES:
        first = gzip.decompress((suite / name).read_bytes()).decode()
        file = folder / f"{count}-{name.removesuffix('.gz')}"
        copies = (first.replace("University0.edu", f"University{n}.edu") for n in range(count))
        file.write_text("".join(copies), encoding="utf-8")
        files.append(file)
    return files


# ---- engines -------------------------------------------------------------------------------------


class Askos:
    """askos.select over a graph in memory."""

    def __init__(self, files: Sequence[Path]) -> None:
        terms = Terms()
        self.graph = merge(*(load(file, terms=terms) for file in files))

    def answers(self, text: str) -> Iterable[object]:
        found = select(text, graph=self.graph)
        assert isinstance(found, Solutions)
        return found


class Oxigraph:
    """An engine in Rust."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.store = pyoxigraph.Store()
        for file in files:
            self.store.bulk_load(path=file, format=pyoxigraph.RdfFormat.N_TRIPLES)
        self.store.optimize()

    def answers(self, text: str) -> Iterable[object]:
        found = self.store.query(text)
        assert isinstance(found, pyoxigraph.QuerySolutions)
        return found


class Rdflib:
    """An engine in Python."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.graph = rdflib.Graph()
        for file in files:
            self.graph.parse(file, format="nt")

    def answers(self, text: str) -> Iterable[object]:
        return self.graph.query(text)


ENGINES: Final[Mapping[str, Callable[[Sequence[Path]], Any]]] = {
    "Askos": Askos,
    "Oxigraph": Oxigraph,
    "Rdflib": Rdflib,
}


# ---- measuring -----------------------------------------------------------------------------------


class ImpatienceError(Exception):
    """A query took too long."""


@contextmanager
def patience(limit: int) -> Iterator[None]:
    """Stop what takes longer, in seconds."""

    def stop(*_: object) -> None:
        raise ImpatienceError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(limit)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def answered(engine: Any, text: str, limit: int) -> tuple[float, int | None]:
    """Seconds until all rows are there, and how many; None where patience ended."""
    try:
        with patience(limit):
            return seconds(lambda: sum(1 for _ in engine.answers(text)))
    except ImpatienceError:
        return math.inf, None


def measure(suite: Path, files: Sequence[Path], rounds: int, limit: int, whole: bool) -> Times:
    """Every engine's seconds; with `whole`, answers are counted against the reference."""
    texts = {query: lubm.text(suite, query) for query in lubm.QUERIES}
    times: Times = {}
    engines = dict[str, Any]()
    for name, kind in ENGINES.items():
        loading, engine = seconds(partial(kind, files))
        first, _ = answered(engine, texts[lubm.QUERIES[0]], limit)
        engines[name] = engine
        times[name] = {"load": loading, "first": loading + first}
    for query, text in texts.items():
        expected = len(lubm.answers(suite, query, [])) if whole else None
        for name, found in in_turns(engines, text, expected, rounds, limit).items():
            times[name][query] = median(found)
    return times


def in_turns(
    engines: dict[str, Any], text: str, expected: int | None, rounds: int, limit: int
) -> dict[str, list[float]]:
    """Seconds of each round, by engine."""
    taken: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(rounds):
        for name, engine in engines.items():
            if math.inf in taken[name]:
                continue
            spent, count = answered(engine, text, limit)
            taken[name].append(spent)
            expected = count if expected is None else expected
            assert count in (None, expected), f"{name}: {count} rows, not {expected}: {text}"
    return {name: [math.inf] if math.inf in t else t for name, t in taken.items()}


def entailment(folder: Path) -> float:
    """Seconds for the RDFS closure of the data and the ontology."""
    terms = Terms()
    whole: StaticGraph = merge(lubm.data(folder, terms), lubm.ontology(folder, terms))
    return seconds(lambda: rdfs(whole))[0]


def table(times: Times, limit: int) -> str:
    """The times as text, a line per query."""

    def told(spent: float) -> str:
        return f"> {limit}" if math.isinf(spent) else f"{spent:.4f}"

    lines = ["".ljust(8) + "".join(name.rjust(12) for name in times)]
    lines += [
        line.ljust(8) + "".join(told(row[line]).rjust(12) for row in times.values())
        for line in LINES
    ]
    return "\n".join(lines)


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", type=Path, default=FOLDER / "lubm")
    parser.add_argument("--universities", type=int, nargs="+", default=[1, 5])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--patience", type=int, default=30, help="seconds for one query")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not arguments.suite.is_dir():
        sys.exit(f"no suite at {arguments.suite}: name its folder with --suite")
    figures: dict[str, Any] = {}
    with TemporaryDirectory() as name:
        for count in arguments.universities:
            files = universities(arguments.suite, Path(name), count)
            times = measure(
                arguments.suite, files, arguments.rounds, arguments.patience, count == 1
            )
            print(f"LUBM({count}): seconds, medians of {arguments.rounds} rounds in turns")
            print(table(times, arguments.patience), flush=True)
            figures[str(count)] = finite(times)
    figures["rdfs"] = entailment(arguments.suite)
    print(f"rdfs    {figures['rdfs']:12.4f}  the closure of LUBM(1) and its ontology")
    if arguments.json:
        print(json.dumps(figures))


def finite(times: Times) -> dict[str, dict[str, float | None]]:
    """For JSON, which knows no infinity: None where patience ended."""
    return {
        name: {line: None if math.isinf(spent) else spent for line, spent in row.items()}
        for name, row in times.items()
    }


if __name__ == "__main__":
    main()
