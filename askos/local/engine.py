"""The in-process driver: push rows in, take answers out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, TypeAlias, Unpack

import pyarrow as pa

from askos.algebra import Operator
from askos.columns import Batch, Coder
from askos.errors import StreamError
from askos.interval import check_instant
from askos.local.query import Query
from askos.local.rows import Refused, Row, stamped, table_of
from askos.physical import ingest
from askos.physical.jump import Jumps, latest_row
from askos.physical.limit import Limit
from askos.physical.marks import IDLE, Mark
from askos.prepared import Options, Prepared, prepare
from askos.sources import Catalogue, Source, Stream
from askos.terms import URIRef, n3
from askos.translate import ast

Lateness: TypeAlias = int | Mapping[URIRef, int]
"""How many milliseconds rows may come out of order: of all streams, or by stream."""


class Engine:
    """Many queries over the same streams.

    `sources` says what is known of streams and static graphs; `lateness` goes before what it
    says.  `buckets` spreads the state as Spark would; the answers do not depend on it.

    >>> from askos.terms import Literal
    >>> wind, speed = URIRef("http://wind.example/wind"), URIRef("http://wind.example/speed")
    >>> engine = Engine()
    >>> query = engine.register(
    ...     "PREFIX : <http://wind.example/> SELECT * FROM STREAM :wind WINDOW RANGE 10 MS FIXED"
    ...     " WHERE { ?t :speed ?v }"
    ... )
    >>> engine.push(wind, [(URIRef("http://wind.example/T1"), speed, Literal("7"), 3)])
    >>> for answer in query.take():
    ...     print(answer.interval, answer.item)
    [3, 10) {?t → <http://wind.example/T1>, ?v → "7"}
    """

    def __init__(
        self,
        *,
        sources: Catalogue | None = None,
        lateness: Lateness | None = None,
        buckets: int = 1,
        coder: Coder | None = None,
    ) -> None:
        self.refused: list[Refused] = []
        self._sources = sources
        self._lateness = lateness
        self._buckets = buckets
        self._coder = coder or Coder.fresh()
        self._queries: list[Query] = []
        self._jumps = Jumps()

    def register(
        self, query: str | ast.Query | Operator | Prepared, **options: Unpack[Options]
    ) -> Query:
        """Start a query; it sees what is pushed from now on.  `options` are those of
        `askos.prepare`."""
        prepared = prepare(query, sources=self._sources, **options)
        made = Query(prepared, self._coder, self._buckets)
        self._queries.append(made)
        for stream in prepared.sources.streams:
            if stream.idle and stream.iri in made.plan.sources:
                made.step(stream.iri, Batch.empty(), Mark(str(stream.iri), IDLE))
        return made

    def push(
        self, source: URIRef, rows: Iterable[Row] | pa.Table, *, at: int | None = None
    ) -> None:
        """Rows of a stream, in any order within its lateness.

        With `at`, all of them arrive at that instant, and need no time of their own: triples
        will do, or a table of s, p and o.  The caller says it, so that a run can be repeated.

        Rows beyond what the stream declares as `not_after` or `ahead_ms` are refused; for the
        latter a table needs a column `arrived`.  Where neither is declared, a warning tells of a
        row that is more than a day later than all that were pushed before.
        """
        table = rows if isinstance(rows, pa.Table) else table_of(rows)
        if at is not None:
            table = stamped(table, check_instant(at))
        columns = {name: table[name].combine_chunks() for name in table.column_names}
        s, p, o, ts = (columns[name] for name in ("s", "p", "o", "ts"))
        limit, own = Limit.of(self._declared(source)), (columns.get("seq"), columns.get("arrived"))
        got = ingest(s, p, o, ts, self._coder, *own, limit)
        for row, reason in zip(got.refused.tolist(), got.reasons, strict=True):
            self.refused.append(
                Refused(str(list(table.slice(row, 1).to_pylist()[0].values())), reason)
            )
        if len(got.batch):
            smallest, largest = int(got.batch.ts.min()), int(got.batch.ts.max())
            promised = max(largest - self._lateness_of(source), 0)
            self._step(source, got.batch, Mark(str(source), promised, smallest, largest))
            if not limit:
                for jump in self._jumps.note([latest_row(str(source), columns, got)]):
                    warnings.warn(str(jump), stacklevel=2)

    def advance(self, source: URIRef, time: int) -> None:
        """Promise that no row of `source` before `time` will come any more."""
        self._step(source, Batch.empty(), Mark(str(source), check_instant(time)))

    def idle(self, source: URIRef) -> None:
        """Do not wait for `source` until it speaks again."""
        self._step(source, Batch.empty(), Mark(str(source), IDLE))

    def close(self) -> None:
        """End of input: everything flushes."""
        for query in self._queries:
            query.end()

    def _declared(self, source: URIRef) -> Source | None:
        """What is known of a stream: by the engine, else by a query that was prepared with it."""
        prepared = (query.prepared.sources for query in self._queries)
        known = [self._sources] if self._sources is not None else prepared
        return next((found for of in known if (found := of.get(source))), None)

    def _lateness_of(self, source: URIRef) -> int:
        match self._lateness:
            case None:
                known = self._declared(source)
                return known.lateness_ms if isinstance(known, Stream) else 0
            case int():
                return self._lateness
        return self._lateness.get(source, 0)

    def _step(self, source: URIRef, triples: Batch, mark: Mark) -> None:
        readers = [query for query in self._queries if source in query.prepared.streams]
        if not readers:
            raise StreamError(
                f"no registered query reads {n3(source)}",
                hint="register a query that does before pushing its rows",
            )
        for query in readers:
            # What the optimiser has dropped tells nothing, and is not waited for.
            if source in query.plan.sources:
                query.step(source, triples, mark)


def run(
    query: str | ast.Query | Operator | Prepared,
    streams: Mapping[URIRef, Iterable[Row] | pa.Table | PathLike[str]] | None = None,
    *,
    sources: Catalogue | None = None,
    batch: int = 10_000,
    lateness: Lateness | None = None,
    buckets: int = 1,
    **options: Unpack[Options],
) -> Iterator[Any]:
    """The answers of a query over finite streams, in one go: each an `Element` where it reports
    intervals, else an `Answer`.

    Streams are pushed in turns of `batch` rows.  Within a stream rows may be out of order by its
    lateness; what is later than that is left out, as in an endless run.  `options` are those of
    `askos.prepare`: report, every, nonempty, boundary, origin, reasoning, dialect, base.

    Plain SPARQL reads graphs: then `streams` are graphs that arrive, `sources.DEFAULT_GRAPH` among
    them, as rows whose times do not count, or as a file of N-Triples; and each answer comes as
    soon as no later triple can take it back (`askos.local.Finite`).
    """
    from askos.local.finite import finite, run_finite

    arriving = finite(query, list(streams or ()), sources, buckets, options)
    if arriving is not None:
        return run_finite(arriving, streams or {}, batch)
    engine = Engine(sources=sources, lateness=lateness, buckets=buckets)
    made = engine.register(query, **options)
    given = streams or {}
    missing = [source for source in made.prepared.streams if source not in given]
    if missing:
        raise StreamError(
            f"there are no rows for the stream {n3(missing[0])}",
            hint="give them in `streams`; an empty list will do",
        )
    return _run(engine, made, given, batch)


def _run(
    engine: Engine,
    query: Query,
    streams: Mapping[URIRef, Iterable[Row] | pa.Table],
    batch: int,
) -> Iterator[Any]:
    tables = {
        source: rows if isinstance(rows, pa.Table) else table_of(rows)
        for source, rows in streams.items()
        if source in query.prepared.streams
    }
    for start in range(0, max((len(table) for table in tables.values()), default=0), batch):
        for source, table in tables.items():
            if start < len(table):
                engine.push(source, table.slice(start, batch))
                yield from query.take()
    engine.close()
    yield from query.take()
