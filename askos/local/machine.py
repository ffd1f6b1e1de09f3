"""What runs: the stages of one query, or of several of one kind."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from askos.algebra import Element
from askos.columns import Batch, Coder
from askos.columns.hidden import tellable
from askos.interval import FOREVER
from askos.local.rows import elements
from askos.physical import Stage
from askos.physical.bucket import Bucket, Output, triples_of
from askos.physical.dispatch import Reading
from askos.physical.exchange import split
from askos.physical.graphs import Graphs
from askos.physical.limits import STATE_LIMIT
from askos.physical.marks import END, Mark, Marks, stage_channel, stream_channels
from askos.physical.plan import Port
from askos.physical.pool import Common, Together
from askos.physical.reloading import Reloading
from askos.physical.tables import FIRST
from askos.physical.tabulate import as_base
from askos.physical.tally import OperatorProfile, profiled
from askos.physical.versions import Reload, Reloaded
from askos.planning import known_alike, physical
from askos.prepared import Prepared
from askos.sources import Data
from askos.static.data import StaticData
from askos.sweeparea import Base
from askos.terms import URIRef, Variable

Arrived: TypeAlias = tuple[Batch, Mark]
"""What came from a stream: triples, and what it says of the time."""
Entering: TypeAlias = dict[int, list[Batch]]
"""What has become of triples, by the port that it enters."""


class Machine:
    """The state of a query, and what it has told that nobody has taken yet.

    `streams` are those it reads, `sources` those it hears of, and `reading` says what of them; the
    rest is said of `Query`.  What others that begin `together` with it have in common runs once.
    """

    def __init__(
        self,
        prepared: Prepared,
        coder: Coder,
        buckets: int,
        state_limit: int = STATE_LIMIT,
        together: Together | None = None,
    ) -> None:
        graphs = Graphs(StaticData.of(prepared), coder)
        plan = physical(prepared)
        self.prepared, self.plan = prepared, plan
        self.late: list[Element] = []
        self.reloaded: list[Reloaded] = []
        self.progress = 0
        self.promise: Mark | None = None
        self._told: list[Batch] = []
        self._published: list[Arrived] = []
        streams = stream_channels(plan)
        self._marks = Marks(streams)
        tables = TablesInMemory([as_base(table, graphs) for table in plan.tables])
        self._coder, self._tables = coder, tables
        self._reloading = Reloading(plan, prepared.graphs, prepared.reloadable, coder, tables)
        self._schedule = self._reloading.begin(graphs)
        self.sources, self.streams = plan.sources, frozenset(prepared.streams)
        feeds = tuple(entry for stage in plan.stages for entry in stage.feeds)
        self.reading = Reading(feeds, plan.grid, tables, plan.hashed)
        none: list[Common | None] = [None] * len(plan.stages)
        common = together.stages(plan, known_alike(prepared, plan)) if together else none
        self._stages = [
            (
                stage,
                stage.ports,
                [
                    Bucket(plan, stage, coder, tables, n, buckets, streams, state_limit, own)
                    for n in range(buckets)
                ],
            )
            for stage, own in zip(plan.stages, common, strict=True)
        ]
        self._readers = _readers(plan.stages)

    @property
    def name(self) -> str:
        """What it is registered as."""
        return self.prepared.name or ""

    def take(self) -> Batch:
        """What was told since the last call."""
        told, self._told = self._told, []
        return Batch.concat(told)

    def published(self) -> list[Arrived]:
        """What the stream that the query registers has got since the last call: the triples of its
        reports, stamped with their instants, and a mark."""
        published, self._published = self._published, []
        return published

    @property
    def waits_for(self) -> URIRef | None:
        """The stream that holds answers back, because it has promised less than another one: they
        come when it speaks, or is declared idle."""
        slowest = self._marks.slowest()
        return None if slowest is None else URIRef(slowest)

    def profile(self) -> list[OperatorProfile]:
        """What each operator has done so far, stage by stage."""
        found = list[OperatorProfile]()
        for stage, _, buckets in self._stages:
            for bucket in buckets:
                bucket.snapshot()
            counts = [bucket.counts for bucket in buckets]
            found += profiled(stage.number + 1, counts, self.prepared.prefixes)
        return found

    def step(self, entering: Entering, mark: Mark) -> None:
        """Run all stages over what arrived from one stream, by port, and its promise."""
        self._run(entering, mark)

    def end(self) -> None:
        """No stream sends anything any more: everything flushes."""
        self._run({}, Mark(END, FOREVER))

    def reload(self, graph: URIRef, data: Data, at: int | None) -> Reload:
        """What is to be told, to reload a graph; nothing has changed yet."""
        return self._reloading.reload(self._schedule, graph, data, at)

    def update(self, graph: URIRef, insert: Data, delete: Data, at: int | None) -> Reload:
        """The same, to change some of its triples."""
        return self._reloading.update(self._schedule, graph, insert, delete, at)

    def refresh(self, graph: URIRef, data: Data) -> Reload | None:
        """The same, unless it has these very triples."""
        return self._reloading.refresh(self._schedule, graph, data)

    def look_up(self, graph: URIRef, prepared: Prepared) -> None:
        """Go on with what a static graph says in `prepared`, which is the same query otherwise:
        what arrives from now on looks that up."""
        graphs = Graphs(StaticData.of(prepared), self._coder)
        for number, table in enumerate(self.plan.tables):
            if graph in table.graphs:
                self._tables.change(number, as_base(table, graphs))
        self.prepared = prepared

    def tell(self, reload: Reload) -> Reloaded:
        """From when on what is told counts."""
        self._schedule = self._schedule.after(reload)
        self._run({}, reload=reload)
        return self.reloaded[-1]

    def _run(
        self,
        entering: Entering,
        mark: Mark | None = None,
        reload: Reload | None = None,
    ) -> None:
        """One stage after the other; each bucket hears the stages before from its twin there, as
        it does on Spark."""
        marks, reloads = [] if mark is None else [mark], [] if reload is None else [reload]
        for told in marks:
            self._marks.note(told)
        news: dict[int, list[Mark]] = {}
        result, outputs = Batch.empty(), list[Output]()
        for stage, ports, buckets in self._stages:
            heard = [
                [*marks, *(news[number][place] for number, _ in stage.upstream)]
                for place in range(len(buckets))
            ]
            outputs = _step(stage.key, ports, buckets, entering, heard, reloads)
            channel = stage_channel(stage.number)
            news[stage.number] = [Mark(channel, out.progress) for out in outputs]
            # A stage without a key has one bucket; the others only pass progress on.
            speaking = outputs if stage.key else outputs[:1]
            result = Batch.concat([out.batch for out in speaking])
            for port in self._readers.get(stage.number, ()):
                entering.setdefault(port, []).append(result)
            self.late += [
                e for out in outputs for batch in out.late for e in elements(tellable(batch))
            ]
        self.reloaded += outputs[0].reloaded
        self.progress = min(told.time for told in news[self.plan.stages[-1].number])
        if len(result):
            self._told.append(result)
        self._publish(result, outputs[0])

    def _publish(self, result: Batch, output: Output) -> None:
        stream = self.prepared.publishes
        if stream is not None and output.reported is not None:
            self.promise = output.reported.mark(stream)
            self._published.append((triples_of(result), self.promise))


def _readers(stages: Sequence[Stage]) -> dict[int, list[int]]:
    """The ports that the output of each stage enters."""
    ports: dict[int, list[int]] = {}
    for stage in stages:
        for number, port in stage.upstream:
            ports.setdefault(number, []).append(port)
    return ports


def _step(
    key: Sequence[Variable],
    ports: Sequence[Port],
    buckets: Sequence[Bucket],
    entering: Mapping[int, Sequence[Batch]],
    news: Sequence[Sequence[Mark]],
    reloads: Sequence[Reload],
) -> list[Output]:
    """One stage: rows to their buckets, to each its news."""
    rows: list[dict[int, list[Batch]]] = [{} for _ in buckets]
    for port in ports:
        for batch in entering.get(port.number, ()):
            for place, part in split(batch, key, len(buckets)):
                rows[place].setdefault(port.number, []).append(part)
    return [
        bucket.step(part, told, reloads)
        for bucket, part, told in zip(buckets, rows, news, strict=True)
    ]


class TablesInMemory:
    """The tables of a query, and what else it keeps of graphs that may be reloaded."""

    def __init__(self, first: list[Base[Batch]]) -> None:
        self._first = first
        self._kept: dict[str, Base[Batch]] = {}

    def __call__(self, number: int, version: str = FIRST) -> Base[Batch]:
        """See `askos.physical.tables.Tables`."""
        return self._first[number] if version == FIRST else self.get(version)

    def change(self, number: int, base: Base[Batch]) -> None:
        """What is looked up from now on."""
        self._first[number] = base

    def put(self, base: Base[Batch]) -> str:
        """See `askos.physical.reloading.Shelf`."""
        name = hashlib.sha256(base.rows.to_bytes()).hexdigest()
        self._kept[name] = base
        return name

    def get(self, name: str) -> Base[Batch]:
        """What was kept."""
        return self._kept[name]
