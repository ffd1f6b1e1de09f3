"""What GROUP BY and a δ that keeps arrival times have in common: one row for each group."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from askos.columns.batch import Batch
from askos.physical.cut import Cut
from askos.physical.groups import Groups
from askos.physical.openpassing import OpenPassing
from askos.physical.operator import Operator, Progress, combine
from askos.physical.passing import Passing
from askos.sweeparea import Fetch, Saved


class GroupingOperator(Operator, ABC):
    """Per group, pieces on which its row is constant; the last one is emitted up to the cut, and
    goes on from there.  Where all that is told of a group adds up, ends may be open (`openends`).

    State: elements that start at or after the cut, and those that end at or after it.  What the
    groups hold at the cut follows from the latter, and is kept in memory between two steps.
    """

    def __init__(self, cut: Cut) -> None:
        self._cut, self._until = cut, 0
        self._passing = Passing()
        self._groups: Groups | None = None

    @abstractmethod
    def make(self) -> Groups:
        """The groups, before anything has come."""

    def open_on(self, port: int) -> None:
        self._passing = OpenPassing()

    def process(self, port: int, batch: Batch) -> Batch:
        self._passing.insert(batch)
        return Batch.empty()

    def advance(self, watermark: int) -> tuple[Batch, Progress]:
        cut = self._cut(watermark)
        if cut <= self._until:
            return Batch.empty(), self._until
        # After a restart the groups know nothing: what is live comes once more.
        before = self._passing.live() if self._groups is None else Batch.empty()
        groups = self._groups = self._groups or self.make()
        started, ended = self._passing.step(cut)
        new = Batch.concat([before, started])
        found = groups.step(new, ended, self._until, cut, sorted=True)
        self._until = cut
        return found, cut

    def snapshot(self) -> Saved[Batch]:
        return combine(self._passing.snapshot(), until=self._until)

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        self._passing.restore(manifest, fetch)
        self._until = manifest["until"]
        self._groups = None
