"""Columnar and ordered areas against a plain list, and so against each other."""

from __future__ import annotations

from collections import Counter
from typing import Protocol, TypeAlias

from hypothesis import given
from hypothesis import strategies as st

from askos.sweeparea import (
    ByKey,
    ByTime,
    Entry,
    Match,
    OrderedArea,
    OrderedHeap,
    ReleaseHeap,
    SweepArea,
    Whole,
)
from askos.sweeparea.runs import Run
from tests.sweeparea.singles import Named, Singles
from tests.sweeparea.table import Row, Table, key_columns, rows
from tests.sweeparea.test_area import joined, pairs, restored, stored
from tests.sweeparea.test_heap import restored as restored_heap

EPOCH = 1_700_000_000_000
Pairs: TypeAlias = Counter[tuple[int, int]]
"""(Name of the row that asks, name of the row that is kept), and how often."""


def test_every_kind_keeps_the_contract() -> None:
    """As far as types can tell."""
    columnar: ByKey[Table, Run[Table], Match[Table]] = SweepArea[Table](key_columns)
    released: ByTime[Table, Table, Table] = ReleaseHeap[Table](lambda table: table.ts)
    ordered: Whole[Entry[Named], Entry[Named], Entry[Named]] = OrderedArea[Named]()
    heap: ByTime[Entry[Named], Entry[Named], Entry[Named]] = OrderedHeap[Named]()
    assert len(columnar) == len(released) == len(ordered) == len(heap) == 0


# ---- by key ----------------------------------------------------------------------------------


class Area(Protocol):
    """What both kinds can do, with rows of a table."""

    def insert(self, table: Table) -> None: ...
    def query(self, table: Table) -> Pairs: ...
    def purge(self, watermark: int) -> None: ...
    def restart(self, watermark: int) -> None: ...
    def check(self, kept: dict[int, Row]) -> None: ...


class Columnar:
    def __init__(self, width: int) -> None:
        self._area = SweepArea[Table](key_columns)

    def insert(self, table: Table) -> None:
        self._area.insert(table)

    def query(self, table: Table) -> Pairs:
        return pairs(self._area, table)

    def purge(self, watermark: int) -> None:
        self._area.purge(watermark)

    def restart(self, watermark: int) -> None:
        self._area = restored(self._area)

    def check(self, kept: dict[int, Row]) -> None:
        self._area._check()
        assert set(kept) <= set(stored(self._area))  # what has ended leaves by and by
        assert len(self._area) == len(stored(self._area))


class Ordered:
    def __init__(self, width: int) -> None:
        self._area, self._singles = OrderedArea[Named](), Singles(width)

    def insert(self, table: Table) -> None:
        for one in self._singles.form.entries(table):
            self._area.insert(one)

    def query(self, table: Table) -> Pairs:
        found = Pairs()
        for one in self._singles.form.entries(table):
            partners = self._area.query(one)
            assert [p.ts for p in partners] == sorted(p.ts for p in partners)
            found.update((one.payload[0], partner.payload[0]) for partner in partners)
        return found

    def purge(self, watermark: int) -> None:
        self._area.purge(watermark)

    def restart(self, watermark: int) -> None:
        self._area = self._singles.restored(self._area, OrderedArea[Named]())
        self._area.purge(watermark)

    def check(self, kept: dict[int, Row]) -> None:
        self._area._check()
        assert Counter(one.payload[0] for one in self._area) == Counter(kept.keys())
        assert len(self._area) == len(kept)


@given(st.data(), st.integers(0, 2), st.sampled_from([0, EPOCH]))
def test_areas_agree_with_a_list(data: st.DataObject, width: int, start: int) -> None:
    areas: list[Area] = [Columnar(width), Ordered(width)]
    watermark, made, kept = start, 0, dict[int, Row]()
    for _ in range(data.draw(st.integers(1, 12))):
        match data.draw(st.sampled_from(["insert", "insert", "query", "purge", "restart"])):
            case "insert":
                new = data.draw(rows(width, watermark))
                for area in areas:
                    area.insert(Table.of(new, width, made))
                kept |= enumerate(new, made)
                made += len(new)
            case "query":
                probe = data.draw(rows(width, watermark))
                for area in areas:
                    assert area.query(Table.of(probe, width)) == joined(probe, kept)
            case "purge":
                watermark += data.draw(st.integers(0, 12))
                for area in areas:
                    area.purge(watermark)
                kept = {name: row for name, row in kept.items() if row[2] > watermark}
            case "restart":
                for area in areas:
                    area.restart(watermark)
        for area in areas:
            area.check(kept)


# ---- by time ---------------------------------------------------------------------------------


class Released:
    def __init__(self) -> None:
        self._heap = ReleaseHeap[Table](lambda table: table.ts)

    def insert(self, table: Table) -> None:
        self._heap.insert(table)

    def extract(self, time: int) -> list[tuple[int, int]]:
        return [
            (int(start), int(name))
            for part in self._heap.extract(time)
            for start, name in zip(part.ts, part.names, strict=True)
        ]

    def restart(self, time: int) -> None:
        self._heap = restored_heap(self._heap)

    def check(self, count: int) -> None:
        self._heap._check()
        assert len(self._heap) == count


class InOrder:
    def __init__(self) -> None:
        self._heap, self._singles = OrderedHeap[Named](), Singles(0)

    def insert(self, table: Table) -> None:
        for one in self._singles.form.entries(table):
            self._heap.insert(one)

    def extract(self, time: int) -> list[tuple[int, int]]:
        found = [(one.ts, one.payload[0]) for one in self._heap.extract(time)]
        assert [start for start, _ in found] == sorted(start for start, _ in found)
        return found

    def restart(self, time: int) -> None:
        self._heap = self._singles.restored(self._heap, OrderedHeap[Named]())
        self._heap.extract(time)

    def check(self, count: int) -> None:
        self._heap._check()
        assert len(self._heap) == len(list(self._heap)) == count


@given(st.data(), st.sampled_from([0, EPOCH]))
def test_heaps_agree_with_a_list(data: st.DataObject, start: int) -> None:
    heaps: list[Released | InOrder] = [Released(), InOrder()]
    time, made, kept = start, 0, set[tuple[int, int]]()
    for _ in range(data.draw(st.integers(1, 12))):
        match data.draw(st.sampled_from(["insert", "insert", "extract", "restart"])):
            case "insert":
                new = data.draw(rows(0, time))
                for heap in heaps:
                    heap.insert(Table.of(new, 0, made))
                kept |= {(row[1], name) for name, row in enumerate(new, made)}
                made += len(new)
            case "extract":
                time += data.draw(st.integers(0, 6))
                due = {one for one in kept if one[0] < time}
                for heap in heaps:
                    assert sorted(heap.extract(time)) == sorted(due)
                kept -= due
            case "restart":
                for heap in heaps:
                    heap.restart(time)
        for heap in heaps:
            heap.check(len(kept))
