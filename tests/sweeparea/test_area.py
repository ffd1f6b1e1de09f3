"""A SweepArea against a plain list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from askos.sweeparea import SweepArea, area, runs, spans
from askos.sweeparea import rows as rows_module
from askos.sweeparea.rows import Ints
from tests.sweeparea.table import Row, Table, key_columns, rows


def stored(table: SweepArea[Table]) -> list[int]:
    return sorted(int(name) for run in table for name in run.rows.names)


def pairs(found: SweepArea[Table], probe: Table) -> Counter[tuple[int, int]]:
    """(name of the probing row, name of the stored row) of all pairs found."""
    return Counter(
        (int(probe.names[mine]), int(match.rows.names[theirs]))
        for match in found.query(probe)
        for mine, theirs in zip(match.probe, match.stored, strict=True)
    )


def joined(probe: list[Row], kept: dict[int, Row]) -> Counter[tuple[int, int]]:
    """The same by comparing each with each."""
    return Counter(
        (place, name)
        for place, (key, start, end) in enumerate(probe)
        for name, (other, begin, stop) in kept.items()
        if key == other and max(start, begin) < min(end, stop)
    )


def restored(old: SweepArea[Table]) -> SweepArea[Table]:
    saved = old.snapshot()
    new = SweepArea[Table](key_columns)
    new.restore(saved.manifest, saved.runs.__getitem__)
    assert new.snapshot().manifest == saved.manifest
    return new


@contextmanager
def colliding() -> Iterator[None]:
    """All keys have the same hash."""

    def same(keys: Sequence[Any], count: int) -> Any:
        return np.zeros(count, np.int64)

    patched = mock.patch.multiple(rows_module, key_hash=same, _native=None)
    with patched, mock.patch.object(runs, "key_hash", same):
        yield


@given(st.data(), st.integers(0, 3), st.sampled_from([1, 2, 7, 1 << 22]), st.sampled_from([0, 8]))
def test_a_sweep_area_agrees_with_a_list(
    data: st.DataObject, width: int, most: int, many: int
) -> None:
    late, gathered = data.draw(st.tuples(st.booleans(), st.booleans()))
    found = SweepArea[Table](key_columns, late=late, gathered=gathered)
    kept = dict[int, Row]()
    watermark, made = 0, 0
    compiled = data.draw(st.sampled_from([runs._native, None]))
    narrow = mock.patch.multiple(runs, _MANY=many, _native=compiled)
    few = mock.patch.object(area, "_FEW", data.draw(st.sampled_from([0, area._FEW])))
    with narrow, few, mock.patch.object(spans, "_PAIRS", most):
        for _ in range(data.draw(st.integers(1, 12))):
            match data.draw(st.sampled_from(["insert", "insert", "query", "purge", "restore"])):
                case "insert":
                    new = data.draw(rows(width, watermark))
                    table = Table.of(new, width, made)
                    found.insert(table, table.names.copy())
                    kept |= enumerate(new, made)
                    made += len(new)
                case "query":
                    probe = data.draw(rows(width, watermark))
                    assert pairs(found, Table.of(probe, width)) == joined(probe, kept)
                case "purge":
                    watermark += data.draw(st.integers(0, 12))
                    found.purge(watermark)
                    kept = {name: row for name, row in kept.items() if row[2] > watermark}
                case "restore":
                    found = restored(found)
                    for run in found:
                        assert not run.marks.any()
                        run.marks[:] = run.rows.names
            found._check()
            assert set(kept) <= set(stored(found))
            assert all((run.marks == run.rows.names).all() for run in found)


def test_storing_an_element_twice_means_two_elements() -> None:
    found = SweepArea[Table](key_columns)
    once = Table.of([((7,), 0, 5)])
    found.insert(once)
    found.insert(once)
    assert len(found) == 2
    assert pairs(found, once) == {(0, 0): 2}


def test_intervals_that_only_touch_do_not_meet() -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([((7,), 0, 5)]))
    assert not pairs(found, Table.of([((7,), 5, 9)]))
    assert pairs(found, Table.of([((7,), 4, 9)]))


def test_without_a_key_every_row_meets_every_row() -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([((), 0, 5)] * 3, 0))
    assert sum(pairs(found, Table.of([((), 1, 2)] * 4, 0)).values()) == 12


def test_nothing_is_inserted_and_nothing_found_without_rows() -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([]))
    assert not list(found.query(Table.of([((1,), 0, 5)])))
    found.insert(Table.of([((1,), 0, 5)]))
    assert not list(found.query(Table.of([])))
    assert len(found) == len(list(found)) == 1


def test_of_many_steps_only_those_are_compared_that_overlap() -> None:
    found, steps = SweepArea[Table](key_columns), [((1,), at, at + 1) for at in range(1_000)]
    found.insert(Table.of(steps[::-1]))
    probe, looked = Table.of(steps), list[int]()

    def counting(left: Table, mine: Ints, right: Table, theirs: Ints) -> Any:
        looked.append(len(mine))
        return overlap(left, mine, right, theirs)

    overlap = runs._overlap
    with mock.patch.object(runs, "_overlap", counting):
        assert pairs(found, probe) == {(at, 999 - at): 1 for at in range(1_000)}
    assert looked == [1_000]


def test_steps_that_are_too_far_apart_to_be_numbered_are_compared_each_with_each() -> None:
    far = [((1,), at << 55, (at << 55) + 1) for at in range(20)]
    found = SweepArea[Table](key_columns)
    found.insert(Table.of(far))
    assert pairs(found, Table.of(far)) == {(at, at): 1 for at in range(20)}


def test_keys_of_several_columns_must_agree_in_all_of_them() -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([((1, 2), 0, 5), ((2, 1), 0, 5), ((1, 1), 0, 5)], 2))
    assert pairs(found, Table.of([((1, 2), 0, 5)], 2)) == {(0, 0): 1}


def test_keys_whose_hashes_collide_are_compared() -> None:
    with colliding():
        found = SweepArea[Table](key_columns)
        found.insert(Table.of([((1,), 0, 5), ((2,), 0, 5)]))
        assert pairs(found, Table.of([((2,), 0, 5), ((3,), 0, 5)])) == {(0, 1): 1}


def test_runs_stay_few_and_elements_are_copied_few_times() -> None:
    found, copies, sizes = SweepArea[Table](key_columns), 0, dict[int, int]()
    for name in range(1000):
        found.insert(Table.of([((name,), 0, 5)], first=name))
        new = {run.id: len(run.rows) for run in found}
        copies += sum(new[run] for run in new.keys() - sizes.keys())
        sizes = new
        assert len(sizes) <= 3 * (name + 1).bit_length()
    assert copies <= 1000 * 6
    assert stored(found) == list(range(1000))


@given(st.lists(st.integers(1, 200), max_size=60))
@pytest.mark.parametrize("few", [0, area._FEW])
def test_runs_stay_few_whatever_the_sizes_of_what_is_inserted(few: int, counts: list[int]) -> None:
    found, copies, known = SweepArea[Table](key_columns), 0, set[int]()
    with mock.patch.object(area, "_FEW", few):
        for count in counts:
            found.insert(Table.of([((0,), 0, 5)] * count))
            copies += sum(len(run.rows) for run in found if run.id not in known)
            known |= {run.id for run in found}
            assert len(list(found)) <= max(few, 3 * len(found).bit_length())
    assert copies <= len(found) * 2 * len(found).bit_length()


@given(st.lists(st.integers(1, 9), max_size=60), st.integers(1, 20))
def test_no_merge_is_much_larger_than_what_comes_in(counts: list[int], small: int) -> None:
    with mock.patch.multiple(area, _SMALL=small, _SHARE=3, _FEW=0):
        found = SweepArea[Table](key_columns)
        for count in counts:
            found.insert(Table.of([((0,), 0, 5)] * count))
            found._check()
            assert max(len(run.rows) for run in found) <= max(small, 3 * max(counts))
    assert len(found) == sum(counts)


@mock.patch.object(area, "_FEW", 0)
def test_of_two_areas_filled_alike_the_late_one_merges_a_step_later() -> None:
    soon, late = SweepArea[Table](key_columns), SweepArea[Table](key_columns, late=True)
    sizes = list[tuple[int, int]]()
    for name in range(6):
        for found in (soon, late):
            found.insert(Table.of([((name,), 0, 5)], first=name))
        sizes.append((len(list(soon)), len(list(late))))
    assert sizes == [(1, 1), (2, 2), (3, 3), (1, 4), (2, 2), (3, 3)]
    assert stored(soon) == stored(late)


def test_a_window_that_few_batches_fill_is_never_copied() -> None:
    found, made = SweepArea[Table](key_columns), set[int]()
    for start in range(0, 200, 10):
        found.insert(Table.of([((0,), time, time + 20) for time in range(start, start + 10)]))
        made |= {run.id for run in found}
        found.purge(start + 9)
    assert len(made) == 20
    assert len(list(found)) == 2


def test_short_runs_are_gathered_sooner_where_every_one_is_looked_at() -> None:
    gathered, other = SweepArea[Table](key_columns, gathered=True), SweepArea[Table](key_columns)
    for name in range(8):
        for found in (gathered, other):
            found.insert(Table.of([((name,), 0, 5)], first=name))
    assert (len(list(gathered)), len(list(other))) == (2, 8)
    with mock.patch.object(area, "_SHORT", 3):
        found = SweepArea[Table](key_columns, gathered=True)
        for name in range(8):
            found.insert(Table.of([((name,), 0, 5)], first=name))
    assert len(list(found)) == 8


def test_a_run_of_which_a_fifth_has_ended_is_written_anew_without_it() -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([((0,), 0, end) for end in (1, 2, 3, 4, *[9] * 6)]))
    (before,) = found
    found.purge(2)
    assert list(found) == [before]
    found.purge(3)
    (after,) = found
    assert after.id != before.id
    assert stored(found) == list(range(3, 10))
    found.purge(9)
    assert not list(found)
    assert found.snapshot().manifest == []


@given(st.lists(st.integers(1, 30), min_size=1, max_size=60), st.integers(1, 5))
def test_at_most_a_quarter_more_is_kept_than_is_needed(lengths: list[int], size: int) -> None:
    found, needed = SweepArea[Table](key_columns), list[int]()
    for start in range(0, len(lengths), size):
        ends = [start + length for length in lengths[start : start + size]]
        found.insert(Table.of([((0,), start, end) for end in ends]))
        found.purge(start)
        needed = [end for end in needed + ends if end > start]
        assert len(needed) <= len(found) <= len(needed) * 5 / 4


@mock.patch.object(area, "_FEW", 0)
def test_purging_joins_runs_that_have_become_alike() -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([((0,), 0, 1)] * 6 + [((0,), 0, 9)] * 2))
    for first in (8, 10, 12):
        found.insert(Table.of([((0,), 0, 9)] * 2, first=first))
    assert len(list(found)) == 4
    found.purge(1)
    found._check()
    assert len(list(found)) == 1
    assert stored(found) == list(range(6, 14))


def test_a_purge_that_forgets_nothing_keeps_the_runs() -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([((0,), 0, 9)] * 4))
    before = found.snapshot()
    found.purge(5)
    assert found.snapshot().manifest == before.manifest


def test_marks_follow_their_elements_through_merges_and_purges() -> None:
    found = SweepArea[Table](key_columns)
    for start in range(20):
        table = Table.of([((start % 3,), start, start + 5)], first=start)
        found.insert(table, table.names * 10)
        found.purge(start)
        assert all((run.marks == run.rows.names * 10).all() for run in found)


def test_a_mark_may_be_changed_in_place() -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([((0,), 0, 5)] * 4))
    by_id = {run.id: run for run in found}
    for match in found.query(Table.of([((0,), 0, 5)])):
        by_id[match.run].marks[match.stored] += 1
    assert [run.marks.tolist() for run in found] == [[1, 1, 1, 1]]


@pytest.mark.parametrize("most", [1, 2, 3, 5, 100])
def test_candidates_come_a_bounded_number_at_a_time(most: int) -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([((0,), 0, 5)] * 2 + [((1,), 0, 5)]))
    probe = Table.of([((0,), 0, 5), ((2,), 0, 5), ((1,), 0, 5), ((0,), 0, 5)])
    with mock.patch.object(spans, "_PAIRS", most):
        sizes = [len(match.probe) for match in found.query(probe)]
        assert sum(sizes) == 5
        assert max(sizes) <= max(most, 2)  # one row's own candidates stay together
        assert len(pairs(found, probe)) == 5


@pytest.mark.skipif(runs._native is None, reason="nothing was compiled")
@given(st.data(), st.integers(0, 3), st.booleans())
def test_what_is_uncovered_is_told_once(data: st.DataObject, width: int, same: bool) -> None:
    """Instant by instant, with keys whose hashes are the same too."""
    with colliding() if same else nullcontext():
        found, told = SweepArea[Table](key_columns), set[tuple[Any, int]]()
        for _ in range(data.draw(st.integers(1, 5))):
            new = data.draw(rows(width, 0))
            table = Table.of(new, width)
            part = found.uncovered(runs.Probe.of(table, key_columns(table)))
            assume(part is not None)  # seldom: so many share a hash that others are quicker
            assert part is not None
            pieces = _instants(part.rows)
            assert len(pieces) == len(set(pieces)), "nothing twice"
            assert not told & set(pieces), "nothing again"
            told |= set(pieces)
            assert told >= set(_instants(table)), "nothing is missing"
            assert (part.hashes[1:] >= part.hashes[:-1]).all()
            found.keep(part)
            found._check()
            assert set(pieces) <= set(_instants(table)), "nothing is made up"


_LAST = 30  # instant at which anything starts or ends, but for what never ends


def _instants(table: Table) -> list[tuple[Any, int]]:
    keys = list(zip(*(key.tolist() for key in table.keys), strict=True)) or [()] * len(table)
    ends = zip(keys, table.ts.tolist(), table.te.tolist(), strict=True)
    return [(key, instant) for key, ts, te in ends for instant in range(ts, min(te, _LAST))]


@pytest.mark.skipif(runs._native is None, reason="nothing was compiled")
def test_where_a_key_has_many_elements_something_else_looks() -> None:
    kept = Table.of([((1,), 2 * n, 2 * n + 1) for n in range(400)])
    probe = Table.of([((1,), 4 * n, 4 * n + 3) for n in range(400)])
    found = SweepArea[Table](key_columns)
    found.insert(kept)
    assert found.uncovered(runs.Probe.of(probe, key_columns(probe))) is None
    few = probe.take(np.arange(2))
    part = found.uncovered(runs.Probe.of(few, key_columns(few)))
    assert part is not None
    found_parts = list(zip(part.rows.ts.tolist(), part.rows.te.tolist(), strict=True))
    assert found_parts == [(1, 2), (5, 6)]


@pytest.mark.skipif(runs._native is None, reason="nothing was compiled")
@given(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 9), min_size=1, max_size=80), st.data())
def test_directories_are_the_same_compiled_and_not(found: list[int], data: st.DataObject) -> None:
    hashes = np.sort(np.array(found, np.uint32))
    some = st.lists(st.integers(0, 1), min_size=len(hashes), max_size=len(hashes))
    key = hashes.astype(np.int64) + np.array(data.draw(some))
    directory, signs, pure = runs.segments(hashes, [key])
    with mock.patch.object(runs, "_native", None):
        other, same, also = runs.segments(hashes, [key])
    assert (directory.tolist(), signs.tolist(), pure) == (other.tolist(), same.tolist(), also)
    assert directory[0] == 0
    assert directory[-1] == len(hashes)


@pytest.mark.skipif(runs._native is None, reason="nothing was compiled")
def test_runs_that_do_not_fit_are_refused() -> None:
    hashes, key = np.arange(9).astype(np.uint32), np.arange(9)
    directory, signs, _ = runs.segments(hashes, [key])
    for wrong in range(1, 6):
        given: list[Any] = [hashes, directory, signs, (key,), key, key]
        given[wrong] = (key[:-1],) if wrong == 3 else given[wrong][:-1]
        with pytest.raises(ValueError, match="columns of different lengths"):
            runs._native.run(*given, True)
    run, none = runs._native.run(hashes, directory, signs, (key,), key, key, True), key[:0]
    asked = (hashes[:0], none, (), np.zeros(1, np.int64), np.zeros(1, np.int64), none, none, none)
    with pytest.raises(ValueError, match="keys on both sides"):
        runs._native.candidates([run], *asked)
    with pytest.raises(ValueError, match="PyCapsule"):
        runs._native.candidates([None], *asked)


@pytest.mark.skipif(runs._native is None, reason="nothing was compiled")
def test_what_is_compiled_says_on_which_interval_both_of_a_pair_are() -> None:
    found = SweepArea[Table](key_columns)
    found.insert(Table.of([((7,), 0, 5), ((7,), 3, 9)]))
    (match,) = found.query(Table.of([((7,), 2, 4)]))
    assert match.both is not None
    assert [times.tolist() for times in match.both] == [[2, 3], [4, 4]]


@given(st.lists(st.lists(st.integers(0, 5) | st.integers(0, 2**32 - 1)), min_size=1, max_size=9))
def test_runs_are_merged_in_the_same_order_compiled_and_not(found: list[list[int]]) -> None:
    """Of equal hashes the first comes first."""
    each = [np.sort(np.array(hashes, np.uint32)) for hashes in found]
    every = np.concatenate(each)
    expected = every.argsort(kind="stable")
    for compiled in (runs._native, None):
        with mock.patch.object(runs, "_native", compiled):
            hashes, order = runs.merged(each)
        assert order.tolist() == expected.tolist()
        assert hashes.tolist() == every[expected].tolist()
