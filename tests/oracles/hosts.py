"""How the suites run a prepared query on a host; one signature, so that hosts are a parameter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from askos.algebra import Element
from askos.local import Engine
from askos.local.rows import Row
from askos.prepared import Prepared
from askos.terms import URIRef

Deliveries: TypeAlias = Sequence[tuple[URIRef, Collection[Row]]]
"""Rows of streams in the order they arrive, cut into batches."""

Host: TypeAlias = Callable[[Prepared, Deliveries, int], list[Element]]
"""All that a query answers to what is delivered, spread over so many buckets."""


def local(query: Prepared, deliveries: Deliveries, buckets: int) -> list[Element]:
    """The local host; nothing may be late, and nothing refused."""
    engine = Engine(sources=query.sources, buckets=buckets)
    running = engine.register(query)
    for source, rows in deliveries:
        if source in query.streams:
            engine.push(source, rows)
    engine.close()
    assert not running.late
    assert not engine.refused
    return running.take()
