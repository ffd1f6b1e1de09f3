"""Batches: rows and columns, and as bytes."""

from __future__ import annotations

from itertools import chain

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.columns import Batch, Dictionary
from askos.columns.ids import is_hashed
from askos.interval import FOREVER
from askos.terms import Literal
from tests.build import EX, W, X, Y, Z, solution
from tests.columns.batches import Row, batch, rows
from tests.strategies import solutions

A, B, C = solution(x="a", y=1), solution(x="b"), solution(z=Literal("ß ✓"))


def many() -> st.SearchStrategy[list[Row]]:
    times = st.sampled_from([0, 1, 5, 9])
    row = st.builds(lambda mu, start, more: (mu, start, start + more), solutions(), times, times)
    return st.lists(row.filter(lambda row: row[1] < row[2]), max_size=6)


@given(many(), st.sampled_from([bytes, bytearray]))
def test_bytes_come_back_as_the_same_batch(
    given: list[Row], kind: type[bytes] | type[bytearray]
) -> None:
    before = batch(*given)
    after = Batch.from_bytes(kind(before.to_bytes()))
    assert rows(after) == given
    assert list(after.columns) == list(before.columns)
    assert after.ts.dtype == after.te.dtype == np.int64
    for variable, ids in before.columns.items():
        assert after.columns[variable].tolist() == ids.tolist()


def test_bytes_hold_the_last_instant() -> None:
    assert rows(Batch.from_bytes(batch((A, 0, FOREVER)).to_bytes())) == [(A, 0, FOREVER)]


def test_bytes_hold_only_the_texts_the_columns_mention() -> None:
    large = batch((A, 0, 5), (B, 0, 5), (C, 0, 5)).take(np.array([1]))
    small = Batch.from_bytes(large.to_bytes())
    assert len(large.dictionary.merged[0]) == 3
    assert small.dictionary.merged[1].to_pylist() == [EX.b.n3()]
    assert EX.a.encode() not in large.to_bytes()


def test_bytes_do_not_tell_how_often_a_text_was_read() -> None:
    """By its bytes a table is known that has not changed."""
    texts = pa.array([EX.a.n3(), EX.b.n3(), EX.a.n3()])
    ids, times = np.array([7, 5, 7]), np.zeros(3, np.int64)
    often = Batch({X: ids}, times, times + 1, Dictionary.of(ids, texts))
    once = Batch({X: ids}, times, times + 1, Dictionary.of(ids[:2], texts[:2]))
    assert often.to_bytes() == once.to_bytes()


def test_compacting_forgets_nothing_while_half_of_the_texts_are_mentioned() -> None:
    four = batch(*((solution(x=name), 0, 5) for name in "abcd"))
    assert four.compact() is four
    half = four.slice(0, 2)
    assert half.compact() is half
    assert four.slice(0, 1).compact().dictionary.merged[1].to_pylist() == [EX.a.n3()]


@given(st.lists(st.tuples(many(), st.integers(0, 6)), max_size=30))
def test_a_compacted_batch_has_at_most_two_texts_for_each_hashed_id(
    parts: list[tuple[list[Row], int]],
) -> None:
    kept = Batch.empty()
    for new, stop in parts:
        kept = Batch.concat([kept, batch(*new)])
        kept = kept.slice(max(len(kept) - stop, 0), len(kept))
        small = kept.compact()
        assert rows(small) == rows(kept)
        mentions = sum(np.count_nonzero(is_hashed(ids)) for ids in small.columns.values())
        assert len(small.dictionary) <= 2 * mentions
        assert len(small.dictionary.parts) <= 8
        kept = small


def test_bytes_of_an_empty_batch_keep_its_columns() -> None:
    after = Batch.from_bytes(Batch.empty((X, Y)).to_bytes())
    assert len(after) == 0
    assert list(after.columns) == [X, Y]
    assert len(Batch.from_bytes(Batch.empty().to_bytes())) == 0


def test_bytes_of_solutions_without_variables_keep_their_number() -> None:
    assert rows(Batch.from_bytes(batch((solution(), 0, 5), (solution(), 1, 2)).to_bytes())) == [
        (solution(), 0, 5),
        (solution(), 1, 2),
    ]


def test_uncompressed_columns_are_views_of_the_bytes() -> None:
    after = Batch.from_bytes(batch((A, 0, 5)).to_bytes())
    assert not after.ts.flags.owndata
    assert not after.ts.flags.writeable


@given(st.lists(many(), max_size=4))
def test_concat_is_one_after_the_other(parts: list[list[Row]]) -> None:
    assert rows(Batch.concat([batch(*part) for part in parts])) == list(chain(*parts))


def test_concat_of_different_columns_leaves_the_missing_ones_unbound() -> None:
    both = Batch.concat([batch((A, 0, 5)), batch((C, 1, 6)), Batch.empty((W,))])
    assert set(both.columns) == {X, Y, Z}
    assert both.column(Z).tolist()[0] == both.column(X).tolist()[1] == 0
    assert rows(both) == [(A, 0, 5), (C, 1, 6)]


def test_concat_of_nothing_is_empty() -> None:
    assert len(Batch.concat([])) == 0
    nothing = Batch.concat([Batch.empty((X,)), Batch.empty((Y,))])
    assert list(nothing.columns) == [X]
    one = batch((A, 0, 5))
    assert Batch.concat([Batch.empty((W,)), one]) is one


def test_elements_whose_interval_is_empty_do_not_exist() -> None:
    three = batch((A, 0, 5), (B, 0, 5), (C, 0, 5))
    cut = three.with_interval(np.array([1, 5, 6]), np.array([4, 5, 5]))
    assert rows(cut) == [(A, 1, 4)]
    assert not len(three.with_interval(three.te, three.ts))


def test_a_column_a_batch_does_not_have_is_unbound() -> None:
    assert batch((A, 0, 5), (B, 0, 5)).column(W).tolist() == [0, 0]
    assert batch((A, 0, 5), (B, 0, 5)).column(Y).tolist()[1] == 0


def test_project_gives_exactly_these_columns() -> None:
    chosen = batch((A, 0, 5), (B, 1, 6)).project((W, X))
    assert list(chosen.columns) == [W, X]
    assert rows(chosen) == [(solution(x="a"), 0, 5), (B, 1, 6)]
    assert rows(chosen.project(())) == [(solution(), 0, 5), (solution(), 1, 6)]


def test_rows_are_chosen_by_place_by_range_and_by_mask() -> None:
    three = batch((A, 2, 5), (B, 0, 5), (C, 1, 5))
    assert rows(three.take(np.array([2, 0, 2]))) == [(C, 1, 5), (A, 2, 5), (C, 1, 5)]
    assert rows(three.slice(1, 3)) == [(B, 0, 5), (C, 1, 5)]
    assert rows(three.where(np.array([True, False, True]))) == [(A, 2, 5), (C, 1, 5)]
    assert three.where(np.ones(3, np.bool_)) is three
    assert rows(three.sorted()) == [(B, 0, 5), (C, 1, 5), (A, 2, 5)]


def test_sorting_keeps_the_order_of_equal_starts() -> None:
    assert [row[0] for row in rows(batch((B, 1, 2), (A, 1, 3), (C, 0, 1)).sorted())] == [C, B, A]


def test_batches_are_immutable() -> None:
    with pytest.raises(AttributeError):
        batch((A, 0, 5)).dictionary = Dictionary()  # type: ignore[misc]
