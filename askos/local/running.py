"""A query over finite streams, in one go."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar, Unpack

import pyarrow as pa

from askos.errors import StreamError, shortened
from askos.io.nquads import read_nquads
from askos.local.engine import Engine, Lateness
from askos.local.finite import finite, run_finite
from askos.local.rows import Refused, Row, table_of
from askos.prepared import Options
from askos.queries import Queries, Text, Texts, listed, prepare_all, refuse_unread, several
from askos.sources import Catalogue, by_iri, nearest
from askos.terms import URIRef, n3

Given: TypeAlias = "Iterable[Row] | pa.Table | PathLike[str]"
"""Rows of a stream, or a file that has them."""
_SHOWN: Final = 3
_T = TypeVar("_T")


def run(
    query: Text | Texts,
    streams: Mapping[URIRef, Given] | Mapping[str, Given] | None = None,
    *,
    sources: Catalogue | None = None,
    batch: int = 10_000,
    lateness: Lateness | None = None,
    buckets: int = 1,
    refused: list[Refused] | None = None,
    state_limit: int | None = None,
    **options: Unpack[Options],
) -> Iterator[Any]:
    """The answers of a query over finite streams, in one go: each an `Element` where it reports
    intervals, else an `Answer`.  Of several queries, in a list or by name, pairs: the name of a
    query, and an answer of it.

    Streams are rows, or files of N-Quads; they are pushed in turns of `batch` rows, and those that
    queries register need none.  A stream that no query reads and `sources` does not declare is
    refused.  Within a stream rows may
    be out of order by its lateness; what is later than that is left out, as in an endless run.
    Rows that are no triples are left out too, and added to the list `refused`; without one, a
    warning tells them at the end.  `state_limit` is as in `Engine`.  `options` are those of
    `askos.prepare`: report, every, nonempty, boundary, origin, reasoning, dialect, base.

    Plain SPARQL reads graphs: then `streams` are graphs that arrive, `sources.DEFAULT_GRAPH` among
    them, as rows whose times do not count, or as a file of N-Triples; and each answer comes as
    soon as no later triple can take it back (`askos.local.Finite`).

    >>> bad = []
    >>> wind = "SELECT ?t FROM STREAM <wind> WINDOW RANGE 10 MS FIXED { ?t <speed> ?v }"
    >>> rows = [("<T1>", "<speed>", '"7"', 3), ("T2", "<speed>", '"8"', 4)]
    >>> [str(answer.item) for answer in run(wind, {"wind": rows}, refused=bad)]
    ['{?t → <T1>}']
    >>> print(bad[0].reason)
    s: T2 is no IRI or blank node in N-Triples: write <T2>
    """
    given, bad = by_iri(streams or {}), list[Refused]() if refused is None else refused
    told = _answers(query, given, sources, batch, lateness, buckets, bad, state_limit, options)
    return told if refused is not None else _warning(told, bad)


def _answers(
    query: Text | Texts,
    given: Mapping[URIRef, Given],
    sources: Catalogue | None,
    batch: int,
    lateness: Lateness | None,
    buckets: int,
    refused: list[Refused],
    state_limit: int | None,
    options: Options,
) -> Iterator[Any]:
    if not several(query):
        (one,) = listed(query)
        arriving = finite(one, list(given), sources, buckets, options)
        if arriving is not None:
            arriving.refused = refused
            return run_finite(arriving, given, batch)
    engine = Engine(sources=sources, lateness=lateness, buckets=buckets, state_limit=state_limit)
    engine.refused = refused
    every = prepare_all(listed(query), sources=sources, **options)
    engine.register_all(every.queries)
    _check(every, given, sources or Catalogue())
    answers = _run(engine, {source: given[source] for source in every.given}, batch)
    return answers if several(query) else (answer for _, answer in answers)


def _check(queries: Queries, given: Mapping[URIRef, Given], sources: Catalogue) -> None:
    """Refuse streams that nobody gives, and those that nobody reads or has heard of."""
    unread = [source for source in given if source not in queries.given]
    for source in queries.given:
        if source not in given:
            near = nearest(source, unread)
            hint = f"you gave <{near}>" if near else "give them in `streams`; an empty list will do"
            raise StreamError(f"there are no rows for the stream {n3(source)}", hint=hint)
    for source in unread:
        if source in queries.publishers:
            name = queries.publishers[source].name
            raise StreamError(
                f"{n3(source)} is the stream that the query {name!r} registers",
                hint="leave it out of `streams`: its readers get what that query reports",
            )
    refuse_unread(given, queries.given, [sources])


def _run(engine: Engine, streams: Mapping[URIRef, Given], batch: int) -> Iterator[tuple[str, Any]]:
    tables = {source: _table(rows, engine.refused) for source, rows in streams.items()}
    for start in range(0, max((len(table) for table in tables.values()), default=0), batch):
        for source, table in tables.items():
            if start < len(table):
                engine.push(source, table.slice(start, batch))
                yield from _taken(engine)
    engine.close()
    yield from _taken(engine)


def _table(rows: Given, refused: list[Refused]) -> pa.Table:
    if isinstance(rows, pa.Table):
        return rows
    if not isinstance(rows, PathLike):
        return table_of(rows)
    statements, rejected = read_nquads(Path(rows))
    refused += [
        Refused(row["text"], f"{rows}, line {row['line']}: {row['reason']}")
        for row in rejected.to_pylist()
    ]
    return statements


def _taken(engine: Engine) -> Iterator[tuple[str, Any]]:
    for name, query in engine.queries.items():
        yield from ((name, answer) for answer in query.take())


def _warning(answers: Iterator[_T], refused: list[Refused]) -> Iterator[_T]:
    """The answers; when nobody wants more, a warning of what was refused."""
    try:
        yield from answers
    finally:
        if refused:
            first = [f"{shortened(bad.reason)}: {shortened(bad.row)}" for bad in refused[:_SHOWN]]
            more = [f"… and {len(refused) - _SHOWN} more"] * (len(refused) > _SHOWN)
            rows = "1 row" if len(refused) == 1 else f"{len(refused)} rows"
            warnings.warn("\n  ".join([f"{rows} refused", *first, *more]), stacklevel=2)
