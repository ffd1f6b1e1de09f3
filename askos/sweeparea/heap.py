"""The release heap: elements by time, given back in order."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, Generic

import numpy as np

from askos.sweeparea.rows import Fetch, Ints, R, Saved, new_id

_FAN: Final = 12  # runs merged together, at least


@dataclass(slots=True, eq=False)
class _Run(Generic[R]):
    """Elements in order of time, of which those before `begin` are gone."""

    id: int
    rows: R
    times: Ints
    age: int
    begin: int = 0
    first: int = field(init=False)  # the earliest time, asked for in every comparison

    def __post_init__(self) -> None:
        self.go_on(self.begin)

    def go_on(self, begin: int) -> None:
        """Those before `begin`, not all, are gone."""
        self.begin, self.first = begin, int(self.times[begin])

    @property
    def count(self) -> int:
        return len(self.times) - self.begin

    @property
    def rest(self) -> R:
        return self.rows.slice(self.begin, len(self.rows))

    def __lt__(self, other: _Run[R]) -> bool:
        return self.first < other.first


class ReleaseHeap(Generic[R]):
    """A min-heap of runs keyed by their first time: what came in any order leaves in order.

    The paper's H (Algs. 4 and 5) holds results until no earlier one can come.  Ours holds
    elements, by whichever time `time` reads from them.

    What is extracted in the step it came in never becomes part of a run, so is never stored.
    A new run swallows younger ones that are not twice as large as itself, once there are several,
    so there are O(log n) runs, and an element is copied O(log n) times.  What a window of few
    batches holds is never copied at all: its runs expire as they came.
    """

    def __init__(self, time: Callable[[R], Ints]) -> None:
        self._time = time
        self._heap: list[_Run[R]] = []
        self._new: list[R] = []
        self._born = 0

    def __len__(self) -> int:
        return sum(map(len, self))

    def __iter__(self) -> Iterator[R]:
        yield from self._new
        for run in self._heap:
            yield run.rest

    def insert(self, rows: R) -> None:
        """Hold `rows`.  Cost: nothing yet."""
        if len(rows):
            self._new.append(rows)

    def extract(self, before: int) -> list[R]:
        """Take out all elements whose time is less than `before`.

        Cost: a pass over what is new and a sort of what of it stays; for what is held, a
        binary search per run touched.
        """
        due = self._settle(before)
        while self._heap and self._heap[0].first < before:
            run = self._heap[0]
            end = int(run.times.searchsorted(before, "left"))
            due.append(run.rows.slice(run.begin, end))
            if end == len(run.rows):
                heapq.heappop(self._heap)
            else:
                run.go_on(end)
                heapq.heapreplace(self._heap, run)
        return due

    def _settle(self, before: int) -> list[R]:
        """Make a run of the new elements that stay; the others are due."""
        due: list[R] = []
        stay: list[R] = []
        for rows in self._new:
            late = self._time(rows) < before
            count = np.count_nonzero(late)
            if count:
                due.append(rows if count == len(rows) else rows.take(np.flatnonzero(late)))
            if count < len(rows):
                stay.append(rows.take(np.flatnonzero(~late)) if count else rows)
        self._new = []
        if stay:
            self._push(stay)
        return due

    def _push(self, parts: list[R]) -> None:
        alike = self._alike(sum(map(len, parts)))
        if len(alike) >= _FAN:
            self._heap = [run for run in self._heap if run not in alike]
            parts = [*(run.rest for run in alike), *parts]
        rows = type(parts[0]).concat(parts).compact()
        times = self._time(rows)
        if (times[1:] < times[:-1]).any():
            rows = rows.take(np.argsort(times, kind="stable"))
        self._born += 1
        self._heap.append(_Run(new_id(), rows, self._time(rows), self._born))
        heapq.heapify(self._heap)

    def _alike(self, size: int) -> list[_Run[R]]:
        """The youngest runs of which none is twice as large as all that came after it, `size` of
        which are new; in the order of age.  None where even all runs are too few to be merged."""
        found = list[_Run[R]]()
        if len(self._heap) < _FAN:
            return found
        for run in sorted(self._heap, key=lambda run: -run.age):
            if run.count >= 2 * size:
                break
            found.insert(0, run)
            size += run.count
        return found

    def snapshot(self) -> Saved[R]:
        """What to store: the runs, in the order of age, and how much of each is gone.

        What is new becomes a run now.
        """
        if self._new:
            parts, self._new = self._new, []
            self._push(parts)
        runs = sorted(self._heap, key=lambda run: run.age)
        return Saved([[run.id, run.begin] for run in runs], {run.id: run.rows for run in runs})

    def restore(self, manifest: list[list[int]], fetch: Fetch[R]) -> None:
        """Continue from what was saved."""
        self._new, self._heap = [], []
        for age, (name, begin) in enumerate(manifest):
            rows = fetch(name)
            self._heap.append(_Run(name, rows, self._time(rows), age, begin))
        self._born = len(manifest)
        heapq.heapify(self._heap)

    def _check(self) -> None:
        """Assert what every method relies on."""
        for place, run in enumerate(self._heap):
            assert run.begin < len(run.rows)
            assert (np.diff(run.times) >= 0).all()
            assert run.first >= self._heap[(place - 1) // 2].first or place == 0
