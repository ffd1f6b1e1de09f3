"""The in-process driver: push rows in, take answers out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import pyarrow as pa

from askos.algebra import Element, Operator, Payload, Report, Stamped
from askos.algebra.streams import Item
from askos.columns import Batch, Coder, coalesce, decode
from askos.errors import StreamError
from askos.interval import FOREVER, Interval, check_instant
from askos.physical import Line, PhysicalPlan, Stage, build, feed, ingest
from askos.physical.bucket import END, IDLE, Bucket, Mark, Output, stage_channel
from askos.physical.exchange import split
from askos.physical.stages import check_report
from askos.physical.tables import tabulate
from askos.static.graph import StaticGraph
from askos.terms import Solution, Term, Triple, URIRef, Variable, n3

Row: TypeAlias = Stamped | tuple[Term | str, Term | str, Term | str, int]
"""A triple and when it arrived; terms may be given in N-Triples."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was no triple, and why."""

    row: str
    reason: str


class Query:
    """A registered plan: its state, and the answers nobody has taken yet.

    `late` are elements that came after their time had been decided.
    """

    def __init__(
        self,
        plan: PhysicalPlan,
        coder: Coder,
        buckets: int,
        graphs: Mapping[URIRef, StaticGraph],
    ) -> None:
        self.plan = plan
        self.late: list[Element] = []
        self._answers: list[Element] = []
        self._lines = [
            (entry.source, Line(entry, coder)) for stage in plan.stages for entry in stage.feeds
        ]
        tables = [tabulate(part, graphs, coder) for part in plan.tables].__getitem__
        self._stages = [
            (stage, [Bucket(plan, stage, coder, tables, at, buckets) for at in range(buckets)])
            for stage in plan.stages
        ]

    def take(self) -> list[Element]:
        """The answers since the last call."""
        answers, self._answers = self._answers, []
        return answers

    def step(self, source: URIRef, triples: Batch, mark: Mark) -> None:
        """Run all stages over what arrived from one stream, and its promise."""
        lines = [line for of, line in self._lines if of == source]
        entering: dict[int, list[Batch]] = {}
        for port, batch in feed(lines, triples):
            entering.setdefault(port, []).append(batch)
        self._run(entering, mark)

    def end(self) -> None:
        """No stream sends anything any more: everything flushes."""
        self._run({}, Mark(END, FOREVER))

    def _run(self, entering: dict[int, list[Batch]], mark: Mark) -> None:
        """One stage after the other; each bucket hears the stages before from its twin there, as
        it does on Spark."""
        news: dict[int, list[Mark]] = {}
        result = Batch.empty()
        for stage, buckets in self._stages:
            heard = [
                [mark, *(news[number][place] for number, _ in stage.upstream)]
                for place in range(len(buckets))
            ]
            outputs = _step(stage, buckets, entering, heard)
            channel = stage_channel(stage.number)
            news[stage.number] = [Mark(channel, out.progress) for out in outputs]
            # A stage without a key has one bucket; the others only pass progress on.
            told = outputs if stage.key else outputs[:1]
            result = Batch.concat([out.batch for out in told])
            for port in self._readers(stage):
                entering.setdefault(port, []).append(result)
            self.late += [e for out in outputs for batch in out.late for e in elements(batch)]
        chosen = coalesce(result.project(self.plan.columns))
        self._answers += elements(chosen, self.plan.payload)

    def _readers(self, stage: Stage) -> Iterator[int]:
        for later, _ in self._stages:
            yield from (port for number, port in later.upstream if number == stage.number)


def _step(
    stage: Stage,
    buckets: Sequence[Bucket],
    entering: Mapping[int, Sequence[Batch]],
    news: Sequence[Sequence[Mark]],
) -> list[Output]:
    """One stage: rows to their buckets, to each its news."""
    rows: list[dict[int, list[Batch]]] = [{} for _ in buckets]
    for port in stage.ports:
        for batch in entering.get(port.number, ()):
            for place, part in split(batch, stage.key, len(buckets)):
                rows[place].setdefault(port.number, []).append(part)
    return [bucket.step(part, told) for bucket, part, told in zip(buckets, rows, news, strict=True)]


