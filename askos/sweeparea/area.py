"""The SweepArea of joins: elements by key, in immutable sorted runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Generic, TypeAlias

import numpy as np
import numpy.typing as npt

from askos.interval import FOREVER
from askos.native import flat, native
from askos.sweeparea.narrow import narrow
from askos.sweeparea.rows import (
    HASH_BITS,
    Fetch,
    Ints,
    R,
    Saved,
    argsort,
    bounds,
    by_hash,
    key_hash,
    new_id,
)
from askos.sweeparea.spans import bounded, spans

Keys: TypeAlias = Callable[[R], Sequence[Ints]]
"""The key columns of rows; elements match where all of them are equal."""

_native: Final = native("askos.sweeparea._pairs")
_RUNS: Final = 64  # that are looked through at once
_FAN: Final = 4  # runs merged together
_SHARE: Final = 128  # a merge makes no run larger than what comes in at once times this
_SMALL: Final = 1 << 15  # a run so large is made in no time
_STALE: Final = 5  # the part of a run that may have ended: one in so many
_MANY: Final = 8  # candidates an element: to look at each takes longer than to search


@dataclass(frozen=True, slots=True, eq=False)
class Run(Generic[R]):
    """Elements sorted by the hash of their key; only `marks` may change."""

    id: int
    rows: R
    keys: Sequence[Ints]
    hashes: npt.NDArray[np.uint32]
    marks: Ints
    stops: Ints  # where the elements end whose hash is that of this one
    pure: bool  # whether elements with equal hashes have equal keys
    starts: int  # the last start of validity
    ends: int  # the first end of validity
    last: int  # the last end of validity
    stale: int  # when more than a fifth of the elements have ended

    @classmethod
    def of(cls, rows: R, keys: Keys[R], marks: Ints, id: int | None = None) -> Run[R]:
        """Sort `rows`, unless they are stored ones, which are sorted already."""
        own = keys(rows)
        if id is None:
            return cls.ready(Probe.of(rows, own), keys, marks)
        return cls._made(id, rows, own, key_hash(own, len(rows)).astype(np.uint32), marks)

    @classmethod
    def ready(cls, probe: Probe[R], keys: Keys[R], marks: Ints) -> Run[R]:
        """Of rows that have been put in order."""
        if probe.sorted:
            return cls._made(new_id(), probe.rows, keys(probe.rows), probe.hashes, marks)
        rows = probe.rows.take(probe.order)
        return cls._made(new_id(), rows, keys(rows), probe.hashes, marks[probe.order])

    def left(self, kept: Ints, keys: Keys[R]) -> Run[R]:
        """Some of the elements, under a name of their own: they are in order."""
        rows = self.rows.take(kept).compact()
        return Run._made(new_id(), rows, keys(rows), self.hashes[kept], self.marks[kept])

    @classmethod
    def _made(
        cls, id: int, rows: R, keys: Sequence[Ints], hashes: npt.NDArray[np.uint32], marks: Ints
    ) -> Run[R]:
        stops, pure = _segments(hashes, keys)
        limits = bounds(rows.ts, rows.te, len(rows) // _STALE)
        return cls(id, rows, keys, hashes, marks, stops, pure, *limits)

    def matches(self, probe: Probe[R], always: bool) -> Iterator[Match[R]]:
        """The pairs with an equal key that overlap; `always`: all do."""
        for mine, stored in self._pairs(probe, always):
            if len(mine):
                yield Match(self.rows, mine, stored, self.id)

    def _pairs(self, probe: Probe[R], always: bool) -> Iterator[tuple[Ints, Ints]]:
        """Pairs; where candidates are by far more than elements, only those that may overlap are
        looked at."""
        low, counts, mine = self._candidates(probe)
        many = int(counts.sum()) > _MANY * (len(self.rows) + len(mine))
        found = (
            narrow(self.rows, self.stops, probe.rows, mine, low) if many and not always else None
        )
        if found is not None:
            low, counts, order = found
            for of, place in spans(low, counts, mine):
                yield self._meeting(probe, of, order[place], always)
        elif _native is None:
            for of, place in spans(low, counts, mine):
                yield self._meeting(probe, of, place, always)
        else:
            for part in bounded(counts):
                yield self._met(probe, low[part], counts[part], mine[part], always)

    def _meeting(
        self, probe: Probe[R], mine: Ints, stored: Ints, always: bool
    ) -> tuple[Ints, Ints]:
        """The candidates that have an equal key and overlap."""
        if not self.pure:
            for key, own in zip(probe.keys, self.keys, strict=True):
                mine, stored = _where(key.take(mine) == own.take(stored), mine, stored)
        if not always:
            mine, stored = _where(_overlap(probe.rows, mine, self.rows, stored), mine, stored)
        return mine, stored

    def _met(
        self, probe: Probe[R], low: Ints, counts: Ints, mine: Ints, always: bool
    ) -> tuple[Ints, Ints]:
        """The same of candidates that lie side by side."""
        room = int(counts.sum())
        of, place = np.empty(room, np.int64), np.empty(room, np.int64)
        own, theirs = ((), ()) if self.pure else (flat(self.keys), flat(probe.keys))
        intervals = flat([self.rows.ts, self.rows.te, probe.rows.ts, probe.rows.te])
        ts, te, starts, ends = intervals
        count = _native.meeting(
            low, counts, mine, ts, te, own, starts, ends, theirs, always, of, place
        )
        return of[:count], place[:count]

    def _candidates(self, probe: Probe[R]) -> tuple[Ints, Ints, Ints]:
        """Where candidates begin, how many they are, and of whom: elements with the hash of a
        probe, and in a run that is `pure` with its key."""
        if _native is not None:
            found = low, counts, mine = tuple(np.empty((3, len(probe.order)), np.int64))
            keys = (flat(self.keys), flat(probe.keys)) if self.pure else ((), ())
            mined = (self.hashes, self.stops, keys[0], probe.hashes, probe.order, keys[1])
            count, _ = _native.candidates(*mined, *found)
            return low[:count], counts[:count], mine[:count]
        low = self.hashes.searchsorted(probe.hashes)
        found = (self.hashes.take(low, mode="clip") == probe.hashes).nonzero()[0]
        low, mine = low.take(found), probe.order.take(found)
        if self.pure:
            for key, own in zip(probe.keys, self.keys, strict=True):
                low, mine = _where(key.take(mine) == own.take(low), low, mine)
        return low, self.stops[low] - low, mine


def _segments(hashes: npt.NDArray[np.uint32], keys: Sequence[Ints]) -> tuple[Ints, bool]:
    """Where the elements end whose hash is that of each, and whether all of them have its key."""
    if _native is not None:
        stops = np.empty(len(hashes), np.int64)
        return stops, _native.segments(hashes, flat(keys), stops)
    same = hashes[1:] == hashes[:-1]
    pure = not same.any() or all(bool((key[1:] == key[:-1])[same].all()) for key in keys)
    return _stops(same), pure


def _stops(same: npt.NDArray[np.bool_]) -> Ints:
    """Where each row's segment stops, given which rows are in one with the row before."""
    borders = (~same).nonzero()[0] + 1
    stops = np.concatenate([borders, [len(same) + 1]])
    counts = stops.copy()
    counts[1:] -= borders
    return stops.repeat(counts)


