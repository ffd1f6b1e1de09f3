"""What is particular to ordered areas."""

from __future__ import annotations

import pytest

from askos.interval import FOREVER
from askos.sweeparea import Entry, OrderedArea, OrderedHeap
from tests.sweeparea.singles import Named, Singles


def entry(name: int, start: int, end: int, key: int = 7) -> Entry[Named]:
    return Entry((name, (key,)), start, end, (key,))


def names(found: list[Entry[Named]]) -> list[int]:
    return [one.payload[0] for one in found]


def area(*entries: Entry[Named]) -> OrderedArea[Named]:
    made = OrderedArea[Named]()
    for one in entries:
        made.insert(one)
    made._check()
    return made


def test_partners_come_in_the_order_of_their_starts() -> None:
    kept = area(entry(0, 5, 9), entry(1, 3, 9), entry(2, 3, 20), entry(3, 4, 9, key=8))
    assert names(kept.query(entry(9, 0, 10))) == [1, 2, 0]


def test_intervals_that_only_touch_do_not_meet() -> None:
    kept = area(entry(0, 0, 5), entry(1, 9, 12))
    assert names(kept.query(entry(9, 5, 9))) == []
    assert names(kept.query(entry(9, 4, 10))) == [0, 1]


def test_storing_an_element_twice_means_two_elements() -> None:
    kept = area(entry(0, 0, 5), entry(0, 0, 5))
    assert len(kept) == 2
    assert names(kept.query(entry(9, 0, 5))) == [0, 0]
    assert names(kept.extract(5)) == [0, 0]
    assert len(kept) == 0


def test_elements_leave_when_they_have_ended_by_end() -> None:
    kept = area(entry(0, 0, 9), entry(1, 0, 5), entry(2, 1, 5), entry(3, 0, FOREVER))
    assert names(kept.extract(4)) == []
    assert names(kept.extract(8)) == [1, 2]
    kept._check()
    assert names(kept.extract(FOREVER)) == [0, 3]
    assert not list(kept)


def test_a_marker_is_replaced_and_nothing_else() -> None:
    kept = area(entry(0, 0, 9))
    (one,) = kept
    kept.replace(one, 4)
    kept._check()
    assert [(found.payload[0], found.mark) for found in kept.query(entry(9, 0, 9))] == [(0, 4)]


def test_many_elements_of_one_key_and_start_leave_as_fast_as_others() -> None:
    kept = area(*(entry(name, 0, 1 + name % 5) for name in range(2_000)))
    for time in range(1, 6):
        assert len(kept.extract(time)) == 400
    assert not kept._by_key


def test_a_heap_gives_equal_times_in_the_order_of_insertion() -> None:
    heap = OrderedHeap[Named]()
    for name, start in enumerate((3, 1, 3, 2, 1)):
        heap.insert(entry(name, start, 9))
    assert names(heap.extract(3)) == [1, 4, 3]
    assert names(heap.extract(4)) == [0, 2]


def test_a_heap_may_go_by_another_time() -> None:
    heap = OrderedHeap[Named](lambda one: one.te)
    heap.insert(entry(0, 0, 9))
    heap.insert(entry(1, 5, 7))
    assert names(heap.extract(8)) == [1]


# ---- what is stored --------------------------------------------------------------------------


def test_what_has_not_changed_is_not_stored_again() -> None:
    singles, kept = Singles(), area(*(entry(name, 0, 9) for name in range(8)))
    (run,) = singles.log.saved(kept).manifest
    kept.insert(entry(8, 1, 9))
    saved = singles.log.saved(kept)
    assert saved.manifest[0] == run
    assert [len(rows) for rows in saved.runs.values()] == [8, 1]


@pytest.mark.parametrize("count", [1, 10, 300])
def test_runs_stay_few_and_elements_are_stored_few_times(count: int) -> None:
    singles, kept = Singles(), area()
    stored, known = 0, set[int]()
    for name in range(count):
        kept.insert(entry(name, 0, 9))
        saved = singles.log.saved(kept)
        stored += sum(len(rows) for run, rows in saved.runs.items() if run not in known)
        known |= saved.runs.keys()
        assert len(saved.runs) <= count.bit_length()
        assert sum(map(len, saved.runs.values())) == len(kept)
    assert stored <= count * 2 * count.bit_length()


def test_a_run_of_which_half_has_gone_is_written_anew_without_it() -> None:
    singles, kept = Singles(), area(*(entry(name, 0, name + 1) for name in range(4)))
    (run,) = singles.log.saved(kept).manifest
    kept.purge(1)
    assert singles.log.saved(kept).manifest == [run]
    kept.purge(2)
    saved = singles.log.saved(kept)
    assert run not in saved.runs
    assert [rows.names.tolist() for rows in saved.runs.values()] == [[2, 3]]
    kept.purge(4)
    assert singles.log.saved(kept).manifest == []


def test_what_moves_to_another_area_is_stored_with_that() -> None:
    waiting, kept = OrderedHeap[Named](), area()
    logs = Singles(), Singles()
    waiting.insert(entry(0, 0, 9))
    assert logs[0].log.saved(waiting).runs
    for one in waiting.extract(1):
        kept.insert(one)
    assert not logs[0].log.saved(waiting).runs
    assert [rows.names.tolist() for rows in logs[1].log.saved(kept).runs.values()] == [[0]]
