"""The in-process driver: push rows in, take answers out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import zip_longest
from time import monotonic
from types import MappingProxyType
from typing import TypeAlias, Unpack

import pyarrow as pa

from askos.columns import Batch, Coder
from askos.columns.memory import keep_freed_memory
from askos.errors import QueryError, StreamError
from askos.interval import check_instant
from askos.local.machine import Arrived, Entering, Machine
from askos.local.machines import Machines
from askos.local.query import Query
from askos.local.rows import Refused, Row, columns_of, refusal, stamped, table_of
from askos.physical import ingest
from askos.physical.jump import Jumps, latest_row
from askos.physical.limit import Limit
from askos.physical.limits import state_limit_of
from askos.physical.marks import IDLE, Mark
from askos.physical.versions import Reload, Reloaded
from askos.prepared import Options, Prepared, prepare
from askos.queries import Queries, Text, Texts, declared, fresh_name
from askos.sources import Catalogue, Data, Source, Stream, by_iri, nearest
from askos.static.watched import WatchedFiles, watched_graphs
from askos.terms import URIRef, n3

Lateness: TypeAlias = int | Mapping[URIRef, int] | Mapping[str, int]
"""How many milliseconds rows may come out of order: of all streams, or by stream."""
News: TypeAlias = tuple[Mapping[Machine, Entering], Mark]
"""What has become of triples that arrived, for whom, and what their stream says of the time."""


class Engine:
    """Many queries over the same streams, and over those that other queries register.

    A query that is registered as a stream publishes the triples of its reports, stamped with their
    instants; whoever reads that stream gets them at once, registered before it or after it.

    `sources` says what is known of streams and static graphs; `lateness` goes before what it
    says.  `buckets` spreads the state as Spark would; the answers do not depend on it.  A query
    that keeps more than `state_limit` elements in a bucket is stopped by a StreamError.

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
        state_limit: int | None = None,
    ) -> None:
        keep_freed_memory()
        self.refused: list[Refused] = []
        self._sources = sources
        self._lateness = by_iri(lateness) if isinstance(lateness, Mapping) else lateness
        self._coder = coder or Coder.fresh()
        self._queries: dict[str, Query] = {}  # each after those whose streams it reads
        self._machines = Machines(self._coder, buckets, state_limit_of(state_limit))
        self._watched: dict[str, WatchedFiles] = {}
        self._jumps = Jumps()
        self._read: dict[str, URIRef] = {}  # streams that were asked for since queries came or went

    @property
    def queries(self) -> Mapping[str, Query]:
        """The queries that run, by name: publishers before their readers."""
        return MappingProxyType(self._queries)

    def register(
        self, query: Text, *, name: str | None = None, **options: Unpack[Options]
    ) -> Query:
        """Start a query; it sees what is pushed from now on.  `options` are those of
        `askos.prepare`.

        It is called `name`, or what it is registered as, or `query-1` and so on.  A name that
        another query has, and streams that are read in a circle, are refused.
        """
        (made,) = self._register([(name, query)], options)
        return made

    def register_all(self, queries: Texts, **options: Unpack[Options]) -> dict[str, Query]:
        """Start several queries, in a list or by name; those that differ in constants only run as
        one, and so does whoever of their kind is registered later.

        A query that joins others of its kind sees what is pushed from now on, and of what they
        have kept, what none of its own constants restricts.

        >>> text = "SELECT ?v FROM STREAM <wind> WINDOW RANGE 10 MS FIXED {{ <{}> <speed> ?v }}"
        >>> engine = Engine()
        >>> both = engine.register_all({name: text.format(name) for name in ("T1", "T2")})
        >>> engine.push("wind", [("<T2>", "<speed>", '"7"', 3)])
        >>> [len(query.take()) for query in both.values()]
        [0, 1]
        """
        named = queries if isinstance(queries, Mapping) else None
        given = list(named.items()) if named else [(None, each) for each in queries]
        made = self._register(given, options)
        return {query.name: query for query in made}

    def _register(self, given: Sequence[tuple[str | None, Text]], options: Options) -> list[Query]:
        known, running = self._sources, [made.prepared for made in self._queries.values()]
        own = {made.publishes for made in running if made.publishes}
        if known is not None:
            known = declared(known, [*running, *(query for _, query in given)])
        new = list[Prepared]()
        for name, query in given:
            prepared = prepare(query, sources=known, **options)
            taken = {*self._queries, *(other.name or "" for other in new)}
            new.append(replace(prepared, name=name or prepared.name or fresh_name(taken)))
        ordered = Queries.of([*running, *new])
        self._read.clear()
        made, begun = self._machines.start(new)
        every = {**self._queries, **made}
        self._queries = {each: every[each] for each in ordered.names}
        self._machines.put_in_order(ordered.names)
        for abreast in self._machines.abreast():
            self._begin([machine for machine in abreast if machine in begun], own)
        return [made[prepared.name or ""] for prepared in new]

    def _begin(self, machines: Sequence[Machine], registered: Set[URIRef]) -> None:
        """Tell new queries what is known of their streams, one step after the other."""
        known = [list(self._first_marks(machine, registered)) for machine in machines]
        for step in zip_longest(*known):
            for machine, mark in zip(machines, step, strict=True):
                if mark is not None:
                    machine.step({}, mark)
        for machine in machines:
            watched = {graph.iri: graph for graph in watched_graphs(machine.prepared)}
            if watched:
                self._watched[machine.name] = WatchedFiles(watched, monotonic())

    def _first_marks(self, machine: Machine, registered: Set[URIRef]) -> Iterator[Mark]:
        """Which streams are idle, and how far those are that other queries have registered."""
        for stream in machine.prepared.sources.streams:
            idle = stream.idle and stream.iri not in registered
            if idle and stream.iri in machine.sources:
                yield Mark(str(stream.iri), IDLE)
        for other in self._machines:
            if other.promise is not None and other.prepared.publishes in machine.sources:
                yield Mark(other.promise.channel, other.promise.time)

    def stop(self, name: str) -> Query:
        """Stop a query: it sees nothing more, and what it has not decided is never told.  Readers
        of the stream that it registers no longer wait for that.  Its answers can be taken."""
        if name not in self._queries:
            known = ", ".join(self._queries) or "none"
            raise QueryError(f"no query is called {name!r}", hint=f"registered: {known}")
        stopped = self._queries.pop(name)
        self._watched.pop(name, None)
        self._read.clear()
        self._machines.stop(stopped)
        stream = stopped.prepared.publishes
        if stream is not None:
            self._pass_on({stream: [(Batch.empty(), Mark(str(stream), IDLE))]})
        return stopped

    def take_tables(self) -> Iterator[pa.Table]:
        """The answers of all queries since the last call, as `Query.take_table` gives them, with
        the name of its query beside each row: a table for all queries that have the same columns,
        and one for all those that run as one.

        Cost: what the answers cost, however many queries there are.
        """
        return self._machines.take_tables()

    def push(self, source: str, rows: Iterable[Row] | pa.Table, *, at: int | None = None) -> None:
        """Rows of a stream, in any order within its lateness.

        With `at`, all of them arrive at that instant, and need no time of their own: triples
        will do, or a table of s, p and o.  The caller says it, so that a run can be repeated.

        Rows beyond what the stream declares as `not_after` or `ahead_ms` are refused; for the
        latter a table needs a column `arrived`.  Where neither is declared, a warning tells of a
        row that is more than a day later than all that were pushed before.  What is refused is in
        `refused`, where a table has columns `file` and `line`, with these.
        """
        source = self._known(source)
        table = rows if isinstance(rows, pa.Table) else table_of(rows)
        if at is not None:
            table = stamped(table, check_instant(at))
        columns = columns_of(table)
        s, p, o, ts = (columns[name] for name in ("s", "p", "o", "ts"))
        limit, own = Limit.of(self._declared(source)), (columns.get("seq"), columns.get("arrived"))
        got = ingest(s, p, o, ts, self._coder, *own, limit)
        for row, reason in zip(got.refused.tolist(), got.reasons, strict=True):
            self.refused.append(refusal(columns, row, reason))
        if len(got.batch):
            smallest, largest = int(got.batch.ts.min()), int(got.batch.ts.max())
            promised = max(largest - self._lateness_of(source), 0)
            self._step(source, got.batch, Mark(str(source), promised, smallest, largest))
            if not limit and self._jumps.is_news(str(source), largest):
                for jump in self._jumps.note([latest_row(str(source), columns, got)]):
                    warnings.warn(str(jump), stacklevel=2)

    def advance(self, source: str, time: int) -> None:
        """Promise that no row of `source` before `time` will come any more."""
        source = self._known(source)
        self._step(source, Batch.empty(), Mark(str(source), check_instant(time)))

    def idle(self, source: str) -> None:
        """Do not wait for `source` until it speaks again."""
        source = self._known(source)
        self._step(source, Batch.empty(), Mark(str(source), IDLE))

    def reload(self, graph: URIRef, data: Data, *, at: int | None = None) -> dict[str, Reloaded]:
        """Give a graph other triples while queries read it: those of a file, or triples.

        It must have been declared `reloadable`.  The new triples count from `at` on, an instant of
        the streams; not before what has been told already; without `at`, as soon as they may.
        Gives the instant for each query that reads the graph.

        >>> from askos.terms import Literal
        >>> T1, at, north, south = map(URIRef, ["T1", "at", "north", "south"])
        >>> wind, park = URIRef("wind"), URIRef("park")
        >>> known = Catalogue().stream(wind).graph(park, [(T1, at, north)], reloadable=True)
        >>> engine = Engine(sources=known)
        >>> query = engine.register(
        ...     "SELECT ?v ?site FROM STREAM <wind> WINDOW RANGE 10 MS FIXED FROM <park>"
        ...     " WHERE { ?t <speed> ?v . ?t <at> ?site }"
        ... )
        >>> engine.push(wind, [(T1, URIRef("speed"), Literal("7"), 3)])
        >>> print(engine.reload(park, [(T1, at, south)], at=5)["query-1"])
        graph <park>, reload 1: counts from 1970-01-01T00:00:00.005Z on
        >>> engine.close()
        >>> for answer in query.take():
        ...     print(answer.interval, answer.item)
        [3, 5) {?site → <north>, ?v → "7"}
        [5, 10) {?site → <south>, ?v → "7"}
        """
        return self._reload(graph, lambda query: query.reload(graph, data, at))

    def update(
        self,
        graph: URIRef,
        *,
        insert: Data = (),
        delete: Data = (),
        at: int | None = None,
    ) -> dict[str, Reloaded]:
        """Take triples from a graph and add others, as `reload` does with all of them."""
        return self._reload(graph, lambda query: query.update(graph, insert, delete, at))

    def _reload(self, graph: URIRef, made: Callable[[Machine], Reload]) -> dict[str, Reloaded]:
        readers = [machine for machine in self._machines if graph in machine.prepared.graphs]
        if not readers:
            raise StreamError(
                f"no registered query reads the graph {n3(graph)}",
                hint="register a query that does before reloading it",
            )
        told = [made(machine) for machine in readers]  # of all of them, before any of them hears
        found = dict[str, Reloaded]()
        for machine, reload in zip(readers, told, strict=True):
            found |= dict.fromkeys(self._machines.names(machine), machine.tell(reload))
        return found

    def _refresh(self) -> None:
        """Reload what the catalogue wants to be reloaded when its file has changed; a file that
        cannot be read is told, and what it said before stays."""
        for machine in self._machines if self._watched else ():
            files = self._watched.get(machine.name)
            for graph, path in files.changed(monotonic()) if files else ():
                try:
                    reload = machine.refresh(graph, path)
                except StreamError as error:
                    warnings.warn(f"{n3(graph)} stays as it was: {error}", stacklevel=3)
                    continue
                if reload is not None:
                    machine.tell(reload)

    def close(self) -> None:
        """End of input: everything flushes, and what is published by that reaches its readers."""
        self._pass_on({}, end=True)

    def _declared(self, source: URIRef) -> Source | None:
        """What is known of a stream: by the engine, else by a query that was prepared with it."""
        prepared = (machine.prepared.sources for machine in self._machines)
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

    def _known(self, name: str) -> URIRef:
        """The stream of that name, refused if no query reads it or one of them writes it."""
        known = str(name)
        if known not in self._read:
            self._read[known] = self._checked(URIRef(name))
        return self._read[known]

    def _checked(self, source: URIRef) -> URIRef:
        running = list(self._machines)
        owner = next((each for each in running if each.prepared.publishes == source), None)
        if owner is not None:
            raise StreamError(
                f"{n3(source)} is the stream that the query {owner.name!r} registers",
                hint="only that query gives it rows, and tells its time",
            )
        if not any(source in machine.streams for machine in running):
            near = nearest(source, {stream for machine in running for stream in machine.streams})
            hint = f"did you mean <{near}>?" if near else "register a query that does, then push"
            raise StreamError(f"no registered query reads {n3(source)}", hint=hint)
        return source

    def _step(self, source: URIRef, triples: Batch, mark: Mark) -> None:
        self._refresh()
        self._pass_on({source: [(triples, mark)]})

    def _pass_on(self, arrived: dict[URIRef, list[Arrived]], *, end: bool = False) -> None:
        """Give every query what arrived on its streams, publishers before their readers."""
        news = {source: self._entering(source, found) for source, found in arrived.items()}
        for abreast in self._machines.abreast():
            # What the optimiser has dropped tells nothing, and is not waited for.
            for source in abreast[0].sources:
                for entering, mark in news.get(source, ()):
                    for machine in abreast:
                        machine.step(entering.get(machine, {}), mark)
            for machine in abreast:
                if end:
                    machine.end()
                stream = machine.prepared.publishes
                if stream is not None:
                    news[stream] = self._entering(stream, machine.published())

    def _entering(self, source: URIRef, arrived: Sequence[Arrived]) -> list[News]:
        return [(self._machines.entering(source, triples), mark) for triples, mark in arrived]