def _where(kept: npt.NDArray[np.bool_], *columns: Ints) -> tuple[Ints, ...]:
    if kept.all():
        return columns
    rows = kept.nonzero()[0]
    return tuple(column.take(rows) for column in columns)


@dataclass(frozen=True, slots=True, eq=False)
class Probe(Generic[R]):
    """Rows to look for or to keep, the hashes of their keys in order, and the row of each."""

    rows: R
    keys: Sequence[Ints]
    hashes: npt.NDArray[np.uint32]  # of 32 bits: half as much to search in
    order: Ints
    sorted: bool = False  # whether that is how the rows come

    @classmethod
    def of(cls, rows: R, keys: Sequence[Ints]) -> Probe[R]:
        """In order, since neighbours search in the same place."""
        return cls(rows, keys, *by_hash(keys, len(rows)))

    @classmethod
    def hashed(cls, rows: R, keys: Sequence[Ints], hashes: Ints) -> Probe[R]:
        """Of rows with known hashes."""
        order = argsort(hashes, HASH_BITS)
        return cls(rows, keys, hashes[order].astype(np.uint32), order)

    @property
    def by_row(self) -> Ints:
        """The hash of each row."""
        hashes = np.empty(len(self.order), np.int64)
        hashes[self.order] = self.hashes
        return hashes


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

    No step waits for a merge: what would become larger than a hundred times what comes in at once
    stays in its runs.

    Each element may carry a mark, a number its owner may change; marks are not stored.  Beside
    the elements there may be a base, which holds always: it is never merged, purged or stored.
    """

    def __init__(self, keys: Keys[R]) -> None:
        self._keys = keys
        self.base: Run[R] | None = None
        self._runs: list[Run[R]] = []
        self._most = _SMALL  # the size of a run that may be made by merging

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
        if len(rows):
            self.keep(Probe.of(rows, self._keys(rows)), marks)

    def keep(self, probe: Probe[R], marks: Ints | None = None) -> None:
        """The same, of rows that have been put in order: who looks for partners has done it."""
        rows = probe.rows.compact()
        if not len(rows):
            return
        if marks is None:
            marks = np.zeros(len(rows), np.int64)
        self._runs.append(Run.ready(replace(probe, rows=rows), self._keys, marks))
        self._most = max(self._most, _SHARE * len(rows))
        self._balance()

    def _balance(self) -> None:
        """Merge neighbours, the youngest first, until the runs are as few as promised; what becomes
        one in several rounds is copied once."""
        sizes = [len(run.rows) for run in self._runs]
        counts = [1] * len(sizes)  # of the runs that become one
        while (alike := self._alike(sizes)) is not None:
            sizes[alike], counts[alike] = [sum(sizes[alike])], [sum(counts[alike])]
        if len(counts) < len(self._runs):
            runs = iter(self._runs)
            self._runs = [self._merge([*islice(runs, count)]) for count in counts]

    def _alike(self, sizes: Sequence[int]) -> slice | None:
        """The youngest neighbours that are to be merged."""
        for oldest in range(len(sizes) - _FAN, -1, -1):
            group = sizes[oldest : oldest + _FAN]
            if group[0] < 2 * group[-1] and sum(group) <= self._most:
                return slice(oldest, oldest + _FAN)
        return None

    def query(self, rows: R) -> Iterator[Match[R]]:
        """The pairs of `rows` and stored elements with equal keys and overlapping intervals.

        Cost: a binary search per row and run, and the candidates with an equal key; where these
        are many, those of them that begin before a row ends and end, or follow one that ends,
        after it begins.
        """
        return self.matches(Probe.of(rows, self._keys(rows)))

    def matches(self, probe: Probe[R]) -> Iterator[Match[R]]:
        """The same, of rows that have been put in order."""
        if not len(probe.rows):
            return
        begin, end = int(probe.rows.ts.max()), int(probe.rows.te.min())
        for run in self:
            run.rows.meet(probe.rows)
            always = begin < run.ends and run.starts < end  # all overlap all
            yield from run.matches(probe, always)

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
        kept = [(r.hashes, r.stops, flat(r.keys), *flat([r.rows.ts, r.rows.te])) for r in runs]
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
        self._balance()

    def _live(self, run: Run[R], watermark: int) -> Run[R]:
        return run.left(np.flatnonzero(run.rows.te > watermark), self._keys)

    def _merge(self, runs: Sequence[Run[R]]) -> Run[R]:
        if len(runs) == 1:
            return runs[0]
        rows = type(runs[0].rows).concat([run.rows for run in runs]).compact()
        hashes = np.concatenate([run.hashes for run in runs]).astype(np.int64)
        probe = Probe.hashed(rows, self._keys(rows), hashes)
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
        assert self._alike([len(run.rows) for run in self._runs]) is None


def _overlap(left: R, mine: Ints, right: R, theirs: Ints) -> npt.NDArray[np.bool_]:
    before = left.ts.take(mine) < right.te.take(theirs)
    before &= right.ts.take(theirs) < left.te.take(mine)
    return before
