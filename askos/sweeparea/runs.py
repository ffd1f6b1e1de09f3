"""Immutable sorted runs of elements, and who in them has a partner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeAlias

import numpy as np
import numpy.typing as npt

from askos.native import flat, native
from askos.sweeparea.narrow import narrow
from askos.sweeparea.rows import HASH_BITS, Ints, R, argsort, bounds, by_hash, key_hash, new_id
from askos.sweeparea.spans import bounded, few, spans

Keys: TypeAlias = Callable[[R], Sequence[Ints]]
"""The key columns of rows; elements match where all of them are equal."""
Hashes: TypeAlias = npt.NDArray[np.uint32]
Candidates: TypeAlias = tuple[Ints, Ints, Ints]
"""Where the candidates of an element begin, how many they are, and which element it is."""

_native: Final = native("askos.sweeparea._pairs")
_CELL: Final = 4  # elements of a cell of the directory, about
_STALE: Final = 5  # the part of a run that may have ended: one in so many
_MANY: Final = 8  # candidates an element: to look at each takes longer than to search


@dataclass(frozen=True, slots=True, eq=False)
class Run(Generic[R]):
    """Elements sorted by the hash of their key; only `marks` may change."""

    id: int
    rows: R
    keys: Sequence[Ints]
    hashes: Hashes
    marks: Ints
    pure: bool  # whether elements with equal hashes have equal keys
    given: Any  # to what is compiled
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
            return cls._made(new_id(), probe.rows, probe.keys, probe.hashes, marks)
        rows = probe.rows.take(probe.order)
        return cls._made(new_id(), rows, keys(rows), probe.hashes, marks[probe.order])

    def left(self, kept: Ints, keys: Keys[R]) -> Run[R]:
        """Some of the elements, under a name of their own: they are in order."""
        rows = self.rows.take(kept).compact()
        return Run._made(new_id(), rows, keys(rows), self.hashes[kept], self.marks[kept])

    @classmethod
    def _made(cls, id: int, rows: R, keys: Sequence[Ints], hashes: Hashes, marks: Ints) -> Run[R]:
        directory, signs, pure = segments(hashes, keys)
        columns = (hashes, directory, signs, flat(keys), *flat([rows.ts, rows.te]), pure)
        given = None if _native is None else _native.run(*columns)
        limits = bounds(rows.ts, rows.te, len(rows) // _STALE)
        return cls(id, rows, keys, hashes, marks, pure, given, *limits)

    def matches(self, probe: Probe[R]) -> Iterator[Match[R]]:
        """The pairs with an equal key that overlap."""
        return matches([self], probe)

    def chosen(self, probe: Probe[R], found: Candidates) -> Iterator[Match[R]]:
        """Those of candidates, a bounded number of which is looked at together."""
        begin, end = int(probe.rows.ts.max()), int(probe.rows.te.min())
        always = begin < self.ends and self.starts < end  # all overlap all
        for mine, stored in self._pairs(probe, found, always):
            if len(mine):
                yield Match(self.rows, mine, stored, self.id)

    def _pairs(
        self, probe: Probe[R], found: Candidates, always: bool
    ) -> Iterator[tuple[Ints, Ints]]:
        """Pairs; where candidates are by far more than elements, only those that may overlap are
        looked at."""
        low, counts, mine = found
        less = None
        if not always and self.many(int(counts.sum()), len(mine)):
            less = narrow(self.rows, _stops(self.hashes), probe.rows, mine, low)
        if less is not None:
            low, counts, order = less
            for of, place in spans(low, counts, mine):
                yield self._meeting(probe, of, order[place], always)
        elif _native is None:
            for of, place in spans(low, counts, mine):
                yield self._meeting(probe, of, place, always)
        else:
            for part in bounded(counts):
                some, ends = (low[part], counts[part], mine[part]), np.array([len(low[part])])
                of, place, _, _ = _meeting([self], probe, some, ends)
                yield of, place

    def many(self, candidates: int, elements: int) -> bool:
        """Whether there are by far more candidates than elements on both sides."""
        return candidates > _MANY * (len(self.rows) + elements)

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

    def candidates(self, probe: Probe[R]) -> Candidates:
        """Elements with the hash of a probe, and in a run that is `pure` with its key."""
        low = self.hashes.searchsorted(probe.hashes)
        found = (self.hashes.take(low, mode="clip") == probe.hashes).nonzero()[0]
        low, mine = low.take(found), probe.order.take(found)
        if self.pure:
            for key, own in zip(probe.keys, self.keys, strict=True):
                low, mine = _where(key.take(mine) == own.take(low), low, mine)
        return low, self.hashes.searchsorted(self.hashes.take(low), "right") - low, mine


@dataclass(frozen=True, slots=True, eq=False)
class Probe(Generic[R]):
    """Rows to look for or to keep, the hashes of their keys in order, and the row of each."""

    rows: R
    keys: Sequence[Ints]
    hashes: Hashes  # of 32 bits: half as much to search in
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
    """Pairs found: row `probe[i]` of the query and row `stored[i]` of `rows`, those of a run; and
    on which interval both are, if whoever found them knows."""

    rows: R
    probe: Ints
    stored: Ints
    run: int = 0
    both: tuple[Ints, Ints] | None = None


# ---- all runs at once ------------------------------------------------------------------------


def matches(runs: Sequence[Run[R]], probe: Probe[R]) -> Iterator[Match[R]]:
    """The pairs of a probe and elements of runs that have an equal key and overlap."""
    if not runs:
        return
    if _native is None:
        for run in runs:
            yield from run.chosen(probe, run.candidates(probe))
        return
    found, ends, totals = _candidates(runs, probe)
    counts = np.diff(ends, prepend=0).tolist()
    many = any(map(Run[R].many, runs, totals.tolist(), counts))
    if many or not few(int(totals.sum())):
        parts = (np.split(column, ends[:-1]) for column in found)
        for run, *some in zip(runs, *parts, strict=True):
            yield from run.chosen(probe, (some[0], some[1], some[2]))
        return
    of, place, ts, te = _meeting(runs, probe, found, ends)
    begin = 0
    for run, end in zip(runs, ends.tolist(), strict=True):
        if begin < end:
            part = slice(begin, end)
            yield Match(run.rows, of[part], place[part], run.id, (ts[part], te[part]))
        begin = end


def _candidates(runs: Sequence[Run[R]], probe: Probe[R]) -> tuple[Candidates, Ints, Ints]:
    """`Run.candidates` of one run after the other, where those of each end, and how many elements
    they are."""
    low, counts, mine = np.empty((3, len(probe.order) * len(runs)), np.int64)
    ends, totals = np.empty((2, len(runs)), np.int64)
    given = (np.ascontiguousarray(probe.hashes), *flat([probe.order]), flat(probe.keys))
    _native.candidates([run.given for run in runs], *given, ends, totals, low, counts, mine)
    last = int(ends[-1])
    return (low[:last], counts[:last], mine[:last]), ends, totals


def _meeting(
    runs: Sequence[Run[R]], probe: Probe[R], found: Candidates, ends: Ints
) -> tuple[Ints, Ints, Ints, Ints]:
    """The pairs among candidates of one run after the other, and on which interval they are;
    `ends` says where the candidates of each end, and is told where its pairs do."""
    room = int(found[1].sum())
    out = tuple(np.empty((4, room), np.int64))
    times = flat([probe.rows.ts, probe.rows.te])
    given = ([run.given for run in runs], ends, *found, *times, flat(probe.keys))
    _native.meeting(*given, *out)
    last = int(ends[-1])
    of, place, ts, te = (column[:last] for column in out)
    return of, place, ts, te


def merged(runs: Sequence[Hashes]) -> tuple[Hashes, Ints]:
    """The hashes of sorted runs in order, and their places, as if one run followed the other."""
    count = sum(map(len, runs))
    if _native is not None:
        hashes, order = np.empty(count, np.uint32), np.empty(count, np.int64)
        _native.merged([*map(np.ascontiguousarray, runs)], hashes, order)
        return hashes, order
    every = np.concatenate(runs)
    order = argsort(every.astype(np.int64), HASH_BITS)
    return every[order], order


# ---- what is known of a run ------------------------------------------------------------------


def segments(
    hashes: Hashes, keys: Sequence[Ints]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64], bool]:
    """A directory, where the hashes begin that are alike in their first bits; their signs, two
    bits of 64 by the last bits of each; and whether elements with equal hashes have equal keys."""
    bits = (len(hashes) // _CELL).bit_length()
    if _native is not None:
        directory, signs = np.empty((1 << bits) + 1, np.int32), np.empty(1 << bits, np.uint64)
        return directory, signs, _native.segments(hashes, flat(keys), directory, signs)
    cells = np.arange(1 << bits) << HASH_BITS - bits
    begins = hashes.searchsorted(cells.astype(np.uint32))
    signs = np.zeros(1 << bits, np.uint64)
    cell, one = hashes.astype(np.int64) >> HASH_BITS - bits, np.uint64(1)
    for last in (hashes & 63, hashes >> 6 & 63):
        np.bitwise_or.at(signs, cell, one << last.astype(np.uint64))
    same = hashes[1:] == hashes[:-1]
    pure = not same.any() or all(bool((key[1:] == key[:-1])[same].all()) for key in keys)
    return np.append(begins, len(hashes)).astype(np.int32), signs, pure


def _stops(hashes: Hashes) -> Ints:
    """Where the elements end whose hash is that of each."""
    borders = (hashes[1:] != hashes[:-1]).nonzero()[0] + 1
    stops = np.append(borders, len(hashes))
    return stops.repeat(np.diff(stops, prepend=0))


def _where(kept: npt.NDArray[np.bool_], *columns: Ints) -> tuple[Ints, ...]:
    if kept.all():
        return columns
    rows = kept.nonzero()[0]
    return tuple(column.take(rows) for column in columns)


def _overlap(left: R, mine: Ints, right: R, theirs: Ints) -> npt.NDArray[np.bool_]:
    before = left.ts.take(mine) < right.te.take(theirs)
    before &= right.ts.take(theirs) < left.te.take(mine)
    return before
