"""Operators without a kernel, by the law itself."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from askos.algebra import Operator as LogicalOperator
from askos.algebra import Payload
from askos.columns.batch import Batch
from askos.columns.coalesce import coalesce
from askos.columns.coder import Coder, decode
from askos.columns.dictionary import Dictionary
from askos.columns.grid import instants
from askos.columns.ids import Ids
from askos.columns.keys import distinct, nth
from askos.physical.nodes import Snapshot
from askos.physical.operator import Operator, Progress, combine
from askos.physical.timing import Timing
from askos.static.evaluate import Solved, solve
from askos.static.given import Data, Given
from askos.static.graph import StaticGraph
from askos.static.interning import Terms
from askos.static.table import Table
from askos.sweeparea import Fetch, ReleaseHeap, Saved


class SnapshotOperator(Operator):
    """The law: at each instant at which an input changed, SPARQL's own operator on the bags that
    are valid then; snapshot-equivalent to the operator it stands for by definition.  Where NOW()
    is used, at every report instant from the first.

    Semantics, section 1; no paper has it, since none needs it: every operator with a kernel does
    the same without evaluating a snapshot again.  What does not change from one instant to the
    next is one piece; the last one is emitted up to the cut, and goes on from there.

    State: elements that start at or after the cut, and those that end at or after it.  What held
    at the cut follows from the latter, and is kept in memory between two steps.

    Cost: an evaluation of the whole snapshot for every instant of change.
    """

    rests = False

    def __init__(self, plan: Snapshot, coder: Coder, timing: Timing) -> None:
        self._evaluator = Evaluator(plan.plan, len(plan.below), coder)
        self._timing, self._cut = timing, timing.cut
        self._every = plan.every
        self._until = 0
        self._starts = [ReleaseHeap[Batch](lambda batch: batch.ts) for _ in plan.below]
        self._ends = [ReleaseHeap[Batch](lambda batch: batch.te) for _ in plan.below]
        self._held: Batch | None = None

    def process(self, port: int, batch: Batch) -> Batch:
        self._starts[port].insert(batch)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        if self._every:  # static inputs are complete for ever, but instants come with the streams
            watermark = min(watermark, self._timing.until)
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), cut
        inputs = [self._valid(port, cut) for port in range(len(self._starts))]
        pieces = self._ticks(inputs, cut) if self._every else self._pieces(inputs, cut)
        self._until = cut
        for ends in self._ends:
            ends.extract(cut)  # what ends at the cut is a change there
        return coalesce(Batch.concat(pieces)), cut

    def _valid(self, port: int, cut: int) -> Batch:
        """What of an input is valid at some instant up to the cut, and was not over before."""
        started = Batch.concat(self._starts[port].extract(cut))
        self._ends[port].insert(started)
        return Batch.concat(list(self._ends[port]))

    def _pieces(self, inputs: Sequence[Batch], cut: int) -> list[Batch]:
        """Between two changes nothing changes."""
        times = np.unique(np.concatenate([column for e in inputs for column in (e.ts, e.te)]))
        inner = times[(times >= self._until) & (times < cut)].tolist()
        world = self._evaluator.world(inputs)
        pieces = []
        if not inner or inner[0] > self._until:
            if self._held is None:
                self._held = self._evaluator.at(world, self._until)
            pieces.append(_during(self._held, self._until, inner[0] if inner else cut))
        for start, end in pairwise([*inner, cut]):
            self._held = self._evaluator.at(world, start)
            pieces.append(_during(self._held, start, end))
        return pieces

    def _ticks(self, inputs: Sequence[Batch], cut: int) -> list[Batch]:
        """Another instant of report is another NOW()."""
        grid, first = self._timing.grid, self._timing.first
        if grid is None or first is None:
            return []
        world = self._evaluator.world(inputs)
        times = instants(max(first, self._until), cut, grid).tolist()
        return [
            _during(self._evaluator.at(world, start), start, end)
            for start, end in pairwise([*times, cut])
        ]

    def snapshot(self) -> Saved[Batch]:
        parts = {f"starts {n}": heap.snapshot() for n, heap in enumerate(self._starts)}
        parts |= {f"ends {n}": heap.snapshot() for n, heap in enumerate(self._ends)}
        return combine(parts, until=self._until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        for number, (starts, ends) in enumerate(zip(self._starts, self._ends, strict=True)):
            starts.restore(manifest[f"starts {number}"], fetch)
            ends.restore(manifest[f"ends {number}"], fetch)
        self._until = manifest["until"]
        self._held = None


def _during(held: Batch, start: int, end: int) -> Batch:
    whole = np.ones(len(held), np.int64)
    return held.with_interval(whole * start, whole * end)


class Evaluator:
    """Evaluates an operator over the bags that are valid at an instant."""

    def __init__(self, plan: LogicalOperator, inputs: int, coder: Coder) -> None:
        self._plan = plan
        leaves = {leaf.number: leaf for leaf in plan.walk() if isinstance(leaf, Given)}
        self._leaves = [leaves.get(number) for number in range(inputs)]
        self._coder = coder

    def world(self, inputs: Sequence[Batch]) -> World:
        """The elements of the inputs, of which some are valid at an instant."""
        return World(self._leaves, inputs)

    def at(self, world: World, time: int) -> Batch:
        """What holds at an instant, as rows whose intervals say nothing yet; in order, where the
        operator has one."""
        return self._batch(solve(self._plan, world.at(time), time))

    def _batch(self, found: Solved) -> Batch:
        rows = np.array(found.ids, np.int64).reshape(len(found.columns), found.size)
        numbers, places = np.unique(rows, return_inverse=True)
        known = [number for number in numbers.tolist() if number]
        ids, dictionary = self._coder.terms([found.terms[number] for number in known])
        values = np.zeros(len(numbers), np.int64)
        values[numbers != 0] = ids
        columns = values[places].reshape(rows.shape)
        nothing = np.zeros(found.size, np.int64)
        named = dict(zip(found.columns, columns, strict=True))
        return Batch(named, nothing, nothing, dictionary if known else Dictionary())


class World:
    """The elements of all inputs, with terms numbered once for all instants of a step."""

    def __init__(self, leaves: Sequence[Given | None], inputs: Sequence[Batch]) -> None:
        self._terms = Terms()
        self._leaves = leaves
        self._inputs = inputs
        self._columns = [
            [] if leaf is None else self._numbered(leaf, batch)
            for leaf, batch in zip(leaves, inputs, strict=True)
        ]

    def _numbered(self, leaf: Given, batch: Batch) -> list[Ids]:
        columns = []
        for variable in leaf.columns:
            known, places = np.unique(batch.column(variable), return_inverse=True)
            terms = decode(known, batch.dictionary)
            numbers = [0 if term is None else self._terms.intern(term) for term in terms]
            columns.append(np.array(numbers, np.int64)[places])
        return columns

    def at(self, time: int) -> Data:
        """The bags that are valid at an instant."""
        tables: dict[int, Table] = {}
        graphs: dict[int, tuple[StaticGraph, ...]] = {}
        for leaf, batch, columns in zip(self._leaves, self._inputs, self._columns, strict=True):
            if leaf is None:
                continue
            valid = np.flatnonzero((batch.ts <= time) & (time < batch.te))
            chosen = tuple(column[valid] for column in columns)
            if leaf.payload is Payload.TRIPLE:
                graphs[leaf.number] = self._layers(np.stack(chosen, axis=1))
            else:
                optional = frozenset(leaf.columns) - frozenset(leaf.certain)
                tables[leaf.number] = Table(leaf.columns, chosen, len(valid), optional)
        return Data(self._terms, tables, graphs)

    def _layers(self, triples: Ids) -> tuple[StaticGraph, ...]:
        """A bag as sets: the second copy of a triple is in the second one."""
        copy = nth(distinct(list(triples.T), len(triples))[0])
        layers = (triples[copy == number] for number in range(copy.max(initial=-1) + 1))
        return tuple(StaticGraph.numbered(layer, self._terms) for layer in layers)
