"""How the suites run a prepared query: one signature, so that the host is a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TypeAlias

from pyspark.sql import SparkSession

from askos.algebra import Element, Stamped
from askos.algebra.reference import intervals
from askos.local import Engine
from askos.prepared import Prepared
from askos.spark.answers import RESULTS
from askos.static.graphs import load_graphs
from askos.terms import Triple, URIRef
from tests.hosts.harness import Harness
from tests.hosts.three import SparkRun

Deliveries: TypeAlias = Sequence[tuple[URIRef, Sequence[Stamped]]]
"""Rows of streams in the order they arrive, cut into batches."""

Host: TypeAlias = Callable[[Prepared, Deliveries, int, int | None], list[Element]]
"""All that a query answers to what is delivered: spread over so many buckets, and stopped and
started again after so many deliveries, if at all."""


def reference(
    query: Prepared, deliveries: Deliveries, buckets: int = 1, restart_after: int | None = None
) -> list[Element]:
    """The judge, which has neither buckets nor restarts."""
    data: dict[URIRef, list[Stamped | Element | Triple]] = {s: [] for s in query.streams}
    for source, rows in deliveries:
        data.setdefault(source, []).extend(rows)
    for name, graph in load_graphs(query).items():
        data[name] = list(graph)
    return intervals(query.canonical, data)


def local(
    query: Prepared, deliveries: Deliveries, buckets: int = 1, restart_after: int | None = None
) -> list[Element]:
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
) -> list[Element]:
    """The code Spark runs; with restarts also tasks that fail and batches that are replayed."""
    choices = Random(f"{query.text} {deliveries}")
    lateness = max((stream.lateness_ms for stream in query.sources.streams), default=0)
    run = Harness(query, choices, buckets, lateness, faults=restart_after is not None)
    _deliver(lambda source, rows: run.push({source: rows}), run.restart, deliveries, restart_after)
    run.end()
    assert {row["output"] for row in run.rows} <= {RESULTS}
    return run.elements


def on_spark(session: SparkSession) -> Host:
    """Spark, by that session."""

    def spark(
        query: Prepared, deliveries: Deliveries, buckets: int = 1, restart_after: int | None = None
    ) -> list[Element]:
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
