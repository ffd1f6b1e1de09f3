"""How the suites run a prepared query: one signature, so that the host is a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from pyspark.sql import SparkSession

from askos.algebra import Element, OnChange, Periodic, Stamped
from askos.algebra.reference import intervals, reports
from askos.local import Engine
from askos.prepared import Prepared
from askos.sources import Stream
from askos.spark.answers import REPORTS, RESULTS
from askos.static.graphs import load_graphs
from askos.terms import Triple, URIRef
from tests.hosts.harness import Harness
from tests.hosts.three import SparkRun

Deliveries: TypeAlias = Sequence[tuple[URIRef, Sequence[Stamped]]]
"""Rows of streams in the order they arrive, cut into batches."""

Answers: TypeAlias = list[Any]
"""Elements where intervals are reported, else answers."""

Host: TypeAlias = Callable[[Prepared, Deliveries, int, int | None], Answers]
"""All that a query answers to what is delivered: spread over so many buckets, and stopped and
started again after so many deliveries, if at all."""


def reference(
    query: Prepared, deliveries: Deliveries, buckets: int = 1, restart_after: int | None = None
) -> Answers:
    """The judge, which has neither buckets nor restarts."""
    data: dict[URIRef, list[Stamped | Element | Triple]] = {s: [] for s in query.streams}
    for source, rows in deliveries:
        data.setdefault(source, []).extend(rows)
    for name, graph in load_graphs(query).items():
        data[name] = list(graph)
    if isinstance(query.report, Periodic | OnChange):
        return reports(query.canonical, data, query.report, progress=_promised(query, deliveries))
    return intervals(query.canonical, data)


def _promised(query: Prepared, deliveries: Deliveries) -> int:
    """What all streams have promised when they end."""
    largest = dict.fromkeys(query.streams, 0)
    for source, rows in deliveries:
        if source in largest:
            latest = max((row.at for row in rows), default=0) - lateness_of(query, source)
            largest[source] = max(largest[source], latest)
    return min(largest.values(), default=0)


def lateness_of(query: Prepared, source: URIRef) -> int:
    """As the catalogue says."""
    known = query.sources.get(source)
    return known.lateness_ms if isinstance(known, Stream) else 0


def local(
    query: Prepared, deliveries: Deliveries, buckets: int = 1, restart_after: int | None = None
) -> Answers:
    """The local host, which keeps nothing over a restart."""
    engine = Engine(sources=query.sources, buckets=buckets)
    running = engine.register(query)
    for source, rows in deliveries:
        if source in query.streams:
            engine.push(source, rows)
    engine.close()
    assert not running.late
    assert not engine.refused
    return running.take()


def harness(
    query: Prepared, deliveries: Deliveries, buckets: int = 1, restart_after: int | None = None
) -> Answers:
    """The code Spark runs; with restarts also tasks that fail and batches that are replayed."""
    choices = Random(f"{query.text} {deliveries}")
    lateness = max((stream.lateness_ms for stream in query.sources.streams), default=0)
    run = Harness(query, choices, buckets, lateness, faults=restart_after is not None)
    _deliver(lambda source, rows: run.push({source: rows}), run.restart, deliveries, restart_after)
    run.end()
    assert {row["output"] for row in run.rows} <= {RESULTS, REPORTS}
    return run.answers


def on_spark(session: SparkSession) -> Host:
    """Spark, by that session."""

    def spark(
        query: Prepared, deliveries: Deliveries, buckets: int = 1, restart_after: int | None = None
    ) -> Answers:
        with TemporaryDirectory() as folder:
            run = SparkRun(session, query, Path(folder), buckets=buckets)
            _deliver(run.push, run.restart, deliveries, restart_after)
            found = run.end()
            assert not run.rows("late")
            assert not run.rows("refused")
            return found

    return spark


def _deliver(
    push: Callable[[URIRef, Sequence[Stamped]], object],
    restart: Callable[[], None],
    deliveries: Deliveries,
    restart_after: int | None,
) -> None:
    for number, (source, rows) in enumerate(deliveries):
        if number == restart_after:
            restart()
        push(source, rows)
    if restart_after == len(deliveries):
        restart()
