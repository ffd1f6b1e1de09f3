"""How fast files of RDF are loaded: askos beside rdflib, in every syntax that both know.

    .venv/bin/python benchmarks/load.py [--triples N] [--rounds N] [--json]

The same triples of a wind park, blank nodes among them, are written in each syntax, JSON-LD both
as people write it, with a context, and expanded, as programs do.  Each file is loaded by each
reader in turns, round by round, in one process.  A reader's time is the median of its rounds,
in seconds of the processor, since the machine may have other work.  askos gives a graph with its
terms numbered, ready for queries; rdflib a graph with its three indexes.  Both are checked to have
all triples.  With --json the last line is one object.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pyoxigraph as ox
import rdflib

from askos.static import load

PARK = "http://wind.example/"
XSD = "http://www.w3.org/2001/XMLSchema#"
SYNTAXES = {
    "N-Triples": (".nt", ox.RdfFormat.N_TRIPLES, "nt"),
    "Turtle": (".ttl", ox.RdfFormat.TURTLE, "turtle"),
    "TriG": (".trig", ox.RdfFormat.TRIG, "trig"),
    "JSON-LD": (".jsonld", None, "json-ld"),
    "JSON-LD, expanded": (".expanded.jsonld", ox.RdfFormat.JSON_LD, "json-ld"),
    "RDF/XML": (".rdf", ox.RdfFormat.RDF_XML, "xml"),
}


def triples(count: int) -> Iterator[ox.Triple]:
    """Turbines: six triples each, and a blank node."""
    names = ("site", "power", "maker", "next", "state", "since")
    site, power, maker, after, state, since = (ox.NamedNode(PARK + name) for name in names)
    for number in range(count // 6):
        turbine, node = ox.NamedNode(f"{PARK}T{number}"), ox.BlankNode(f"b{number}")
        minute = f"2026-06-01T{number // 60 % 24:02}:{number % 60:02}:00Z"
        yield ox.Triple(turbine, site, ox.NamedNode(f"{PARK}site{number % 50}"))
        yield ox.Triple(turbine, power, ox.Literal(f"{number % 997}.50", datatype=_xsd("decimal")))
        yield ox.Triple(turbine, maker, ox.Literal(f"Aeolus {number % 300}", language="en"))
        yield ox.Triple(turbine, after, ox.NamedNode(f"{PARK}T{number + 1}"))
        yield ox.Triple(turbine, state, node)
        yield ox.Triple(node, since, ox.Literal(minute, datatype=_xsd("dateTime")))


def _xsd(name: str) -> ox.NamedNode:
    return ox.NamedNode(XSD + name)


def with_context(count: int) -> str:
    """The same in JSON-LD, as people write it."""
    context = {
        "@vocab": PARK,
        "@base": PARK,
        "site": {"@type": "@id"},
        "power": {"@type": XSD + "decimal"},
        "maker": {"@language": "en"},
        "next": {"@type": "@id"},
        "since": {"@type": XSD + "dateTime"},
    }
    turbines = [
        {
            "@id": f"T{number}",
            "site": f"site{number % 50}",
            "power": f"{number % 997}.50",
            "maker": f"Aeolus {number % 300}",
            "next": f"T{number + 1}",
            "state": {"since": f"2026-06-01T{number // 60 % 24:02}:{number % 60:02}:00Z"},
        }
        for number in range(count // 6)
    ]
    return json.dumps({"@context": context, "@graph": turbines})


def by_rdflib(file: Path, form: str) -> int:
    """What rdflib reads, as its own graph."""
    graph = rdflib.Dataset() if form in ("trig", "json-ld") else rdflib.Graph()
    return len(graph.parse(file, format=form))


def by_askos(file: Path) -> int:
    """What askos reads."""
    return len(load(file))


def seconds(reader: Callable[[], int], wanted: int) -> float:
    """What loading costs the processor; what the one before has left is cleared away first."""
    gc.collect()
    start = time.process_time()
    found = reader()
    took = time.process_time() - start
    assert found == wanted, f"{found} triples instead of {wanted}"
    return took


def measured(folder: Path, count: int, rounds: int) -> dict[str, dict[str, float]]:
    """Thousands of triples a second, by syntax and reader."""
    park = list(triples(count))
    times: dict[str, dict[str, list[float]]] = {}
    files = {name: folder / f"park{suffix}" for name, (suffix, _, _) in SYNTAXES.items()}
    for name, (_, form, _) in SYNTAXES.items():
        times[name] = {"askos": [], "rdflib": []}
        if form is None:
            files[name].write_text(with_context(count), encoding="utf-8")
        else:
            prefixes = {"": PARK, "xsd": XSD}
            ox.serialize(park, output=files[name], format=form, prefixes=prefixes)
    for _ in range(rounds):
        for name, (_, _, theirs) in SYNTAXES.items():
            ours = partial(by_askos, files[name])
            times[name]["askos"].append(seconds(ours, len(park)))
            other = partial(by_rdflib, files[name], theirs)
            times[name]["rdflib"].append(seconds(other, len(park)))
    return {
        name: {who: len(park) / statistics.median(took) / 1000 for who, took in both.items()}
        for name, both in times.items()
    }


def main() -> None:
    """Print a table: thousands of triples a second, and how many times as fast askos is."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--triples", type=int, default=60_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--json", action="store_true", help="end with one JSON object")
    options = arguments.parse_args()
    warnings.filterwarnings("ignore", module="rdflib")  # of its own deprecated parts
    with tempfile.TemporaryDirectory() as folder:
        rates = measured(Path(folder), options.triples, options.rounds)
    print(f"{options.triples} triples, median of {options.rounds} rounds, by processor time\n")
    print(f"{'thousand triples/s':<20}{'askos':>10}{'rdflib':>10}{'times':>8}")
    for name, rate in rates.items():
        ratio = rate["askos"] / rate["rdflib"]
        print(f"{name:<20}{rate['askos']:>10.1f}{rate['rdflib']:>10.1f}{ratio:>7.1f}x")
    if options.json:
        print(json.dumps({"triples": options.triples, "rounds": options.rounds, "rates": rates}))


if __name__ == "__main__":
    main()
