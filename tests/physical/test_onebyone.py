"""What is particular to the ordered joins: when results leave, what is kept, and their texts."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

from askos.columns import Batch
from askos.interval import FOREVER
from askos.physical import Operator
from askos.physical.entries import Entries
from askos.physical.join import LEFT, RIGHT
from askos.physical.nodes import OrderedJoin, OrderedLeftJoin
from askos.physical.orderedjoin import OrderedJoinOperator
from askos.physical.orderedleftjoin import OrderedLeftJoinOperator
from tests.build import X, Y, Z, call, solution
from tests.columns.batches import batch, rows
from tests.physical.runs import EACH, EPOCH, Store, step
from tests.physical.test_operators import BOTH, A, B, L, R


def join() -> OrderedJoinOperator:
    return OrderedJoinOperator(OrderedJoin(A, B))


def left_join() -> OrderedLeftJoinOperator:
    return OrderedLeftJoinOperator(OrderedLeftJoin(A, B), EACH)


def kept(made: Operator) -> dict[str, list[int]]:
    """How many elements are stored in each run of each part."""
    saved = made.snapshot()
    names = {name: part for name, part in saved.manifest.items() if name != "until"}
    return {name: [len(saved.runs[run]) for run in part] for name, part in names.items()}


def test_results_wait_in_the_heap_until_progress_has_passed_their_start() -> None:
    made = join()
    made.process(LEFT, batch((L, 7, 9), (L, 2, 9)))
    assert not len(made.process(RIGHT, batch((R, 5, 9), (R, 1, 9))))
    for watermark, starts in ((1, []), (3, [2]), (6, [5]), (7, []), (9, [7, 7])):
        out, _ = made.advance(watermark)
        assert out.ts.tolist() == starts


@pytest.mark.parametrize("make", [join, left_join])
def test_results_that_wait_survive_a_restart(make: Callable[[], Operator]) -> None:
    made, again, store = make(), make(), Store()
    made.process(RIGHT, batch((R, EPOCH, FOREVER)))
    made.advance(EPOCH + 1)
    made.process(LEFT, batch((L, EPOCH + 50, EPOCH + 60)))
    made.advance(EPOCH + 2)
    assert kept(made)["results"] == [1]
    store.save(made)
    store.load(again)
    assert rows(again.advance(EPOCH + 51)[0]) == [(BOTH, EPOCH + 50, EPOCH + 60)]


def test_partners_ahead_of_the_cut_wait_and_left_elements_do_not() -> None:
    made = left_join()
    step(made, 1, [(L, 5, 20)], [(R, 8, 10)])
    assert kept(made) == {"left": [1], "right": [], "results": [], "waiting": [1]}
    assert step(made, 7) == [(L, 5, 7)]
    assert step(made, 9) == [(L, 7, 8), (BOTH, 8, 10)]
    assert kept(made) == {"left": [1], "right": [1], "results": [], "waiting": []}


def test_a_partner_that_comes_before_an_earlier_one_closes_no_gap_too_soon() -> None:
    """Of the right side order matters: the gap before 12 would have been told as a whole."""
    made = left_join()
    assert step(made, 3, [(L, 0, 20)], [(R, 12, 14)]) == [(L, 0, 3)]
    assert step(made, 20, [], [(R, 5, 7)]) == [
        (L, 3, 5),
        (BOTH, 5, 7),
        (L, 7, 12),
        (BOTH, 12, 14),
        (L, 14, 20),
    ]


def test_nothing_is_kept_of_what_has_ended() -> None:
    made = left_join()
    for start in range(0, 100, 10):
        step(made, start + 9, [(L, start, start + 8)], [(R, start + 2, start + 5)])
    assert not made.snapshot().runs
    assert not len(made._open)


def test_a_manifest_is_plain_data() -> None:
    made = left_join()
    step(made, 1, [(L, 5, 20)], [(R, 8, 10)])
    assert json.loads(json.dumps(made.snapshot().manifest)) == made.snapshot().manifest


# ---- errata of Algorithms 4 and 5 ------------------------------------------------------------


def test_results_leave_the_heap_though_the_left_area_is_empty() -> None:
    """Printed: only what starts before the least start in SA1, and nothing where there is none."""
    assert step(left_join(), 9, [(L, 2, 5)], [(R, 2, 5)]) == [(BOTH, 2, 5)]


def test_the_rest_of_a_left_element_goes_up_to_its_own_end() -> None:
    """Printed: only if t̂E is less than the end of the right element that comes next."""
    made = left_join()
    step(made, 3, [(L, 2, 20)], [(R, 2, 12)])
    assert step(made, 30, [], [(R, 21, 22)]) == [(L, 12, 20)]
    step(made, 34, [(L, 32, 40)], [(R, 32, 36)])
    assert step(made, 50, [], [(solution(x="b", z=1), 34, 35)]) == [(L, 36, 40)]


def test_a_left_element_keeps_its_end_when_it_comes() -> None:
    """Printed: e.tE = e.tS, so that it would have no interval to find partners in."""
    made = left_join()
    step(made, 5, [], [(R, 2, 30)])
    assert step(made, 40, [(L, 8, 20)]) == [(BOTH, 8, 20)]


def test_the_marker_never_moves_back() -> None:
    """Printed: to the end of the last partner, which may end within another."""
    got = step(left_join(), 40, [(L, 0, 20)], [(R, 2, 15), (R, 3, 5), (R, 8, 9)])
    assert [row for row in got if row[0] == L] == [(L, 0, 2), (L, 15, 20)]


def test_partners_that_do_not_fit_cut_no_pieces() -> None:
    """Printed: the else-branches, which tell a left element up to where such a one begins."""
    made = OrderedLeftJoinOperator(OrderedLeftJoin(A, B, call("<", Y, Z)), EACH)
    few = solution(x="a", z=0)
    assert step(made, FOREVER, [(L, 0, 20)], [(few, 4, 6)]) == [(L, 0, 20)]


# ---- entries ---------------------------------------------------------------------------------


def test_a_batch_is_what_it_was_after_being_taken_apart() -> None:
    form = Entries((X,))
    given = batch((solution(x="a", y=1), 0, 5), (solution(y=2), 3, FOREVER), (solution(), 1, 2))
    taken = form.entries(given)
    assert [entry.key for entry in taken] == [(name,) for name in given.column(X).tolist()]
    assert rows(form.rows(taken)) == rows(given)
    nothing = form.entries(Batch({}, np.zeros(2, np.int64), np.ones(2, np.int64), given.dictionary))
    assert [entry.payload for entry in nothing] == [{}, {}]
    assert rows(form.rows([])) == []


def test_texts_that_nobody_mentions_are_forgotten() -> None:
    form = Entries((X,))
    kept = form.entries(batch((solution(x="kept"), 0, 5)))
    for number in range(5_000):
        form.entries(batch((solution(x=f"n{number}"), 0, 5)))
        form.texts.forget([kept])
        assert len(form.texts) < 3_000
    assert rows(form.rows(kept)) == [(solution(x="kept"), 0, 5)]


def test_a_text_that_was_forgotten_may_come_again() -> None:
    form, once = Entries((X,)), batch((solution(x="a"), 0, 5))
    form.entries(batch(*((solution(x=f"n{number}"), 0, 5) for number in range(2_000))))
    form.entries(once)
    form.texts.forget([])
    assert len(form.texts) == 0
    assert rows(form.rows(form.entries(once))) == rows(once)
