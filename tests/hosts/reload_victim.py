"""A driver to be killed: counts, in two stages, what two graphs say together, while others reload
them.  One small file per micro-batch."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from askos import spark as host
from askos.algebra import Stamped
from askos.sources import Catalogue
from askos.terms import Triple, URIRef, n3
from tests.build import EX, S1, triple

PARK, LIMITS = EX.park, EX.limits
FILES, EVERY = 8, 10
TURBINES, SITES = 6, 3

TEXT = f"""
PREFIX : <{EX}>
REGISTER QUERY high AS
SELECT ?site (COUNT(*) AS ?high)
FROM STREAM <{S1}> [RANGE 20ms STEP {EVERY}ms]
FROM NAMED :park FROM NAMED :limits
WHERE {{ ?t :power ?v . GRAPH :park {{ ?t :site ?site }} GRAPH :limits {{ ?site :limit ?max }}
         FILTER(?v > ?max) }}
GROUP BY ?site"""

COUNT = f"""PREFIX : <{EX}> SELECT ?site (COUNT(*) AS ?high) {{
  ?t :power ?v . GRAPH :park {{ ?t :site ?site }} GRAPH :limits {{ ?site :limit ?max }}
  FILTER(?v > ?max) }} GROUP BY ?site"""


def park(version: int) -> list[Triple]:
    """Which turbine is where; each version moves all of them on."""
    return [triple(f"t{n}", "site", f"site{(n + version) % SITES}") for n in range(TURBINES)]


def limits(version: int) -> list[Triple]:
    return [triple(f"site{n}", "limit", 3 + 2 * (n + version)) for n in range(SITES)]


def sources() -> Catalogue:
    known = Catalogue().stream(S1, lateness_ms=4)
    return known.graph(PARK, park(0), True).graph(LIMITS, limits(0), True)


def rows(file: int) -> list[Stamped]:
    """What a file holds: a little out of order."""
    times = [file * 15 + i + (3 if i % 4 == 0 else 0) for i in range(15)]
    values = [(7 * i + 3 * file) % 13 for i in range(15)]
    return [
        Stamped(triple(f"t{(i + file) % TURBINES}", "power", value), at, i)
        for i, (at, value) in enumerate(zip(times, values, strict=True))
    ]


def by_another_engine(
    at: int, versions: Mapping[URIRef, Sequence[tuple[int, list[Triple]]]]
) -> set[tuple[str, str]]:
    """The report at an instant, by the definition of the window and of versions."""
    store = ox.Store()
    readings = {row.triple for f in range(FILES) for row in rows(f) if at - 20 < row.at <= at}
    _load(store, readings)
    for graph, told in versions.items():
        _load(store, [triples for start, triples in told if start <= at][-1], graph)
    found: Any = store.query(COUNT)
    return {(str(row["site"]), str(row["high"])) for row in found}


def _load(store: ox.Store, triples: Iterable[Triple], graph: URIRef | None = None) -> None:
    text = "".join(f"{' '.join(map(n3, triple))} .\n" for triple in triples)
    to = None if graph is None else ox.NamedNode(graph)
    store.load(text.encode(), ox.RdfFormat.N_TRIPLES, to_graph=to)


def main(folder: Path) -> None:
    session = host.session(
        memory="1g",
        settings={"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"},
        log=folder / "spark.log",
    )
    streams = {S1: host.parquet(session, folder / "rows", files_per_trigger=1, sequence=True)}
    sink, checkpoint = host.Parquet(folder / "out"), folder / "checkpoint"
    query = host.start(session, TEXT, streams, sink, checkpoint, sources=sources(), buckets=2)
    host.drain(query)
    host.Control(checkpoint).end()
    host.drain(query)
    query.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
