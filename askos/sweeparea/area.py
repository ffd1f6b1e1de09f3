"""The SweepArea of joins: elements by key, in immutable sorted runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias

import numpy as np
import numpy.typing as npt

from askos.interval import FOREVER
from askos.sweeparea.rows import HASH_BITS, Fetch, Ints, R, Saved, argsort, key_hash, new_id

Keys: TypeAlias = Callable[[R], Sequence[Ints]]
"""The key columns of rows; elements match where all of them are equal."""

_FAN: Final = 4  # runs merged together
_STALE: Final = 5  # the part of a run that may have ended: one in so many
_PAIRS: Final = 1 << 22  # candidates looked at together, to bound memory under skew


@dataclass(frozen=True, slots=True, eq=False)
class Run(Generic[R]):
    """Elements sorted by the hash of their key; only `marks` may change."""

    id: int
    rows: R
    keys: Sequence[Ints]
    hashes: Ints
    marks: Ints
    last: int  # the last end of validity
    stale: int  # when more than a fifth of the elements have ended

    @classmethod
    def of(cls, rows: R, keys: Keys[R], marks: Ints, id: int | None = None) -> Run[R]:
        """Sort `rows`, unless they are stored ones, which are sorted already."""
        hashes = key_hash(keys(rows), len(rows))
        if id is None:
            order = argsort(hashes, HASH_BITS)
            rows, marks, hashes = rows.take(order), marks[order], hashes[order]
        stale = np.partition(rows.te, len(rows) // _STALE)[len(rows) // _STALE]
        return cls(
            new_id() if id is None else id,
            rows,
            keys(rows),
            hashes,
            marks,
            int(rows.te.max()),
            int(stale),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Match(Generic[R]):
    """Pairs found: row `probe[i]` of the query and row `stored[i]` of `rows`, those of a run."""

    rows: R
    probe: Ints
    stored: Ints
    run: int = 0


class SweepArea(Generic[R]):
    """Elements that may still find partners, found by key and overlap.

    A log-structured merge: every insert makes a run, and four neighbours become one unless the
    oldest is at least twice as large as the youngest.  So there are O(log n) runs, an element
    is copied O(log n) times, and skewed keys cost what their pairs cost.  A window that few
    batches fill is never copied at all: its runs expire as they came.

    Each element may carry a mark, a number its owner may change; marks are not stored.  Beside
    the elements there may be a base, which holds always: it is never merged, purged or stored.
    """

    def __init__(self, keys: Keys[R]) -> None:
        self._keys = keys
        self.base: Run[R] | None = None
        self._runs: list[Run[R]] = []

    def __len__(self) -> int:
        return sum(len(run.rows) for run in self)

    def __iter__(self) -> Iterator[Run[R]]:
        return iter(self._runs if self.base is None else [self.base, *self._runs])

    def rest_on(self, rows: R) -> None:
        """Keep `rows` as a base: whoever restores the area gives them again."""
        if len(rows):
            self.base = Run.of(rows, self._keys, np.zeros(len(rows), np.int64))

    def insert(self, rows: R, marks: Ints | None = None) -> None:
        """Keep `rows`.  Storing an element twice means two elements.

        Cost: a sort of what is merged; amortised O(log n) copies an element.
        """
        if not len(rows):
            return
        if marks is None:
            marks = np.zeros(len(rows), np.int64)
        self._runs.append(Run.of(rows.compact(), self._keys, marks))
        self._balance()

    def _balance(self) -> None:
        """Merge neighbours, the youngest first, until the runs are as few as promised."""
        oldest = len(self._runs) - _FAN
        while oldest >= 0:
            group = self._runs[oldest : oldest + _FAN]
            if len(group[0].rows) < 2 * len(group[-1].rows):
                self._runs[oldest : oldest + _FAN] = [self._merge(group)]
                oldest = len(self._runs) - _FAN
            else:
                oldest -= 1

    def query(self, rows: R) -> Iterator[Match[R]]:
        """The pairs of `rows` and stored elements with equal keys and overlapping intervals.

        Cost: a binary search per row and run, and the candidates with an equal key.
        """
        runs = list(self)
        if not len(rows) or not runs:
            return
        hashes = key_hash(self._keys(rows), len(rows))
        order = argsort(hashes, HASH_BITS)  # neighbours search in the same place
        rows = rows.take(order)
        keys = self._keys(rows)
        for run in runs:
            run.rows.meet(rows)
            for probe, stored in _candidates(hashes[order], run.hashes):
                found = _overlap(rows, probe, run.rows, stored)
                for mine, theirs in zip(keys, run.keys, strict=True):
                    found &= mine[probe] == theirs[stored]
                kept = np.flatnonzero(found)
                if len(kept):
                    yield Match(run.rows, order[probe[kept]], stored[kept], run.id)

    def purge(self, watermark: int) -> None:
        """Forget elements that ended by `watermark`: no later element overlaps them.

        Whole runs at once; a run of which more than a fifth has ended is written anew without
        it, so at most a quarter more is kept than is needed.
        """
        self._runs = [
            run if run.stale > watermark else self._live(run, watermark)
            for run in self._runs
            if run.last > watermark
        ]
        self._balance()

    def _live(self, run: Run[R], watermark: int) -> Run[R]:
        rows = np.flatnonzero(run.rows.te > watermark)
        # A name of its own: what is left of a sorted run is sorted.
        return Run.of(run.rows.take(rows).compact(), self._keys, run.marks[rows], new_id())

    def _merge(self, runs: Sequence[Run[R]]) -> Run[R]:
        rows = type(runs[0].rows).concat([run.rows for run in runs]).compact()
        return Run.of(rows, self._keys, np.concatenate([run.marks for run in runs]))

    def snapshot(self) -> Saved[R]:
        """What to store: the runs, by id."""
        return Saved([run.id for run in self._runs], {run.id: run.rows for run in self._runs})

    def restore(self, manifest: list[int], fetch: Fetch[R]) -> None:
        """Continue from what was saved, on the base that is there; all marks are 0."""
        self._runs = []
        for name in manifest:
            rows = fetch(name)
            marks = np.zeros(len(rows), np.int64)
            self._runs.append(Run.of(rows, self._keys, marks, name))

    def _check(self) -> None:
        """Assert what every method relies on."""
        for run in self._runs:
            assert len(run.rows) == len(run.hashes) == len(run.marks) > 0
            assert (np.diff(run.hashes) >= 0).all()
            assert run.last == run.rows.te.max() <= FOREVER
        sizes = [len(run.rows) for run in self._runs]
        distant = zip(sizes, sizes[_FAN - 1 :], strict=False)
        assert all(older >= 2 * younger for older, younger in distant)


def _candidates(probes: Ints, stored: Ints) -> Iterator[tuple[Ints, Ints]]:
    """All pairs with equal hashes, of two ascending arrays, a bounded number at a time."""
    low = np.searchsorted(stored, probes, "left")
    found = np.flatnonzero(stored[np.minimum(low, len(stored) - 1)] == probes)
    counts = np.zeros(len(probes), np.int64)
    counts[found] = np.searchsorted(stored, probes[found], "right") - low[found]
    return spans(low, counts)


def spans(low: Ints, counts: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Every probe i with each of its candidates, `counts[i]` of them from `low[i]` on; a bounded
    number at a time."""
    total = np.cumsum(counts)
    begin = 0
    while begin < len(counts) and total[-1] > (total[begin - 1] if begin else 0):
        before = int(total[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(total, before + _PAIRS, "right")), begin + 1)
        part = counts[begin:end]
        probe = np.repeat(np.arange(begin, end), part)
        first = np.repeat(low[begin:end] - (total[begin:end] - part - before), part)
        yield probe, first + np.arange(len(probe))
        begin = end


def _overlap(left: R, mine: Ints, right: R, theirs: Ints) -> npt.NDArray[np.bool_]:
    return (left.ts[mine] < right.te[theirs]) & (right.ts[theirs] < left.te[mine])
