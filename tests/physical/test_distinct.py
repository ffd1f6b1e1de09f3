"""Duplicate elimination (semantics, section 3)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from askos.algebra import Distinct, StreamAccess
from askos.columns import Batch
from askos.columns.ids import INTEGER, pack
from askos.errors import StreamError
from askos.interval import FOREVER
from askos.physical.distinct import DistinctOperator
from askos.sweeparea import key_hash
from tests.build import S1, pattern, solution, table
from tests.columns.batches import TINY, batch, colliding, rows
from tests.physical.runs import Delivery, deliveries, elements, few, keeps_the_law, law, step

A, B = solution(x="a", y=1), solution(x="a")


def distinct() -> DistinctOperator:
    return DistinctOperator(Distinct(table(A, B)))


def test_copies_in_one_batch_become_one() -> None:
    assert step(distinct(), 0, [(A, 0, 5), (A, 3, 9), (A, 0, 5)]) == [(A, 0, 9)]


def test_a_later_copy_adds_only_what_is_not_covered_yet() -> None:
    made = distinct()
    assert step(made, 0, [(A, 5, 9), (A, 12, 15)]) == [(A, 5, 9), (A, 12, 15)]
    assert step(made, 0, [(A, 0, 20)]) == [(A, 0, 5), (A, 9, 12), (A, 15, 20)]
    assert step(made, 0, [(A, 0, 20), (A, 19, FOREVER)]) == [(A, 20, FOREVER)]


def test_rows_may_be_wide() -> None:
    wide, other = ({f"v{n}": n for n in range(100)} | {"v99": last} for last in (0, 1))
    made = DistinctOperator(Distinct(table(solution(**wide))))
    assert step(made, 0, [(solution(**wide), 0, 5), (solution(**other), 0, 5)]) == [
        (solution(**wide), 0, 5),
        (solution(**other), 0, 5),
    ]
    assert step(made, 0, [(solution(**wide), 3, 9)]) == [(solution(**wide), 5, 9)]


def test_rows_that_share_a_hash_are_told_apart() -> None:
    numbers = np.arange(400_000)
    hashes = key_hash([pack(INTEGER, 0, numbers), numbers * 0, numbers * 0], len(numbers))
    order = np.argsort(hashes, kind="stable")
    place = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])[0]
    one, other = (solution(x=int(number)) for number in order[place : place + 2])
    given = [(one, 0, 5), (other, 2, 9), (one, 3, 7)]
    assert step(distinct(), 0, given) == [(one, 0, 7), (other, 2, 9)]


def test_unbound_is_a_value_of_its_own() -> None:
    assert step(distinct(), 0, [(A, 0, 5), (B, 0, 5), (B, 2, 6)]) == [(A, 0, 5), (B, 0, 6)]


def test_a_batch_without_a_column_has_it_unbound() -> None:
    made = distinct()
    assert step(made, 0, [(A, 0, 5)]) == [(A, 0, 5)]
    assert step(made, 0, [(B, 0, 5)]) == [(B, 0, 5)]
    assert step(made, 0, [(B, 0, 6), (A, 0, 5)]) == [(B, 5, 6)]


def test_the_solution_that_binds_nothing_is_one_row() -> None:
    made = DistinctOperator(Distinct(pattern("a", "p", "b")))
    assert step(made, 0, [(solution(), 0, 5), (solution(), 3, 9)]) == [(solution(), 0, 9)]


def test_triples_are_told_apart_by_all_three_parts() -> None:
    made = DistinctOperator(Distinct(StreamAccess(S1)))
    one, other = solution(s="a", p="p", o=1), solution(s="a", p="p", o=2)
    assert step(made, 0, [(one, 0, 5), (other, 0, 5), (one, 1, 6)]) == [(other, 0, 5), (one, 0, 6)]


def test_what_has_ended_is_forgotten_and_progress_is_the_watermark() -> None:
    made = distinct()
    step(made, 0, [(A, 0, 5)])
    assert made.advance(5)[1] == 5
    assert not made.snapshot().runs


def test_what_was_emitted_before_a_restart_is_not_emitted_again() -> None:
    first, again = distinct(), distinct()
    step(first, 3, [(A, 0, 5)])
    saved = first.snapshot()
    again.restore(saved.manifest, saved.runs.__getitem__)
    assert step(again, 3, [(A, 3, 9)]) == [(A, 5, 9)]


def test_two_terms_of_one_id_are_refused() -> None:
    made = distinct()
    one, other = (batch((solution(x=term), 0, 5), coder=TINY) for term in colliding())
    assert len(rows(made.process(0, one))) == 1
    with pytest.raises(StreamError, match="same hash"):
        made.process(0, other)
    with pytest.raises(StreamError, match="same hash"):
        distinct().process(0, Batch.concat([one, other]))


@given(deliveries(elements(few(), 12)))
def test_distinct_keeps_the_law(delivery: Delivery) -> None:
    plan = Distinct(delivery.table(0))
    keeps_the_law(lambda: DistinctOperator(plan), delivery, law(Distinct), lambda mark: mark)
