"""Reloading static graphs while a query runs: the driver's part.

New triples are read and made into tables beside the checkpoint, under a lock; then one entry of
the control stream tells all stages, in one micro-batch.  Whoever can write to the checkpoint can
do it, from any process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce as fold
from pathlib import Path
from typing import TypeAlias

from askos.errors import StreamError
from askos.physical.reloading import Reloading
from askos.physical.versions import Reload, Schedule
from askos.sources import Data
from askos.spark.checkpoint import Checkpoint, read, read_document
from askos.spark.control import Control, locked
from askos.spark.several import read_all
from askos.terms import URIRef, n3

_Make: TypeAlias = Callable[[Reloading, Schedule], Reload | None]


def reload(control: Control, graph: URIRef, data: Data, at: int | None) -> int:
    """See `Control.reload`."""
    return _tell(control, graph, lambda how, known: how.reload(known, graph, data, at))


def refresh(control: Control, graph: URIRef, data: Data) -> int:
    """The same as soon as it may be, unless the graph has these very triples."""
    return _tell(control, graph, lambda how, known: how.refresh(known, graph, data))


def update(control: Control, graph: URIRef, insert: Data, delete: Data, at: int | None) -> int:
    """See `Control.update`."""
    return _tell(control, graph, lambda how, known: how.update(known, graph, insert, delete, at))


def _tell(control: Control, graph: URIRef, make: _Make) -> int:
    """To all queries of a checkpoint that read the graph; the first error stops it before any of
    them has been told.  Gives the number of the last reload."""
    folder = control.checkpoint
    with locked(folder):
        if control.ended:
            raise StreamError(
                f"checkpoint {folder} has come to its end: nothing can be reloaded any more",
                hint="start with an empty checkpoint",
            )
        parts = _parts(folder)
        readers = {name: part for name, part in parts.items() if graph in part.query.graphs}
        if not readers:
            raise _not_read(folder, graph, parts)
        told = {name: control.reloads(name) for name in parts}
        last = max((each.number for every in told.values() for each in every), default=0)
        made = {
            name: make(part.reloading(folder, name), _schedule(part, told[name], last))
            for name, part in readers.items()
        }
        news = {name: reload for name, reload in made.items() if reload is not None}
        if news:
            control.write_reload(last + 1, news)
    return last + bool(news)


def _schedule(part: Checkpoint, told: list[Reload], last: int) -> Schedule:
    """All that was told to a query; numbers are those of all queries."""
    known = fold(Schedule.after, told, Schedule((part.first,)))
    return Schedule(known.versions, last)


def _parts(folder: Path) -> Mapping[str, Checkpoint]:
    """The queries of a checkpoint, by name; one by itself has none."""
    if "queries" in read_document(folder):
        return {part.query.name or "": part for part in read_all(folder).parts}
    return {"": read(folder)}


def _not_read(folder: Path, graph: URIRef, parts: Mapping[str, Checkpoint]) -> StreamError:
    known = dict.fromkeys(iri for part in parts.values() for iri in part.query.reloadable)
    return StreamError(
        f"the query of checkpoint {folder} does not read the graph {n3(graph)}",
        hint=f"it may reload: {', '.join(map(n3, known)) or 'none'}",
    )
