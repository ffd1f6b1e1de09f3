"""The SweepArea of joins: elements by key, in immutable sorted runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, Generic

import numpy as np

from askos.interval import FOREVER
from askos.native import flat, native
from askos.sweeparea.rows import Fetch, Ints, R, Saved
from askos.sweeparea.runs import Keys, Match, Probe, Run, matches, merged

_native: Final = native("askos.sweeparea._uncovered")
_RUNS: Final = 64  # that are looked through at once
_FAN: Final = 4  # runs merged together
_FEW: Final = 12  # runs that are left as they are
_SHORT: Final = 1 << 12  # a run to look at which takes longer than to make it
_SHARE: Final = 128  # a merge makes no run larger than what comes in at once times this
_SMALL: Final = 1 << 15  # a run so large is made in no time
_MANY: Final = 8  # elements with an equal key, for one that is kept or comes: others are quicker


class SweepArea(Generic[R]):
    """Elements that may still find partners, found by key and overlap.

    A log-structured merge: every insert makes a run, and once there are more than a dozen, four
    neighbours become one unless the oldest is at least twice as large as the youngest.  So there
    are O(log n) runs, an element is copied O(log n) times, and skewed keys cost what their pairs
    cost.  A window that a dozen batches fill is never copied at all: its runs expire as they came.
    Whoever looks at every run at every step has short ones `gathered` sooner: that costs less.

    No step waits for a merge: what would become larger than a hundred times what comes in at once
    stays in its runs.  Of two areas that are filled alike one may be `late`: it merges when the
    next rows come, so that no step waits for two.

    Each element may carry a mark, a number its owner may change; marks are not stored.  Beside
    the elements there may be a base, which holds always: it is never merged, purged or stored.
    """

    def __init__(self, keys: Keys[R], *, late: bool = False, gathered: bool = False) -> None:
        self._keys = keys
        self._late = late
        self._short = _SHORT if gathered else 0
        self.base: Run[R] | None = None
        self._runs: list[Run[R]] = []
        self._most = _SMALL  # the size of a run that may be made by merging

    def __len__(self) -> int:
        return sum([len(run.hashes) for run in self])

    def __iter__(self) -> Iterator[Run[R]]:
        return iter(self._runs if self.base is None else [self.base, *self._runs])

    def rest_on(self, rows: R) -> None:
        """Keep `rows` as a base: whoever restores the area gives them again."""
        if len(rows):
            self.base = Run.of(rows, self._keys, np.zeros(len(rows), np.int64))

    def insert(self, rows: R, marks: Ints | None = None) -> None:
        """Keep `rows`.  Storing an element twice means two elements.

        Cost: a sort of what comes; amortised O(log n) copies an element.
        """
        if len(rows):
            self.keep(Probe.of(rows, self._keys(rows)), marks)

    def keep(self, probe: Probe[R], marks: Ints | None = None) -> None:
        """The same, of rows that have been put in order: who looks for partners has done it."""
        rows = probe.rows.compact()
        if not len(rows):
            return
        if marks is None:
            marks = np.zeros(len(rows), np.int64)
        if self._late:
            self._balance()
        kept = probe if rows is probe.rows else replace(probe, rows=rows)
        self._runs.append(Run.ready(kept, self._keys, marks))
        self._most = max(self._most, _SHARE * len(rows))
        if not self._late:
            self._balance()

    def _balance(self) -> None:
        """Merge neighbours, the youngest first, until the runs are as few as promised; what becomes
        one in several rounds is copied once."""
        if len(self._runs) <= _FEW and not self._short:
            return
        sizes = [len(run.hashes) for run in self._runs]
        counts = [1] * len(sizes)  # of the runs that become one
        while (alike := self._alike(sizes)) is not None:
            sizes[alike], counts[alike] = [sum(sizes[alike])], [sum(counts[alike])]
        if len(counts) < len(self._runs):
            runs = iter(self._runs)
            self._runs = [self._merge([*islice(runs, count)]) for count in counts]

    def _alike(self, sizes: Sequence[int]) -> slice | None:
        """The youngest neighbours that are to be merged."""
        most = self._most if len(sizes) > _FEW else self._short
        for oldest in range(len(sizes) - _FAN, -1, -1):
            group = sizes[oldest : oldest + _FAN]
            if group[0] < 2 * group[-1] and sum(group) <= most:
                return slice(oldest, oldest + _FAN)
        return None

    def query(self, rows: R) -> Iterator[Match[R]]:
        """The pairs of `rows` and stored elements with equal keys and overlapping intervals.

        Cost: two looks per row and run, and the candidates with an equal key; where these
        are many, those of them that begin before a row ends and end, or follow one that ends,
        after it begins.
        """
        return self.matches(Probe.of(rows, self._keys(rows)))

    def matches(self, probe: Probe[R]) -> Iterator[Match[R]]:
        """The same, of rows that have been put in order."""
        if not len(probe.rows):
            return iter(())
        runs = list(self)
        for run in runs:
            run.rows.meet(probe.rows)
        return matches(runs, probe)

    def uncovered(self, probe: Probe[R]) -> Probe[R] | None:
        """The parts of rows that no element covers, and no row before: each once at any instant.
        None where that is not compiled, or where keys have so many elements that `matches` is
        quicker.

        Cost: a search per row and run, and the elements with an equal key.
        """
        runs = list(self)
        if _native is None or len(runs) > _RUNS:
            return None
        rows, size = probe.rows, len(probe.order)
        for run in runs:
            run.rows.meet(rows)
        room = 2 * size + 16
        places, ts, te = np.empty((3, room), np.int64)
        hashes = np.empty(room, np.uint32)
        given = (probe.hashes, probe.order, flat(probe.keys), *flat([rows.ts, rows.te]))
        kept = [run.given for run in runs]
        patience = _MANY * (size + len(self))
        count = _native.uncovered(*given, kept, patience, places, ts, te, hashes)
        if count < 0:
            return None
        found = rows.take_on(places[:count], ts[:count], te[:count])
        return Probe(found, self._keys(found), hashes[:count], np.arange(count), sorted=True)

    def purge(self, watermark: int) -> None:
        """Forget elements that ended by `watermark`: no later element overlaps them.

        Whole runs at once; a run of which more than a fifth has ended is written anew without
        it, so at most a quarter more is kept than is needed.
        """
        if all(run.stale > watermark for run in self._runs):
            return
        self._runs = [
            run if run.stale > watermark else self._live(run, watermark)
            for run in self._runs
            if run.last > watermark
        ]
        if not self._late:
            self._balance()

    def _live(self, run: Run[R], watermark: int) -> Run[R]:
        return run.left(np.flatnonzero(run.rows.te > watermark), self._keys)

    def _merge(self, runs: Sequence[Run[R]]) -> Run[R]:
        if len(runs) == 1:
            return runs[0]
        rows = type(runs[0].rows).concat([run.rows for run in runs]).compact()
        hashes, order = merged([run.hashes for run in runs])
        probe = Probe(rows, self._keys(rows), hashes, order)
        return Run.ready(probe, self._keys, np.concatenate([run.marks for run in runs]))

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
            assert (run.hashes[1:] >= run.hashes[:-1]).all()
            assert run.last == run.rows.te.max() <= FOREVER
        assert self._late or self._alike([len(run.rows) for run in self._runs]) is None
