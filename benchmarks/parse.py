"""How fast queries are read: askos beside rdflib and pyoxigraph, on plain SPARQL others wrote.

    .venv/bin/python benchmarks/parse.py [--rounds N] [--suites FOLDER]

Every query that all of them accept is parsed by each, round by round, in one process; a query's
time is the least of its rounds.  askos also checks scopes and gives every node a position;
pyoxigraph, which is Rust, also plans and evaluates against an empty store.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyoxigraph
from rdflib.plugins.sparql.parser import parseQuery

from askos import parse

Parser = Callable[[str], Any]
SUITES = Path(__file__).resolve().parent.parent.parent / "shared" / "suites"
BASE = "http://example.org/"
PARSERS: dict[str, Parser] = {
    "askos": lambda text: parse(text, base=BASE),
    "rdflib": parseQuery,
    "pyoxigraph (Rust)": lambda text: pyoxigraph.Store().query(text, base_iri=BASE),
}


def corpora(suites: Path) -> Iterator[tuple[str, list[str]]]:
    """The plain-SPARQL queries of each suite, by its name."""
    rows = map(json.loads, (suites / "w3c" / "manifest.jsonl").read_text().splitlines())
    w3c = [suites / "w3c" / row["query"] for row in rows if row["kind"] != "syntax-negative"]
    yield "W3C", [path.read_text(encoding="utf-8") for path in w3c]
    yield "LUBM", [p.read_text(encoding="utf-8") for p in sorted(suites.glob("lubm/queries/*.rq"))]
    benchmarks = sorted(suites.glob("rsp/*/sparql/*.rq"))
    yield "stream benchmarks", [path.read_text(encoding="utf-8") for path in benchmarks]


def accepted(text: str) -> bool:
    """Whether all parsers take it."""
    for parser in PARSERS.values():
        try:
            parser(text)
        except Exception:  # each has errors of its own
            return False
    return True


def least(parser: Parser, text: str, rounds: int) -> float:
    """The seconds a parse takes, when nothing disturbs it."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        parser(text)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print a table: milliseconds a query, and how many times as long as askos the others take."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--suites", type=Path, default=SUITES)
    options = arguments.parse_args()
    print(f"median of the queries, least of {options.rounds} rounds each\n")
    print(f"{'':<20}{'queries':>8}{'characters':>12}", *(f"{name:>20}" for name in PARSERS))
    for name, texts in corpora(options.suites):
        good = [text for text in texts if accepted(text)]
        times = {p: [least(f, text, options.rounds) for text in good] for p, f in PARSERS.items()}
        size = statistics.median(len(text) for text in good)
        medians = [statistics.median(times[parser]) for parser in PARSERS]
        cells = (f"{m * 1000:>8.3f} ms {m / medians[0]:>6.1f}x " for m in medians)
        print(f"{name:<20}{len(good):>8}{size:>12.0f}", *cells)


if __name__ == "__main__":
    main()
