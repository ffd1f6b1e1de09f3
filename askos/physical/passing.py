"""Elements on their way through a step: those that start, and those that end."""

from __future__ import annotations

from typing import Any

from askos.columns.batch import Batch
from askos.sweeparea import Fetch, ReleaseHeap, Saved


class Passing:
    """The elements that start at or after the cut, and those that end at or after it.

    Both in the order of time, so a step touches what it passes, and not what is live.
    """

    def __init__(self) -> None:
        self._starts = ReleaseHeap[Batch](lambda batch: batch.ts)
        self._ends = ReleaseHeap[Batch](lambda batch: batch.te)

    def insert(self, batch: Batch) -> None:
        """Elements come, in any order."""
        self._starts.insert(batch)

    def step(self, cut: int) -> tuple[Batch, Batch]:
        """Those that start before the cut, and those that end before it."""
        started = Batch.concat(self._starts.extract(cut))
        self._ends.insert(started)
        return started, Batch.concat(self._ends.extract(cut))

    def live(self) -> Batch:
        """Those that have started and not ended."""
        return Batch.concat(list(self._ends))

    def snapshot(self) -> dict[str, Saved[Batch]]:
        """The state of both."""
        return {"starts": self._starts.snapshot(), "ends": self._ends.snapshot()}

    def restore(self, manifest: Any, fetch: Fetch[Batch]) -> None:
        """Go on from it."""
        self._starts.restore(manifest["starts"], fetch)
        self._ends.restore(manifest["ends"], fetch)
