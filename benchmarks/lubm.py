"""LUBM(1, 0): seconds per query, beside pyoxigraph and rdflib in the same run.

    python -m benchmarks.lubm [--suite DIR] [--rounds 3] [--rdflib] [--json]

from the project's root.  Data are the 100,543 triples of the generator and what a reasoner
made of the ontology, so that all 14 queries have their answers; every engine's answers are
counted against the reference.  All start from the text of a query and end with an iteration over
their rows.  Of several rounds the fastest counts; what an engine
does once (loading, our indexes on the first use) is reported apart.  rdflib only on request:
it takes the triples of a query as they are written, and is at it for minutes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import pyoxigraph
import rdflib

from askos.static import Solutions, StaticGraph, Terms, load, merge, rdfs, select
from tests.static import lubm
from tests.suites import FOLDER

FILES: Final = ("lubm-1.nt.gz", "lubm-1-inferred.nt.gz")


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    """How long `work` takes, and what it yields."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


class Askos:
    """askos.select over a graph in memory."""

    def __init__(self, folder: Path) -> None:
        terms = Terms()
        self.graph = merge(*(load(folder / name, terms=terms) for name in FILES))

    def answers(self, text: str) -> Iterable[object]:
        found = select(text, graph=self.graph)
        assert isinstance(found, Solutions)
        return found


class Oxigraph:
    """An engine in Rust."""

    def __init__(self, folder: Path) -> None:
        self.store = pyoxigraph.Store()
        for name in FILES:
            data = gzip.decompress((folder / name).read_bytes())
            self.store.bulk_load(data, pyoxigraph.RdfFormat.N_TRIPLES)
        self.store.optimize()

    def answers(self, text: str) -> Iterable[object]:
        found = self.store.query(text)
        assert isinstance(found, pyoxigraph.QuerySolutions)
        return found


class Rdflib:
    """An engine in Python."""

    def __init__(self, folder: Path) -> None:
        self.graph = rdflib.Graph()
        for name in FILES:
            self.graph.parse(data=gzip.decompress((folder / name).read_bytes()), format="nt")

    def answers(self, text: str) -> Iterable[object]:
        return self.graph.query(text)


def entailment(folder: Path) -> float:
    """Seconds for the RDFS closure of the data and the ontology."""
    terms = Terms()
    whole: StaticGraph = merge(lubm.data(folder, terms), lubm.ontology(folder, terms))
    return seconds(lambda: rdfs(whole))[0]


def measure(folder: Path, engines: Sequence[type[Any]], rounds: int) -> dict[str, dict[str, float]]:
    """Per engine: seconds to load, for the first query, and for each query at its fastest."""
    times: dict[str, dict[str, float]] = {}
    for kind in engines:
        loading, engine = seconds(lambda kind=kind: kind(folder))  # type: ignore[misc]
        times[kind.__name__] = row = {"load": loading}
        for query in lubm.QUERIES:
            text = lubm.text(folder, query)
            expected = len(lubm.answers(folder, query, []))
            for number in range(rounds):
                taken, count = seconds(
                    lambda t=text, e=engine: sum(1 for _ in e.answers(t))  # type: ignore[misc]
                )
                assert count == expected, f"{kind.__name__}, {query}: {count}, not {expected}"
                row[query] = min(taken, row.get(query, taken))
                if not number:
                    row.setdefault("first", taken)
    return times


def table(times: dict[str, dict[str, float]]) -> str:
    """The times as text, a line per query."""
    lines = ["".ljust(8) + "".join(name.rjust(12) for name in times)]
    lines += [
        line.ljust(8) + "".join(f"{row[line]:12.4f}" for row in times.values())
        for line in ("load", "first", *lubm.QUERIES)
    ]
    return "\n".join(lines)


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", type=Path, default=FOLDER / "lubm")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rdflib", action="store_true", help="also rdflib, for minutes")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not arguments.suite.is_dir():
        sys.exit(f"no suite at {arguments.suite}: name its folder with --suite")
    engines: list[type[Any]] = [Askos, Oxigraph, *([Rdflib] if arguments.rdflib else [])]
    times = measure(arguments.suite, engines, arguments.rounds)
    times["Askos"]["rdfs"] = entailment(arguments.suite)
    print(table(times), f"rdfs    {times['Askos']['rdfs']:12.4f}", sep="\n")
    if arguments.json:
        print(json.dumps(times))


if __name__ == "__main__":
    main()