class Engine:
    """Many queries over the same streams.

    `lateness` is how many milliseconds rows of a stream may come out of order, for all streams
    or by stream.  `buckets` spreads the state as Spark would; the answers do not depend on it.

    >>> from askos.algebra import Pattern, SlidingWindow, StreamAccess
    >>> from askos.terms import Literal, Variable
    >>> wind, speed = URIRef("http://wind.example/wind"), URIRef("http://wind.example/speed")
    >>> window = SlidingWindow(StreamAccess(wind), 10, 10)
    >>> engine = Engine()
    >>> query = engine.register(Pattern(Variable("t"), speed, Variable("v"), window))
    >>> engine.push(wind, [(URIRef("http://wind.example/T1"), speed, Literal("7"), 3)])
    >>> for answer in query.take():
    ...     print(answer.interval, answer.item)
    [3, 10) {?t → <http://wind.example/T1>, ?v → "7"}
    """

    def __init__(
        self,
        *,
        lateness: int | Mapping[URIRef, int] = 0,
        buckets: int = 1,
        coder: Coder | None = None,
        graphs: Mapping[URIRef, StaticGraph] | None = None,
    ) -> None:
        self._graphs = graphs or {}
        self.refused: list[Refused] = []
        self._lateness = lateness
        self._buckets = buckets
        self._coder = coder or Coder.fresh()
        self._queries: list[Query] = []

    def register(self, plan: Operator, report: Report | None = None) -> Query:
        """Start a plan; it sees what is pushed from now on."""
        query = Query(build(plan, check_report(report)), self._coder, self._buckets, self._graphs)
        self._queries.append(query)
        return query

    def push(self, source: URIRef, rows: Iterable[Row] | pa.Table) -> None:
        """Rows of a stream, in any order within its lateness."""
        table = rows if isinstance(rows, pa.Table) else _table(rows)
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
        return self._lateness if isinstance(self._lateness, int) else self._lateness.get(source, 0)

    def _step(self, source: URIRef, triples: Batch, time: int) -> None:
        readers = [query for query in self._queries if source in query.plan.sources]
        if not readers:
            raise StreamError(
                f"no registered query reads {n3(source)}",
                hint="register a query that does before pushing its rows",
            )
        for query in readers:
            query.step(source, triples, Mark(str(source), time))


def run(
    plan: Operator,
    streams: Mapping[URIRef, Iterable[Row] | pa.Table],
    *,
    report: Report | None = None,
    batch: int = 10_000,
    lateness: int | Mapping[URIRef, int] = 0,
    buckets: int = 1,
) -> Iterator[Element]:
    """The answers of a plan over finite streams, in one go.

    Streams are pushed in turns of `batch` rows.  Within a stream rows may be out of order by its
    lateness; what is later than that is left out, as in an endless run.
    """
    engine = Engine(lateness=lateness, buckets=buckets)
    query = engine.register(plan, report)
    tables = {
        source: rows if isinstance(rows, pa.Table) else _table(rows)
        for source, rows in streams.items()
        if source in query.plan.sources
    }
    for start in range(0, max((len(table) for table in tables.values()), default=0), batch):
        for source, table in tables.items():
            if start < len(table):
                engine.push(source, table.slice(start, batch))
                yield from query.take()
    engine.close()
    yield from query.take()


def _table(rows: Iterable[Row]) -> pa.Table:
    """Rows as columns of texts; what is no term or no time becomes null, and is refused later."""
    columns: dict[str, list[Any]] = {"s": [], "p": [], "o": [], "ts": []}
    for row in rows:
        *terms, at = (*row.triple, row.at) if isinstance(row, Stamped) else row
        for name, term in zip("spo", terms, strict=True):
            columns[name].append(_text(term))
        columns["ts"].append(at if type(at) is int and 0 <= at <= FOREVER else None)
    types = [pa.string()] * 3 + [pa.int64()]
    arrays = [pa.array(c, kind) for c, kind in zip(columns.values(), types, strict=True)]
    return pa.table(arrays, list(columns))


def _text(term: object) -> str | None:
    text = n3(term) if isinstance(term, Term) else term
    if not isinstance(text, str):
        return None
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate is no character
        return None
    return text


def elements(batch: Batch, payload: Payload = Payload.SOLUTION) -> list[Element]:
    """A batch as elements with rdflib terms."""
    columns = [decode(ids, batch.dictionary) for ids in batch.columns.values()]
    rows = zip(*columns, strict=True) if columns else [()] * len(batch)
    make = _ITEMS[payload]
    return [
        Element(make(tuple(batch.columns), row), Interval(start, end))
        for row, start, end in zip(rows, batch.ts.tolist(), batch.te.tolist(), strict=True)
    ]


def _solution(variables: Sequence[Variable], row: Sequence[Any]) -> Item:
    return Solution({v: t for v, t in zip(variables, row, strict=True) if t is not None})


_ITEMS: Final[Mapping[Payload, Callable[[Sequence[Variable], Sequence[Any]], Item]]] = {
    Payload.SOLUTION: _solution,
    Payload.TRIPLE: lambda variables, row: Triple(*row),
    Payload.BOOLEAN: lambda variables, row: str(row[0]) == "true",
}
