"""Transitive closure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.cover import as_set
from askos.columns.ids import Ids
from askos.physical.distinct import Emitted
from askos.physical.limits import STATE_LIMIT, too_many_pairs
from askos.physical.nodes import Closure
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Fetch, Match, Saved, SweepArea
from askos.terms import Variable

_FROM: Final = Variable(" from")
_AT: Final = Variable(" at")
_TO: Final = Variable(" to")


class ClosureOperator(Operator):
    """p+ over steps (x, y, [ts, te)): each pair (x, y) once at any instant, while some path leads
    from x to y; snapshot-equivalent to `algebra.Path` with `+`.

    SPARQL 1.1, 18.4; the papers have no paths.  A pair holds along a path on the intersection of
    its steps.  All ends are known, so nothing is ever corrected, and what has ended is purged.

    A path that uses new steps goes from one to the next by pairs that are known already, and after
    the last one ends, or goes on by such a pair.  So a *jump* is a new step, or a known pair and a
    new step; jumps follow jumps, as often as new steps lie on a path, however long it is.  From a
    given term on, only pairs that begin with it are looked for and known: then what the last round
    found follows steps, one by one.

    State: pairs that end after the watermark; from a given term on, steps too.  Cost: the pairs
    found, and for each a search per run; a graph in which everything reaches everything has the
    square of its nodes.  So a step that finds more than `limit` pairs stops before it is done.
    """

    def __init__(self, plan: Closure, coder: Coder, limit: int = STATE_LIMIT) -> None:
        self._steps_from, self._steps_to = plan.step
        self._subject, self._object = plan.subject, plan.object
        self._start: int | None = None
        self._limit = limit
        self._dictionary = Batch.empty().dictionary
        if not isinstance(plan.subject, Variable):
            ids, self._dictionary = coder.terms([plan.subject])
            self._start = int(ids[0])
        self._new: list[Batch] = []
        self._steps = SweepArea[Batch](_at)  # from where they lead
        self._pairs = SweepArea[Batch](_at)  # to where they lead
        self._onward = SweepArea[Batch](_at)  # the same as steps, by where they begin; not stored
        self._known = Emitted((_FROM, _AT))

    def process(self, port: int, batch: Batch) -> Batch:
        columns = {_AT: batch.column(self._steps_from), _TO: batch.column(self._steps_to)}
        steps = Batch(columns, batch.ts, batch.te, batch.dictionary)
        self._new.append(as_set(steps, (_AT, _TO)))
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        steps, self._new = Batch.concat(self._new), []
        find = self._jumped if self._start is None else self._stepped
        found = list(self._bounded(find(steps))) if len(steps) else []
        for area in (self._steps, self._pairs, self._onward, self._known):
            area.purge(watermark)
        return self._shown(Batch.concat(found)), watermark

    def _bounded(self, found: Iterable[Batch]) -> Iterator[Batch]:
        """Pairs as they are found, but not too many."""
        pairs = 0
        for batch in found:
            pairs += len(batch)
            if pairs > self._limit:
                raise too_many_pairs(pairs, self._limit)
            yield batch

    def _jumped(self, steps: Batch) -> Iterator[Batch]:
        """The new pairs, by jumps."""
        old = _followed(self._pairs.query(steps), steps, stored_first=True)
        jumps = Batch.concat([self._begun(steps), *old])
        reached = Batch.concat(list(self._bounded(_closed(jumps))))
        onward = _followed(self._onward.query(reached), reached)
        new = self._known.add(Batch.concat([reached, *onward]))
        self._pairs.insert(new)
        self._onward.insert(_as_steps(new))
        yield new

    def _stepped(self, steps: Batch) -> Iterator[Batch]:
        """The new pairs, round by round: what leads to new steps begins it all."""
        old = _followed(self._pairs.query(steps), steps, stored_first=True)
        begun = [self._begun(steps), *old]
        self._steps.insert(steps)
        while len(new := self._known.add(Batch.concat(begun))):
            self._pairs.insert(new)
            yield new
            begun = list(_followed(self._steps.query(new), new))

    def _begun(self, steps: Batch) -> Batch:
        """Pairs of one step."""
        if self._start is not None:
            steps.dictionary.meet(self._dictionary)
            steps = steps.where(steps.column(_AT) == self._start)
        columns = {_FROM: steps.column(_AT), _AT: steps.column(_TO)}
        return Batch(columns, steps.ts, steps.te, steps.dictionary)

    def _shown(self, pairs: Batch) -> Batch:
        columns = {self._object: pairs.column(_AT)}
        if isinstance(self._subject, Variable):
            columns[self._subject] = pairs.column(_FROM)
        return Batch(columns, pairs.ts, pairs.te, pairs.dictionary)

    def snapshot(self) -> Saved[Batch]:
        parts = {"steps": self._steps, "pairs": self._pairs, "known": self._known}
        return combine({name: area.snapshot() for name, area in parts.items()})

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._steps.restore(manifest["steps"], fetch)
        self._pairs.restore(manifest["pairs"], fetch)
        self._known.restore(manifest["known"], fetch)
        self._onward = SweepArea[Batch](_at)
        for run in self._pairs if self._start is None else ():
            self._onward.insert(_as_steps(run.rows))


def _at(batch: Batch) -> list[Ids]:
    return [batch.column(_AT)]


def _as_steps(pairs: Batch) -> Batch:
    """Pairs that others may go on by."""
    columns = {_AT: pairs.column(_FROM), _TO: pairs.column(_AT)}
    return Batch(columns, pairs.ts, pairs.te, pairs.dictionary)


def _closed(jumps: Batch) -> Iterator[Batch]:
    """All that jumps lead to, one after another: each pair once at any instant."""
    following, known = SweepArea[Batch](_at), Emitted((_FROM, _AT))
    new = known.add(jumps)
    following.insert(_as_steps(new))
    while len(new):
        yield new
        new = known.add(Batch.concat(list(_followed(following.query(new), new))))


def _followed(
    matches: Iterable[Match[Batch]], probe: Batch, *, stored_first: bool = False
) -> Iterator[Batch]:
    """Pairs (x, y) followed by steps (y, z), while both are valid; the steps are stored, or the
    pairs are."""
    for match in matches:
        mine, theirs = (probe, match.probe), (match.rows, match.stored)
        (pairs, pair), (steps, step) = (theirs, mine) if stored_first else (mine, theirs)
        yield Batch(
            {_FROM: pairs.column(_FROM)[pair], _AT: steps.column(_TO)[step]},
            np.maximum(pairs.ts[pair], steps.ts[step]),
            np.minimum(pairs.te[pair], steps.te[step]),
            pairs.dictionary | steps.dictionary,
        )
