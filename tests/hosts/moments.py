"""What hosts are told, micro-batch by micro-batch: rows, promises, restarts; and what follows.

The judge is the reference.  It knows no micro-batches; all it needs of them is what the streams
had promised before their end, which `promised` says by the definition of semantics, section 1.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

from pyspark.sql import SparkSession

from askos import spark as host
from askos.algebra import Element, OnChange, Periodic, Stamped
from askos.algebra.reference import intervals, reports
from askos.interval import FOREVER, Interval
from askos.local import Engine
from askos.physical import PhysicalPlan
from askos.prepared import Prepared
from askos.sources import Stream
from askos.spark.answers import RELOADS, REPORTS, RESULTS
from askos.static.graphs import load_graphs
from askos.terms import Triple, URIRef
from tests.hosts.harness import Harness
from tests.hosts.strategies import Delivery
from tests.hosts.three import SparkRun, SparkRuns, Told, told

_T = TypeVar("_T")
Rows = Mapping[URIRef, Sequence[Stamped]]


@dataclass(frozen=True)
class Change:
    """Other triples of a graph, from an instant on; with `lost`, only some of them are other."""

    graph: URIRef
    triples: Sequence[Triple]
    at: int | None = None
    lost: Sequence[Triple] | None = None

    def after(self, before: Collection[Triple]) -> set[Triple]:
        """What the graph holds then."""
        kept = set() if self.lost is None else set(before) - set(self.lost)
        return kept | set(self.triples)


@dataclass(frozen=True)
class Moment:
    """One micro-batch: rows, then promises and what is reloaded, then what is not waited for until
    it speaks again.
    `restart`: the host is stopped and started again before it."""

    rows: Rows = field(default_factory=dict)
    marks: Mapping[URIRef, int] = field(default_factory=dict)
    reloads: Sequence[Change] = ()
    idle: Sequence[URIRef] = ()
    restart: bool = False


Moments = Sequence[Moment]
NONE: Final = -1


def arrivals(source: URIRef, *rows: Stamped) -> Moment:
    """A micro-batch of one stream."""
    return Moment({source: rows})


def moments(delivery: Delivery) -> list[Moment]:
    """A delivery, each of its batches by itself."""
    return [arrivals(source, *rows) for source, rows in delivery.batches]


def in_few(given: Moments, most: int) -> list[Moment]:
    """The rows of many micro-batches in a few, restarts kept: Spark needs seconds for each."""
    size = max(-(-len(given) // most), 1)
    parts = [given[place : place + size] for place in range(0, len(given), size)]
    return [
        Moment(
            {s: [row for m in part for row in m.rows.get(s, ())] for m in part for s in m.rows},
            restart=any(moment.restart for moment in part),
        )
        for part in parts
    ]


def restarted(given: Moments, every: int) -> list[Moment]:
    """Stopped and started again before every so-manieth micro-batch."""
    return [
        replace(moment, restart=number % every == 0)
        for number, moment in enumerate([*given, Moment()], 1)
    ]


def with_truths(given: Moments, streams: Sequence[URIRef], choices: Random) -> list[Moment]:
    """The driver sometimes tells what is true of the streams, and micro-batches melt together."""
    melted: list[Moment] = []
    for moment in given:
        if melted and not choices.randrange(4):
            both = {s: (*melted[-1].rows.get(s, ()), *moment.rows.get(s, ())) for s in streams}
            melted[-1] = replace(melted[-1], rows=both)
        else:
            melted.append(moment)
    return [
        _with_truth(moment, melted[number:], streams, choices)
        for number, moment in enumerate(melted, 1)
    ]


def _with_truth(
    moment: Moment, to_come: Moments, streams: Sequence[URIRef], choices: Random
) -> Moment:
    """No earlier row will come; or none at all, so that nothing need wait.  One stream at a time:
    of two that go idle in one micro-batch neither moves the watermark, one after the other the
    first lets the second do so."""
    marks, idle = {}, []
    for stream in streams:
        times = [row.at for later in to_come for row in later.rows.get(stream, ())]
        if choices.randrange(4):
            continue
        if times or choices.randrange(2):
            marks[stream] = min(times, default=30)
        else:
            idle.append(stream)
    return replace(moment, marks=marks, idle=idle[:1])


# ---- the judge -------------------------------------------------------------------------------


def lateness_of(query: Prepared, source: URIRef) -> int:
    """As the catalogue says."""
    known = query.sources.get(source)
    return known.lateness_ms if isinstance(known, Stream) else 0


def promised(query: Prepared, given: Moments) -> int:
    """What all streams that are waited for have promised when they end."""
    times = dict.fromkeys(query.streams, 0)
    idle = {s.iri for s in query.sources.streams if s.idle}
    watermark = 0
    for moment in given:
        heard = dict(moment.marks)
        for source, rows in moment.rows.items():
            if rows:
                latest = max(row.at for row in rows) - lateness_of(query, source)
                heard[source] = max(heard.get(source, 0), latest)
        idle = (idle - heard.keys()) | set(moment.idle)
        times = {source: max(time, heard.get(source, 0)) for source, time in times.items()}
        live = [time for source, time in times.items() if source not in idle]
        watermark = max([watermark, *([min(live)] if live else [])])
    return watermark


def judge(query: Prepared, given: Moments, instants: Sequence[int] = ()) -> Told:
    """What the query means, given all that arrived; `instants` say from when on each of the
    reloads counts, which depends on how far the streams had come."""
    data: dict[URIRef, Collection[Stamped | Triple | Element]] = {
        source: [row for moment in given for row in moment.rows.get(source, ())]
        for source in query.streams
    }
    data |= {name: list(graph) for name, graph in load_graphs(query).items()}
    changes = [change for moment in given for change in moment.reloads]
    data |= _versions(data, list(zip(changes, instants, strict=True)))
    if isinstance(query.report, Periodic | OnChange):
        progress = promised(query, given)
        return reports(query.canonical, data, query.report, progress=progress)
    return intervals(query.canonical, data)


def _versions(
    data: Mapping[URIRef, Collection[Any]], changes: Sequence[tuple[Change, int]]
) -> dict[URIRef, list[Element]]:
    """Of the graphs that are reloaded, each triple while it is there (semantics, section 3)."""
    found: dict[URIRef, list[Element]] = {}
    for graph in {change.graph for change, _ in changes}:
        content, since, found[graph] = set(data[graph]), 0, []
        for change, at in changes:
            if change.graph == graph:
                found[graph] += [Element(t, Interval(since, at)) for t in content if since < at]
                content, since = change.after(content), at
        found[graph] += [Element(triple, Interval(since, FOREVER)) for triple in content]
    return found


# ---- hosts -----------------------------------------------------------------------------------


def on_local(
    query: Prepared, given: Moments, buckets: int = 1, instants: list[int] | None = None
) -> Told:
    """The local driver, which keeps nothing over a restart.  `instants` get to know from when on
    reloads count."""
    steps = local_steps(query, given, buckets, instants)
    return [answer for told in steps for answer in told]


def local_steps(
    query: Prepared, given: Moments, buckets: int = 1, instants: list[int] | None = None
) -> Iterator[Told]:
    """What it tells after each micro-batch, and at the end."""
    engine = Engine(sources=query.sources, buckets=buckets)
    running = engine.register(query)
    for moment in given:
        for source, rows in moment.rows.items():
            if source in query.streams:
                engine.push(source, rows)
        for source, time in moment.marks.items():
            engine.advance(source, time)
        for change in moment.reloads:
            told = _reloaded(engine, change)
            if instants is not None:
                instants += [reloaded.at for reloaded in told.values()]
        for source in moment.idle:
            engine.idle(source)
        yield running.take()
    engine.close()
    assert not running.late
    assert not engine.refused
    yield running.take()


def _reloaded(host: Engine | host.Control, change: Change) -> Any:
    if change.lost is None:
        return host.reload(change.graph, change.triples, at=change.at)
    return host.update(change.graph, insert=change.triples, delete=change.lost, at=change.at)


def on_harness(
    query: Prepared,
    given: Moments,
    buckets: int = 2,
    seed: object = 0,
    *,
    faults: bool = False,
    instants: list[int] | None = None,
) -> Told:
    """The code that Spark runs."""
    steps = harness_steps(query, given, buckets, seed, faults=faults, instants=instants)
    return [answer for told in steps for answer in told]


def harness_steps(
    query: Prepared,
    given: Moments,
    buckets: int = 2,
    seed: object = 0,
    *,
    faults: bool = False,
    instants: list[int] | None = None,
) -> Iterator[Told]:
    """What it tells after each micro-batch, and at the end."""
    lateness = max((lateness_of(query, source) for source in query.streams), default=0)
    run = Harness(query, Random(str(seed)), buckets, lateness, faults=faults)
    for stream in query.sources.streams:
        if stream.idle and stream.iri in run.plan.sources:
            run.tell(_entry(stream.iri, NONE))
    for moment in given:
        if moment.restart:
            run.restart()
        marks = [*moment.marks.items(), *((source, NONE) for source in moment.idle)]
        entries = [json.dumps(_entry(s, time)) for s, time in marks if s in run.plan.sources]
        for change in moment.reloads:
            _reloaded(run.control, change)
        entries += run.new_entries()
        yield _answers(run.push(moment.rows, entries), run.plan)
    yield _answers(run.end(), run.plan)
    reloads = [row["at" if "at" in row else "ts"] for row in run.of(RELOADS)]
    assert instants is not None or not reloads
    if instants is not None:
        instants += reloads
    assert {row["output"] for row in run.rows} <= {RESULTS, REPORTS, RELOADS}


def _answers(rows: list[dict[str, Any]], plan: PhysicalPlan) -> Told:
    return told([row for row in rows if row["output"] in (RESULTS, REPORTS)], plan)


def _entry(source: URIRef, time: int) -> dict[str, object]:
    """Of the control stream."""
    return {"source": source, "idle": True} if time == NONE else {"source": source, "mark": time}


def on_spark(session: SparkSession, query: Prepared, given: Moments, buckets: int = 2) -> Told:
    """Spark itself."""
    with TemporaryDirectory() as folder:
        run = SparkRun(session, query, Path(folder), buckets=buckets)
        return _told_by(run, given, run.end)


def together_on_spark(
    session: SparkSession, queries: Sequence[Prepared], given: Moments, buckets: int = 2
) -> dict[str, Told]:
    """Several queries, by name, as one of Spark's."""
    with TemporaryDirectory() as folder:
        run = SparkRuns(session, queries, Path(folder), buckets=buckets)
        return _told_by(run, given, run.split)


def _told_by(run: SparkRun, given: Moments, end: Callable[[], _T]) -> _T:
    """What a run tells in the end; it has taken everything."""
    _feed(run, given)
    answers = end()
    assert not run.rows("late")
    assert not run.rows("refused")
    return answers


def _feed(run: SparkRun, given: Moments) -> None:
    """All but the end."""
    control = host.Control(run.checkpoint)
    for moment in given:
        if moment.restart:
            run.restart()
        for source, rows in moment.rows.items():
            if rows:
                run.push(source, rows, wait=False)
        if moment.marks or moment.idle:
            host.drain(run.query)  # a promise must not overtake the rows before it
        for source, time in moment.marks.items():
            control.mark(source, time)
        for source in moment.idle:
            control.idle(source)
        host.drain(run.query)
