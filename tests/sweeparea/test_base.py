"""A base against comparing each row with each."""

from __future__ import annotations

from collections import Counter
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.sweeparea import Base, SweepArea, spans
from tests.sweeparea.table import Row, Table, key_columns, rows


def pairs(base: Base[Table], probe: Table) -> Counter[tuple[int, int]]:
    """(name of the probing row, name of the row of the base) of all pairs found."""
    return Counter(
        (int(probe.names[mine]), int(match.rows.names[theirs]))
        for match in base.query(probe)
        for mine, theirs in zip(match.probe, match.stored, strict=True)
    )


@pytest.mark.parametrize("width", [0, 1, 2])
def test_a_base_finds_all_rows_with_an_equal_key(width: int) -> None:
    @given(rows(width), rows(width), st.sampled_from([1, 3, 1 << 22]))
    def check(kept: list[Row], probe: list[Row], most: int) -> None:
        want = Counter(
            (place, name)
            for place, (key, *_) in enumerate(probe)
            for name, (other, *_) in enumerate(kept)
            if key == other
        )
        base = Base.of(Table.of(kept, width), key_columns)
        with mock.patch.object(spans, "_PAIRS", most):
            assert pairs(base, Table.of(probe, width)) == want

    check()


def test_a_cell_of_the_directory_has_few_rows_however_large_the_base_is() -> None:
    for size in (10, 1_000, 100_000):
        base = Base.of(Table.of([((key,), 0, 9) for key in range(size)]), key_columns)
        assert size / 2 <= len(base.directory) - 1 <= size
        probe = Table.of([((key,), 0, 9) for key in range(0, size, max(size // 50, 1))])
        assert len(pairs(base, probe)) == len(probe)


def test_an_area_rests_on_rows_that_are_never_stored_merged_or_purged() -> None:
    found = SweepArea[Table](key_columns)
    found.rest_on(Table.of([((0,), 0, 5)]))
    for start in range(9):
        found.insert(Table.of([((0,), start, start + 1)], first=start + 1))
    found.purge(9)
    assert [run.rows.names.tolist() for run in found] == [[0]]
    assert found.snapshot().runs == {}
    found.restore([], lambda run: Table.of([]))
    assert len(found) == 1
