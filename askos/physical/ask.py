"""ASK."""

from __future__ import annotations

from typing import Any

import numpy as np

from askos.algebra.placement import ANSWER
from askos.columns.batch import Batch
from askos.columns.cover import as_set, cover
from askos.columns.dictionary import Dictionary
from askos.columns.ids import BOOLEAN, pack
from askos.columns.mark import mark
from askos.physical.cut import Cut
from askos.physical.operator import Operator, Progress, combine
from askos.sweeparea import Fetch, ReleaseHeap, Saved


class AskOperator(Operator):
    """At every instant from 0 on ?answer: whether anything is valid; snapshot-equivalent to
    `algebra.Ask`.

    Streaming SPARQL, section 6, lists it as stateful.  Departure: false is an answer too.  Both
    are emitted in pieces up to the cut.

    State: when elements that start at or after the cut are valid, not what they are; and until
    when the others are, one number.
    """

    def __init__(self, cut: Cut) -> None:
        self._cut = cut
        self._until = 0
        self._true_until = 0
        self._coming = ReleaseHeap[Batch](lambda batch: batch.ts)

    def process(self, port: int, batch: Batch) -> Batch:
        self._coming.insert(as_set(batch, ()))
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        cut, begin = self._cut(watermark), self._until
        if cut <= begin:
            return Batch.empty(), begin
        started = Batch.concat(self._coming.extract(cut))
        answers = self._answers(cut, started)
        self._until = cut
        self._true_until = max(self._true_until, int(started.te.max(initial=0)))
        return answers, cut

    def _answers(self, cut: int, started: Batch) -> Batch:
        """From the last cut to this one: true as long as it is known to be, and where anything
        that has started is valid."""
        known = max(self._true_until, self._until)
        starts, ends = np.append(started.ts, self._until), np.append(started.te, known)
        valid = np.flatnonzero(starts < ends)
        everything = np.zeros(len(valid), np.int64)
        _, begin, end, answer = mark(
            np.array([0]),
            np.array([self._until]),
            np.array([cut]),
            cover(everything, starts[valid], ends[valid]),
        )
        return Batch({ANSWER: pack(BOOLEAN, 0, answer.astype(np.int64))}, begin, end, Dictionary())

    def snapshot(self) -> Saved[Batch]:
        parts = {"coming": self._coming.snapshot()}
        return combine(parts, until=self._until, true_until=self._true_until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._coming.restore(manifest["coming"], fetch)
        self._until, self._true_until = manifest["until"], manifest["true_until"]
