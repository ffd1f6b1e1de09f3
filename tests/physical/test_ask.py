"""ASK: an answer at every instant."""

from __future__ import annotations

from hypothesis import given

from askos.algebra import Ask
from askos.interval import FOREVER
from askos.physical import Cut
from askos.physical.ask import AskOperator
from tests.build import solution
from tests.physical.runs import (
    EACH,
    Delivery,
    cuts,
    deliveries,
    elements,
    few,
    keeps_the_law,
    law,
    step,
)

A, B = solution(x="a"), solution(y="b")
YES, NO = solution(answer=True), solution(answer=False)


def test_the_answer_is_true_while_anything_is_valid_and_false_before_between_and_after() -> None:
    got = step(AskOperator(EACH), FOREVER, [(A, 3, 5), (B, 5, 7), (A, 4, 6), (B, 9, 10)])
    assert got == [(NO, 0, 3), (YES, 3, 7), (NO, 7, 9), (YES, 9, 10), (NO, 10, FOREVER)]


def test_without_any_element_the_answer_is_false_from_0_on() -> None:
    made = AskOperator(Cut((10,)))
    assert step(made, 5) == []
    assert step(made, 15) == [(NO, 0, 10)]
    assert step(made, FOREVER) == [(NO, 10, FOREVER)]


def test_answers_come_in_pieces_up_to_the_cut() -> None:
    made = AskOperator(Cut((10,)))
    assert step(made, 19, [(A, 3, 25)]) == [(NO, 0, 3), (YES, 3, 10)]
    assert step(made, 20) == [(YES, 10, 20)]
    assert step(made, 30) == [(YES, 20, 25), (NO, 25, 30)]


def test_a_restart_remembers_until_when_the_answer_is_known_to_be_true() -> None:
    first, again = AskOperator(EACH), AskOperator(EACH)
    step(first, 5, [(A, 3, 25), (A, 30, 40)])
    saved = first.snapshot()
    again.restore(saved.manifest, saved.runs.__getitem__)
    assert step(again, 32) == [(YES, 5, 25), (NO, 25, 30), (YES, 30, 32)]


def test_of_elements_only_their_time_is_kept() -> None:
    made = AskOperator(EACH)
    step(made, 0, [(A, 3, 7), (B, 5, 9), (A, 3, 4)])
    (run,) = made.snapshot().runs.values()
    assert (dict(run.columns), run.ts.tolist(), run.te.tolist()) == ({}, [3], [9])


@given(deliveries(elements(few())), cuts())
def test_ask_keeps_the_law(delivery: Delivery, cut: Cut) -> None:
    keeps_the_law(lambda: AskOperator(cut), delivery, law(Ask), cut)
