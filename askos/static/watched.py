"""Files of graphs that are looked at now and then, to be reloaded when they have changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from askos.prepared import Prepared
from askos.sources import Graph
from askos.terms import URIRef


def file_hash(file: Path) -> str:
    """SHA-256 of a file; of no file, nothing."""
    try:
        with file.open("rb") as data:
            return hashlib.file_digest(data, "sha256").hexdigest()
    except OSError:
        return ""


def watched_graphs(query: Prepared) -> Iterator[Graph]:
    """The graphs of a query that the catalogue wants to be looked at now and then."""
    for iri in query.reloadable:
        graph = query.sources.get(iri)
        if isinstance(graph, Graph) and graph.every_ms is not None:
            yield graph


class WatchedFiles:
    """When to look at files again, and which of them have changed.

    Whoever drives a query asks, with the seconds of a clock that never goes back: operators read
    none.  Cost: where time and size of a file are as before, it is not read.
    """

    def __init__(self, graphs: Mapping[URIRef, Graph], now: float) -> None:
        self._graphs = graphs
        self._due = {iri: now + self._pause(iri) for iri in graphs}
        self._seen = {iri: self._look(iri) for iri in graphs}

    def _pause(self, iri: URIRef) -> float:
        return (self._graphs[iri].every_ms or 0) / 1000

    def _path(self, iri: URIRef) -> Path:
        path = self._graphs[iri].path
        assert path is not None  # Graph requires it
        return path

    @property
    def next(self) -> float:
        """When the next file is due."""
        return min(self._due.values())

    def changed(self, now: float) -> list[tuple[URIRef, Path]]:
        """The graphs that are due and whose files are not as they were when last looked at.  A
        file that is gone for the moment has not changed."""
        due = [iri for iri, time in self._due.items() if time <= now]
        return [(iri, self._path(iri)) for iri in due if self._is_new(iri, now)]

    def _is_new(self, iri: URIRef, now: float) -> bool:
        self._due[iri] = now + self._pause(iri)
        (before, old), stat = self._seen[iri], self._stat(iri)
        if stat in (None, before):
            return False
        self._seen[iri] = stat, (new := file_hash(self._path(iri)))
        return new != old

    def _look(self, iri: URIRef) -> tuple[object, str]:
        return self._stat(iri), file_hash(self._path(iri))

    def _stat(self, iri: URIRef) -> object:
        """Which file it is, and of when; None where there is none."""
        try:
            found = self._path(iri).stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
