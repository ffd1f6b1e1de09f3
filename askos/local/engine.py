"""The in-process driver: push rows in, take answers out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

import pyarrow as pa

from askos.algebra import Element, Operator, Report
from askos.columns import Batch, Coder
from askos.errors import StreamError
from askos.interval import check_instant
from askos.local.query import Query
from askos.local.rows import Refused, Row, stamped, table_of
from askos.physical import ingest
from askos.physical.bucket import IDLE, Mark
from askos.prepared import Prepared, prepare
from askos.sources import Catalogue, Stream
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

    def register(
        self, query: str | ast.Query | Operator | Prepared, report: Report | None = None
    ) -> Query:
        """Start a query; it sees what is pushed from now on."""
        prepared = prepare(query, sources=self._sources, report=report)
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
        """
        table = rows if isinstance(rows, pa.Table) else table_of(rows)
        if at is not None:
            table = stamped(table, check_instant(at))
        s, p, o, ts = (table[name].combine_chunks() for name in ("s", "p", "o", "ts"))
        got = ingest(s, p, o, ts, self._coder)
        for row, reason in zip(got.refused.tolist(), got.reasons, strict=True):
            self.refused.append(
                Refused(str(list(table.slice(row, 1).to_pylist()[0].values())), reason)
            )
        if len(got.batch):
            latest = int(got.batch.ts.max())
            self._step(source, got.batch, max(latest - self._lateness_of(source), 0))

    def advance(self, source: URIRef, time: int) -> None:
        """Promise that no row of `source` before `time` will come any more."""
        self._step(source, Batch.empty(), check_instant(time))

    def idle(self, source: URIRef) -> None:
        """Do not wait for `source` until it speaks again."""
        self._step(source, Batch.empty(), IDLE)

    def close(self) -> None:
        """End of input: everything flushes."""
        for query in self._queries:
            query.end()

    def _lateness_of(self, source: URIRef) -> int:
        match self._lateness:
            case None:
                known = self._sources.get(source) if self._sources else None
                return known.lateness_ms if isinstance(known, Stream) else 0
            case int():
                return self._lateness
        return self._lateness.get(source, 0)

    def _step(self, source: URIRef, triples: Batch, time: int) -> None:
        readers = [query for query in self._queries if source in query.prepared.streams]
        if not readers:
            raise StreamError(
                f"no registered query reads {n3(source)}",
                hint="register a query that does before pushing its rows",
            )
        for query in readers:
            # What the optimiser has dropped tells nothing, and is not waited for.
            if source in query.plan.sources:
                query.step(source, triples, Mark(str(source), time))


def run(
    query: str | ast.Query | Operator | Prepared,
    streams: Mapping[URIRef, Iterable[Row] | pa.Table] | None = None,
    *,
    sources: Catalogue | None = None,
    report: Report | None = None,
    batch: int = 10_000,
    lateness: Lateness | None = None,
    buckets: int = 1,
) -> Iterator[Element]:
    """The answers of a query over finite streams, in one go.

    Streams are pushed in turns of `batch` rows.  Within a stream rows may be out of order by its
    lateness; what is later than that is left out, as in an endless run.
    """
    engine = Engine(sources=sources, lateness=lateness, buckets=buckets)
    made = engine.register(query, report)
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
) -> Iterator[Element]:
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
