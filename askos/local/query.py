"""One query of the in-process driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from askos.algebra import Element
from askos.columns import Batch, Coder, coalesce
from askos.interval import FOREVER
from askos.local.rows import elements
from askos.physical import Line, Stage, build, feed
from askos.physical.bucket import END, Bucket, Mark, Output, stage_channel
from askos.physical.exchange import split
from askos.physical.stages import check_report
from askos.physical.tables import tabulate
from askos.prepared import Prepared
from askos.static.graphs import load_graphs
from askos.terms import URIRef


class Query:
    """A registered query: its state, and the answers nobody has taken yet.

    `late` are elements that came after their time had been decided; `progress` is up to when
    the answers are complete.
    """

    def __init__(self, prepared: Prepared, coder: Coder, buckets: int) -> None:
        graphs = load_graphs(prepared)
        plan = build(prepared.plan, check_report(prepared.report), prepared.columns)
        self.prepared, self.plan = prepared, plan
        self.late: list[Element] = []
        self.progress = 0
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
        self.progress = min(told.time for told in news[self.plan.stages[-1].number])
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
