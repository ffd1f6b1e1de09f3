"""Ordered areas: one element at a time, in sorted lists and heaps."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from operator import attrgetter
from typing import Final, Generic, Protocol, TypeVar

from sortedcontainers import SortedKeyList

from askos.interval import FOREVER
from askos.sweeparea.rows import Fetch, R, Saved, new_id

P = TypeVar("P")


@dataclass(slots=True, eq=False)
class Entry(Generic[P]):
    """One element (payload, [ts, te)), found by its key; another of the same content is another.

    `mark` is a number that its owner may change, t̂E say; it is not stored.
    """

    payload: P
    ts: int
    te: int
    key: Hashable = ()
    mark: int = 0
    place: tuple[int, ...] = ()  # in its area: start, and a number that no other has
    run: int = 0  # in which it is stored


_START: Final = attrgetter("ts")
_END: Final = attrgetter("te")
_PLACE: Final = attrgetter("place")


class OrderedHeap(Generic[P]):
    """Entries by time; what came in any order leaves in order.  The paper's H, as it is printed.

    The time of an entry is read when it is inserted.  Equal times: in the order of insertion.
    """

    def __init__(self, time: Callable[[Entry[P]], int] = _START) -> None:
        self._time = time
        self._heap: list[tuple[int, int, Entry[P]]] = []
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._heap)

    def __iter__(self) -> Iterator[Entry[P]]:
        return (entry for _, _, entry in self._heap)

    def insert(self, element: Entry[P]) -> None:
        """Hold an entry.  Cost: O(log n)."""
        heapq.heappush(self._heap, (self._time(element), next(self._numbers), element))

    def extract(self, time: int) -> list[Entry[P]]:
        """Take out all entries whose time is less than `time`, in order.  Cost: O(log n) each."""
        due = []
        while self._heap and self._heap[0][0] < time:
            due.append(heapq.heappop(self._heap)[2])
        return due

    def _check(self) -> None:
        """Assert what every method relies on."""
        for child, (time, number, entry) in enumerate(self._heap):
            assert self._heap[(child - 1) // 2][:2] <= (time, number) or child == 0
            assert 0 <= entry.ts < entry.te <= FOREVER


class OrderedArea(Generic[P]):
    """Entries that may still find partners, by key and start; they leave by end.

    Krämer and Seeger's SweepArea for joins: a list for every key, in the order of starts, and all
    entries once more in the order of ends.  So a query gives partners in the order of their
    starts, which the left join relies on, and never looks at those that start too late.
    """

    def __init__(self) -> None:
        self._by_key: dict[Hashable, SortedKeyList] = {}
        self._by_end = OrderedHeap[P](_END)
        self._numbers = count()

    def __len__(self) -> int:
        return len(self._by_end)

    def __iter__(self) -> Iterator[Entry[P]]:
        return iter(self._by_end)

    def insert(self, element: Entry[P]) -> None:
        """Keep an entry.  Cost: O(log n)."""
        element.place = (element.ts, next(self._numbers))
        same = self._by_key.get(element.key)
        if same is None:
            same = self._by_key[element.key] = SortedKeyList(key=_PLACE)
        same.add(element)
        self._by_end.insert(element)

    def replace(self, element: Entry[P], mark: int) -> None:
        """Keep an entry with another marker.  Cost: none, for no order depends on it."""
        element.mark = mark

    def query(self, element: Entry[P]) -> list[Entry[P]]:
        """The entries with the key of `element` whose intervals overlap its own, by start.

        Cost: O(log n), and a look at each entry of the key that starts before `element` ends.
        """
        same = self._by_key.get(element.key)
        if same is None:
            return []
        started = same.irange_key(None, (element.te,), (True, False))
        return [other for other in started if other.te > element.ts]

    def extract(self, time: int) -> list[Entry[P]]:
        """Take out the entries that ended by `time`, by end.  Cost: O(log n) each."""
        ended = self._by_end.extract(time + 1)
        for entry in ended:
            same = self._by_key[entry.key]
            same.remove(entry)
            if not same:
                del self._by_key[entry.key]
        return ended

    def purge(self, watermark: int) -> None:
        """Forget entries that ended by `watermark`.  Cost: O(log n) each."""
        self.extract(watermark)

    def _check(self) -> None:
        """Assert what every method relies on."""
        self._by_end._check()
        listed = [entry for same in self._by_key.values() for entry in same]
        assert {id(entry) for entry in listed} == {id(entry) for entry in self}
        assert len(listed) == len(self)
        for key, same in self._by_key.items():
            assert same
            same._check()
            assert all(entry.key == key and entry.place[0] == entry.ts for entry in same)


# ---- what is stored --------------------------------------------------------------------------


class Form(Protocol[P, R]):
    """Entries as rows, to be stored."""

    def rows(self, entries: Sequence[Entry[P]], /) -> R:
        """One after the other."""

    def entries(self, rows: R, /) -> Iterable[Entry[P]]:
        """The same, taken apart again."""


class Log(Generic[P, R]):
    """The runs in which the entries of an area are stored: each once, and in few of them.

    What is new makes a run.  It takes in older ones that are not twice as large, and those of which
    half has gone: so there are O(log n) runs, and an entry is stored O(log n) times.  What is gone
    otherwise is still in its run, so whoever restores an area purges it as it was purged.
    """

    def __init__(self, form: Form[P, R]) -> None:
        self._form = form
        self._runs: dict[int, R] = {}  # the oldest first

    def saved(self, area: Iterable[Entry[P]]) -> Saved[R]:
        """What to store of an area.  Cost: a look at every entry, and what is new as rows."""
        new: list[Entry[P]] = []
        kept: dict[int, list[Entry[P]]] = {name: [] for name in self._runs}
        for entry in area:
            kept.get(entry.run, new).append(entry)
        for name in reversed(list(self._runs)):
            live = len(kept[name])
            if live < 2 * len(new) or 2 * live <= len(self._runs[name]):
                new += kept[name]
                del self._runs[name]
        if new:
            self._add(new)
        return Saved(list(self._runs), dict(self._runs))

    def _add(self, entries: list[Entry[P]]) -> None:
        name = new_id()
        self._runs[name] = self._form.rows(entries)
        for entry in entries:
            entry.run = name

    def restored(self, manifest: list[int], fetch: Fetch[R]) -> Iterator[Entry[P]]:
        """The entries of what was stored, to be inserted again."""
        self._runs = {name: fetch(name) for name in manifest}
        for name, rows in self._runs.items():
            for entry in self._form.entries(rows):
                entry.run = name
                yield entry
