"""Extend: a new column."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import Expression, Extend, Timestamp
from askos.physical.extend import ExtendOperator
from askos.terms import Literal
from tests.build import W, X, Y, call, pattern, solution, table
from tests.columns.batches import CODER
from tests.physical.runs import Delivery, deliveries, elements, few, keeps_the_law, law, step
from tests.strategies import expressions

A = pattern(X, "p", Y)


def extend(value: Expression) -> ExtendOperator:
    return ExtendOperator(Extend(W, value, A), CODER)


def test_extend_adds_the_value_to_every_copy() -> None:
    one, two = solution(x="a", y=1), solution(x="a", y=1, w=2)
    assert step(extend(call("+", Y, 1)), 0, [(one, 0, 5)] * 2) == [(two, 0, 5)] * 2


def test_an_error_leaves_the_variable_unbound() -> None:
    one = solution(x="a", y="b")
    assert step(extend(call("+", Y, 1)), 0, [(one, 0, 5)]) == [(one, 0, 5)]


def test_texts_that_nobody_sent_come_with_the_batch() -> None:
    value = call("CONCAT", Literal("new "), call("STR", Y))
    one = solution(x="a", y=1)
    assert step(extend(value), 0, [(one, 0, 5)]) == [(one | solution(w=Literal("new 1")), 0, 5)]


def test_extend_keeps_no_state_and_promises_the_watermark() -> None:
    made = extend(call("+", Y, 1))
    assert step(made, 7) == []
    assert made.advance(7)[1] == 7
    assert not made.snapshot().runs


def values() -> st.SearchStrategy[Expression]:
    """What hosts offer of all expressions."""
    return expressions(exists=False).filter(
        lambda made: not any(isinstance(n, Timestamp) for n in made.walk())
    )


@given(deliveries(elements(few())), values())
def test_extend_keeps_the_law(delivery: Delivery, value: Expression) -> None:
    made = ExtendOperator(Extend(W, value, table()), CODER)
    meaning = law(lambda below: Extend(W, value, below))
    keeps_the_law(lambda: made, delivery, meaning, lambda watermark: watermark)
