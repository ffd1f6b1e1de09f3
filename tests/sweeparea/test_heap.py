"""A ReleaseHeap against a sorted list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.sweeparea import ReleaseHeap
from tests.sweeparea.table import Table


def heap() -> ReleaseHeap[Table]:
    return ReleaseHeap[Table](lambda table: table.ts)


def table(times: list[int], first: int = 0) -> Table:
    return Table.of([((), time, time + 1) for time in times], 0, first)


def times(parts: list[Table]) -> list[int]:
    return [int(time) for part in parts for time in part.ts]


def names(parts: list[Table]) -> list[int]:
    return sorted(int(name) for part in parts for name in part.names)


def restored(old: ReleaseHeap[Table]) -> ReleaseHeap[Table]:
    saved = old.snapshot()
    new = heap()
    new.restore(saved.manifest, saved.runs.__getitem__)
    assert sorted(new.snapshot().manifest) == sorted(saved.manifest)
    return new


@given(st.data())
def test_a_release_heap_agrees_with_a_sorted_list(data: st.DataObject) -> None:
    found, kept, made, before = heap(), dict[int, int](), 0, 0
    for _ in range(data.draw(st.integers(1, 25))):
        match data.draw(st.sampled_from(["insert", "insert", "extract", "restore"])):
            case "insert":
                new = data.draw(st.lists(st.integers(before, before + 40), max_size=6))
                found.insert(table(new, made))
                kept |= enumerate(new, made)
                made += len(new)
            case "extract":
                before += data.draw(st.integers(0, 6))
                due = [name for name, time in kept.items() if time < before]
                assert names(found.extract(before)) == due
                kept = {name: time for name, time in kept.items() if time >= before}
            case "restore":
                found = restored(found)
        found._check()
        assert names(list(found)) == sorted(kept)
        assert len(found) == len(kept)
    assert names(found.extract(1000)) == sorted(kept)
    assert len(found) == 0


def test_what_came_in_any_order_leaves_in_order() -> None:
    found = heap()
    found.insert(table([5, 1, 3]))
    found.insert(table([4, 2, 6]))
    assert times(found.extract(0)) == []
    assert sorted(times(found.extract(3))) == [1, 2]
    assert times(found.extract(5)) == [3, 4]
    assert times(found.extract(7)) == [5, 6]


def test_what_is_due_at_the_very_time_stays() -> None:
    found = heap()
    found.insert(table([5]))
    assert not times(found.extract(5))
    assert times(found.extract(6)) == [5]


def test_elements_of_one_time_are_all_given_back() -> None:
    found = heap()
    found.insert(table([1, 1]))
    found.extract(0)
    found.insert(table([1, 2], first=2))
    assert names(found.extract(2)) == [0, 1, 2]


def test_what_is_extracted_in_the_step_it_came_in_is_never_stored() -> None:
    found = heap()
    found.insert(table([1, 2, 9]))
    found.extract(5)
    saved = found.snapshot()
    assert times(list(saved.runs.values())) == [9]
    found.insert(table([6, 7]))
    assert sorted(times(found.extract(8))) == [6, 7]
    assert found.snapshot().manifest == saved.manifest


def test_what_leaves_a_stored_run_does_not_change_it() -> None:
    found = heap()
    found.insert(table([1, 2, 9]))
    ((name, begin),) = found.snapshot().manifest
    found.extract(2)
    saved = found.snapshot()
    assert saved.manifest == [[name, begin + 1]]
    assert times(list(saved.runs.values())) == [1, 2, 9]
    assert times(list(restored(found))) == [2, 9]
    found.extract(10)
    assert not found.snapshot().runs


def test_many_runs_become_one() -> None:
    found = heap()
    for time in range(100, 120):
        found.insert(table([time], first=time))
        found.extract(0)
        found._check()
        assert len(found.snapshot().runs) <= 12
    assert times(found.extract(110)) == list(range(100, 110))
    assert times(found.extract(200)) == list(range(110, 120))


def test_a_snapshot_in_the_middle_of_a_step_takes_in_what_is_new() -> None:
    found = heap()
    found.insert(table([3, 1]))
    again = restored(found)
    assert times(again.extract(2)) == [1]
    assert times(found.extract(9)) == [1, 3]


def test_nothing_in_nothing_out() -> None:
    found = heap()
    found.insert(table([]))
    assert not found.extract(10)
    assert not found.snapshot().runs
    assert not list(restored(found))
