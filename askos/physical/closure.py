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
from askos.physical.operator import Operator, Progress, combine
from askos.physical.plan import Closure
from askos.sweeparea import Fetch, Match, Saved, SweepArea
from askos.terms import Variable

_FROM: Final = Variable(" from")
_AT: Final = Variable(" at")
_TO: Final = Variable(" to")


class ClosureOperator(Operator):
    """p+ over steps (x, y, [ts, te)): each pair (x, y) once at any instant, while some path leads
    from x to y; snapshot-equivalent to `algebra.Path` with `+`.

    SPARQL 1.1, 18.4; the papers have no paths.  A pair holds along a path on the intersection of
    its steps.  Semi-naive: a path that uses a new step splits at the first new one, so old pairs
    followed by new steps begin it all; of what the last round found only what is not known yet is
    followed further.  All ends are known, so nothing is ever corrected, and what has ended is
    purged.  From a given term on, only pairs that begin with it are looked for.

    State: steps and pairs that end after the watermark.  Cost: the pairs found, and for each a
    search per run; a graph in which everything reaches everything has the square of its nodes.
    """

    def __init__(self, plan: Closure, coder: Coder) -> None:
        self._steps_from, self._steps_to = plan.step
        self._subject, self._object = plan.subject, plan.object
        self._start: int | None = None
        self._dictionary = Batch.empty().dictionary
        if not isinstance(plan.subject, Variable):
            ids, self._dictionary = coder.terms([plan.subject])
            self._start = int(ids[0])
        self._new: list[Batch] = []
        self._steps = SweepArea[Batch](_at)  # from where they lead
        self._pairs = SweepArea[Batch](_at)  # to where they lead
        self._known = Emitted((_FROM, _AT))

    def process(self, port: int, batch: Batch) -> Batch:
        columns = {_AT: batch.column(self._steps_from), _TO: batch.column(self._steps_to)}
        steps = Batch(columns, batch.ts, batch.te, batch.dictionary)
        self._new.append(as_set(steps, (_AT, _TO)))
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        steps, self._new = Batch.concat(self._new), []
        found = list(self._found(steps)) if len(steps) else []
        for area in (self._steps, self._pairs, self._known):
            area.purge(watermark)
        return self._shown(Batch.concat(found)), watermark

    def _found(self, steps: Batch) -> Iterator[Batch]:
        """The new pairs, round by round."""
        old = self._pairs.query(steps)
        begun = [self._begun(steps), *_followed(old, steps, steps_stored=False)]
        self._steps.insert(steps)
        while len(new := self._known.add(Batch.concat(begun))):
            self._pairs.insert(new)
            yield new
            begun = list(_followed(self._steps.query(new), new, steps_stored=True))

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


def _at(batch: Batch) -> list[Ids]:
    return [batch.column(_AT)]


def _followed(
    matches: Iterable[Match[Batch]], probe: Batch, *, steps_stored: bool
) -> Iterator[Batch]:
    """Pairs (x, y) followed by steps (y, z), while both are valid; one of the two is stored."""
    for match in matches:
        mine, theirs = (probe, match.probe), (match.rows, match.stored)
        (pairs, pair), (steps, step) = (mine, theirs) if steps_stored else (theirs, mine)
        yield Batch(
            {_FROM: pairs.column(_FROM)[pair], _AT: steps.column(_TO)[step]},
            np.maximum(pairs.ts[pair], steps.ts[step]),
            np.minimum(pairs.te[pair], steps.te[step]),
            pairs.dictionary | steps.dictionary,
        )
