"""One query of the in-process driver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from askos.algebra import Element, Intervals
from askos.columns import Batch, decode
from askos.columns.coalesce import coalesce
from askos.columns.factorize import factorize
from askos.columns.hidden import HEADER, hidden
from askos.local.machine import Machine
from askos.local.rows import answers, as_table, elements
from askos.physical import PhysicalPlan
from askos.physical.marks import Mark
from askos.physical.tally import OperatorProfile
from askos.physical.versions import Reloaded
from askos.prepared import Prepared
from askos.terms import Solution, URIRef
from askos.translate.kinds import WHOSE, is_own


class Query:
    """A registered query: its answers that nobody has taken yet, and what is known of it.

    `streams` are those it reads.  `late` are elements that came after their time had been decided;
    `progress` is up to when the answers are complete.  `reloaded` says from when on graphs count
    that were reloaded.  `promise` is what the stream that it registers has promised, if it
    registers one.
    """

    def __init__(self, prepared: Prepared, machine: Machine) -> None:
        self.prepared, self._machine = prepared, machine

    @property
    def name(self) -> str:
        """What it is registered as."""
        return self.prepared.name or ""

    @property
    def plan(self) -> PhysicalPlan:
        """What runs."""
        return self._machine.plan

    @property
    def streams(self) -> frozenset[URIRef]:
        return self._machine.streams

    @property
    def sources(self) -> tuple[URIRef, ...]:
        """The streams that it hears of."""
        return self._machine.sources

    @property
    def late(self) -> list[Element]:
        return self._machine.late

    @property
    def progress(self) -> int:
        return self._machine.progress

    @property
    def reloaded(self) -> list[Reloaded]:
        return self._machine.reloaded

    @property
    def promise(self) -> Mark | None:
        return self._machine.promise

    @property
    def waits_for(self) -> URIRef | None:
        """The stream that holds answers back, because it has promised less than another one: they
        come when it speaks, or is declared idle."""
        return self._machine.waits_for

    def profile(self) -> list[OperatorProfile]:
        """What each operator has done since the query was registered, stage by stage.  Cost: that
        of a snapshot of the state."""
        return self._machine.profile()

    def take(self) -> list[Any]:
        """The answers since the last call, in the order of time: each an `Element` where intervals
        are reported, else an `Answer`, the rows of one report."""
        told, columns, payload = self._take(), self.prepared.columns, self.plan.payload
        if isinstance(self.plan.report, Intervals):
            return elements(coalesce(told.project(columns)), payload)
        return answers(told.project([*columns, *hidden(told)]), payload)

    def take_table(self) -> pa.Table:
        """The same as columns of N-Triples texts, null where unbound; beside them `ts` and `te`
        where intervals are reported, else `at`, and `place` where a report has an order.  A report
        without rows does not show.

        Cost: array operations; `take` makes an rdflib term of every value.
        """
        told = not isinstance(self.plan.report, Intervals)
        return as_table(self._take(), self.prepared.columns, told=told)

    def _take(self) -> Batch:
        return self._machine.take()


class Split:
    """What several queries of one kind have been told, by the name of each; `gone` are those that
    are told nothing more.

    Nothing is looked at before somebody takes answers: then all of it, once.
    """

    def __init__(self, machine: Machine, names: Iterable[str]) -> None:
        self._machine, self._names, self.gone = machine, set(names), set[str]()
        self._parts: dict[str, list[Batch]] = {}

    def add(self, name: str) -> None:
        """Another query, to which nothing of what has been told belongs."""
        self._split()
        self._names.add(name)

    def drop(self, name: str) -> Batch:
        """A query that is told nothing more: what it has not taken."""
        last = self.take(name)
        self._names.remove(name)
        self.gone.add(name)
        return last

    def take(self, name: str) -> Batch:
        """What belongs to one query, since it last took any."""
        self._split()
        return Batch.concat(self._parts.pop(name, []))

    def take_all(self) -> Batch:
        """What nobody has taken, with whose it is."""
        parts, self._parts = self._parts, {}
        kept = (part for each in parts.values() for part in each)
        return Batch.concat([*kept, self._wanted(self._machine.take())])

    def _wanted(self, told: Batch) -> Batch:
        """Without what was decided of elements that came before their query was gone."""
        if not self.gone:
            return told
        codes, example = factorize([told.column(WHOSE)], len(told))
        names = decode(told.column(WHOSE)[example], told.dictionary)
        return told.where(np.array([str(name) not in self.gone for name in names], np.bool_)[codes])

    def _split(self) -> None:
        told = self._machine.take()
        header = told.column(HEADER) != 0
        headers, rows = told.where(header), told.where(~header)
        for name in self._names if len(headers) else ():
            self._parts.setdefault(name, []).append(headers)
        codes, example = factorize([rows.column(WHOSE)], len(rows))
        order = np.argsort(codes, kind="stable")
        stops = np.cumsum(np.bincount(codes, minlength=len(example))).tolist()
        names = decode(rows.column(WHOSE)[example], rows.dictionary)
        for name, start, stop in zip(map(str, names), [0, *stops], stops, strict=False):
            if name in self._names:
                self._parts.setdefault(name, []).append(rows.take(order[start:stop]))


class OneOfAKind(Query):
    """A query that runs together with others which differ from it in constants only."""

    def __init__(self, prepared: Prepared, machine: Machine, split: Split) -> None:
        super().__init__(prepared, machine)
        self._split = split
        self._last: Batch | None = None

    def leave(self) -> None:
        """Nothing more is told; what has been can be taken."""
        self._last = self._split.drop(self.name)

    def _take(self) -> Batch:
        if self._last is None:
            return self._split.take(self.name)
        last, self._last = self._last, Batch.empty()
        return last

    @property
    def late(self) -> list[Element]:
        """What came late and concerns it, or all of its kind."""
        return [self._own(each) for each in self._machine.late if self._is_own(each)]

    def _is_own(self, element: Element) -> bool:
        whose = element.item.get(WHOSE) if isinstance(element.item, Solution) else None
        return whose is None or str(whose) == self.name

    def _own(self, element: Element) -> Element:
        """Without what stands for constants."""
        if not isinstance(element.item, Solution):
            return element
        kept = {v: term for v, term in element.item.items() if is_own(v)}
        return replace(element, item=Solution(kept))
