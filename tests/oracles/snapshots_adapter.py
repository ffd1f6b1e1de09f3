"""The adapter of the suite `snapshots`: random stream queries, judged by another engine.

    python ../shared/suites/snapshots/snapshots.py --adapter tests.oracles.snapshots_adapter \
        --path . --host local --buckets 5 --styles streaming-sparql --no-static
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from pyspark.sql import SparkSession

from askos import spark
from askos.algebra import Element, Intervals, Stamped, reference
from askos.errors import UnsupportedError
from askos.local import Engine
from askos.prepared import Prepared, prepare
from askos.sources import Catalogue
from askos.terms import Triple, URIRef, n3, parse_term
from tests.hosts.harness import Harness
from tests.hosts.three import SparkRun

Rows: TypeAlias = Sequence[tuple[str, str, str, int]]
Deliveries: TypeAlias = Sequence[tuple[str, Rows]]


def answers(
    text: str,
    *,
    dialect: str,
    graphs: Mapping[str, Iterable[tuple[str, str, str]]],
    deliveries: Deliveries,
    lateness: int,
    host: str,
    buckets: int,
    restart_after: int | None,
) -> list[Any]:
    """What a host answers; the contract is the suite's."""
    query = prepare(text, dialect=dialect, sources=_catalogue(graphs, deliveries, lateness))
    if not isinstance(query.report, Intervals):
        raise UnsupportedError(f"{type(query.report).__name__} reports come with the next step")
    found = HOSTS[host](query, graphs, deliveries, buckets, restart_after)
    return [(_row(e.item), e.interval.start, e.interval.end) for e in found]


def _catalogue(
    graphs: Mapping[str, Iterable[tuple[str, str, str]]], deliveries: Deliveries, lateness: int
) -> Catalogue:
    known = Catalogue()
    for iri in dict.fromkeys(iri for iri, _ in deliveries):
        known = known.stream(iri, lateness_ms=lateness)
    for iri, triples in graphs.items():
        known = known.graph(iri, [_triple(*triple) for triple in triples])
    return known


def _triple(s: str, p: str, o: str) -> Triple:
    return Triple(*map(parse_term, (s, p, o)))  # type: ignore[arg-type]


def _row(item: object) -> object:
    if isinstance(item, bool):
        return item
    if isinstance(item, Triple):
        return tuple(map(n3, item))
    assert isinstance(item, Mapping)
    return {str(variable): n3(term) for variable, term in item.items()}


# ---- hosts -----------------------------------------------------------------------------------


def _reference(
    query: Prepared,
    graphs: Mapping[str, Iterable[tuple[str, str, str]]],
    deliveries: Deliveries,
    buckets: int,
    restart_after: int | None,
) -> list[Element]:
    data: dict[URIRef, list[Any]] = {source: [] for source in query.streams}
    for iri, rows in deliveries:
        data.setdefault(URIRef(iri), []).extend(Stamped(_triple(*row[:3]), row[3]) for row in rows)
    for iri, triples in graphs.items():
        data[URIRef(iri)] = [_triple(*triple) for triple in triples]
    return reference.intervals(query.canonical, data)


def _local(
    query: Prepared,
    graphs: Mapping[str, Iterable[tuple[str, str, str]]],
    deliveries: Deliveries,
    buckets: int,
    restart_after: int | None,
) -> list[Element]:
    engine = Engine(sources=query.sources, buckets=buckets)
    running = engine.register(query)
    for iri, rows in deliveries:
        if URIRef(iri) in query.streams:
            engine.push(URIRef(iri), rows)
    engine.close()
    assert not running.late
    assert not engine.refused
    return running.take()


def _harness(
    query: Prepared,
    graphs: Mapping[str, Iterable[tuple[str, str, str]]],
    deliveries: Deliveries,
    buckets: int,
    restart_after: int | None,
) -> list[Element]:
    """The code Spark runs, with tasks that fail, batches that are replayed, and restarts."""
    seed = f"{query.text} {deliveries}"
    run = Harness(query, Random(seed), buckets, _lateness(query), faults=restart_after is not None)
    for number, (iri, rows) in enumerate(deliveries):
        if number == restart_after:
            run.restart()
        run.push({URIRef(iri): rows})
    if restart_after == len(deliveries):
        run.restart()
    run.end()
    assert {row["output"] for row in run.rows} <= {"result"}
    return run.elements


def _lateness(query: Prepared) -> int:
    return max((stream.lateness_ms for stream in query.sources.streams), default=0)


def _spark(
    query: Prepared,
    graphs: Mapping[str, Iterable[tuple[str, str, str]]],
    deliveries: Deliveries,
    buckets: int,
    restart_after: int | None,
) -> list[Element]:
    with TemporaryDirectory() as folder:
        run = SparkRun(_session(), query, Path(folder), buckets=buckets)
        for number, (iri, rows) in enumerate(deliveries):
            if number == restart_after:
                run.restart()
            run.push(URIRef(iri), rows)
        if restart_after == len(deliveries):
            run.restart()
        found = run.end()
        assert not run.rows("late")
        assert not run.rows("refused")
        return found


@cache
def _session() -> SparkSession:
    return spark.session(settings={"spark.sql.shuffle.partitions": "2"})


Host: TypeAlias = Callable[..., list[Element]]
HOSTS: dict[str, Host] = {
    "reference": _reference,
    "local": _local,
    "harness": _harness,
    "spark": _spark,
}
