"""Letting queries join others of their kind while these run: the driver's part.

The tables of constants are made anew beside the checkpoint, under a lock; then one entry of the
control stream tells who has joined.  Workers look it up (see `askos.spark.rolls`).  Whoever can
write to the checkpoint can do it, from any process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from askos.errors import QueryError, StreamError
from askos.prepared import Options, Prepared, prepare
from askos.queries import Text, fresh_name
from askos.sources import Catalogue
from askos.spark.checkpoint import read_document
from askos.spark.control import Control, locked
from askos.spark.joining import RunningKind
from askos.spark.registration import Registration
from askos.spark.several import Several, joining, read_all


def register(
    control: Control,
    given: Sequence[tuple[str | None, Text]],
    sources: Catalogue | None,
    options: Options,
) -> list[str]:
    """See `Control.register_all`."""
    with locked(control.checkpoint):
        stored = _joinable(control.checkpoint)
        known = _catalogue(stored.running) if sources is None else sources
        prepared = [(name, prepare(text, sources=known, **options)) for name, text in given]
        queries = _named(prepared, [*stored.names, *stored.kinds], control.checkpoint)
        _tell(control, stored, queries)
    return [query.name or "" for query in queries]


def register_new(control: Control, given: Iterable[Prepared]) -> None:
    """Let those of queries with names join who are not there yet."""
    with locked(control.checkpoint):
        stored = read_all(control.checkpoint)
        new = [query for query in given if query.name not in stored.names]
        if new:
            _tell(control, stored, new)


def _tell(control: Control, stored: Several, queries: Sequence[Prepared]) -> None:
    """The first error stops it before anything has changed."""
    if control.ended:
        raise StreamError(
            f"checkpoint {control.checkpoint} has come to its end: no query can join any more",
            hint="start with an empty checkpoint",
        )
    grown = joining(stored, queries)
    before = control.registered
    kinds = {name: kind.with_tables(control.checkpoint) for name, kind in grown.items()}
    control.write_registration(Registration(before.number + 1, {**before.kinds, **kinds}))


def _joinable(folder: Path) -> Several:
    """What runs, refused if no query of it has others of its kind."""
    stored = read_all(folder) if "queries" in read_document(folder) else None
    if stored is None or not stored.running:
        raise QueryError(
            f"no query can join those of checkpoint {folder}: no two of them differ in constants"
            " only",
            hint="start two of the kind together, and others may join them while they run",
        )
    return stored


def _catalogue(kinds: Mapping[str, RunningKind]) -> Catalogue:
    """What is known of the sources of queries that run: which are streams, and which are graphs."""
    examples = [kind.example for kind in kinds.values()]
    again = {iri for query in examples for iri in query.reloadable}
    known = Catalogue()
    for stream in dict.fromkeys(iri for query in examples for iri in query.streams):
        known = known.stream(stream)
    for graph in dict.fromkeys(iri for query in examples for iri in query.graphs):
        known = known.graph(graph, reloadable=graph in again)
    return known


def _named(
    given: Iterable[tuple[str | None, Prepared]], names: Iterable[str], folder: Path
) -> list[Prepared]:
    """Queries with names that nobody else has."""
    taken, new = set(names), list[Prepared]()
    for name, query in given:
        name = name or query.name or fresh_name(taken)
        if name in taken:
            raise QueryError(
                f"checkpoint {folder} has a query {name!r} already", hint="give it another name"
            )
        taken.add(name)
        new.append(replace(query, name=name))
    return new
