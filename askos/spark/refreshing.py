"""The driver's timer: graphs are reloaded when their files have changed."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterable
from pathlib import Path
from time import monotonic
from typing import Final

from pyspark.sql.streaming.query import StreamingQuery

from askos.errors import AskosError
from askos.prepared import Prepared
from askos.spark.control import Control
from askos.spark.reload import refresh
from askos.static.watched import WatchedFiles, watched_graphs
from askos.terms import URIRef, n3

_LONGEST: Final = 1.0  # seconds until it is noticed that the query has stopped


def refresh_while_running(
    query: StreamingQuery, control: Control, queries: Iterable[Prepared]
) -> None:
    """Look at the files that the catalogue wants to be looked at (`Graph.every_ms`), in a thread
    that ends with the query.  First at once: a file may have changed while nothing ran."""
    graphs = {graph.iri: graph for one in queries for graph in watched_graphs(one)}
    if not graphs:
        return

    def work() -> None:
        files = WatchedFiles(graphs, monotonic())
        changed = [(iri, graph.path) for iri, graph in graphs.items() if graph.path is not None]
        while query.isActive and not control.ended:
            for iri, path in changed:
                _refresh(control, iri, path)
            threading.Event().wait(min(max(files.next - monotonic(), 0), _LONGEST))
            changed = list(files.changed(monotonic()))

    threading.Thread(target=work, daemon=True, name="askos-refresh").start()


def _refresh(control: Control, iri: URIRef, path: Path) -> None:
    """A file that cannot be read is told, and what it said before stays."""
    try:
        refresh(control, iri, path)
    except AskosError as error:
        warnings.warn(f"{n3(iri)} stays as it was: {error}", stacklevel=1)
