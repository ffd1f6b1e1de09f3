"""Entries of dictionaries that are looked at once, and terms that are found by their ids."""

from __future__ import annotations

import numpy as np
import pytest

from askos.algebra import Call, Expression, In, Not, Ref
from askos.columns import Batch, Dictionary
from askos.columns.cases import Ternary
from askos.columns.expressions import compile_condition
from askos.columns.ids import Ids
from askos.columns.names import Entries, Names
from askos.errors import StreamError
from askos.terms import Literal, Term
from tests.build import EX, X, Y, call, constant, solution
from tests.columns.batches import CODER, TINY, batch, colliding
from tests.columns.test_expressions import by_the_algebra


def of(*terms: Term) -> tuple[Ids, Dictionary]:
    return CODER.terms(terms)


def test_an_entry_is_looked_at_once() -> None:
    asked: list[int] = []

    def law(ids: Ids, _: Dictionary) -> Ternary:
        asked.extend(ids.tolist())
        return (ids % 2).astype(np.int8)

    entries, (ids, texts) = Entries(law), of(EX.a, EX.b, EX.c)
    for wanted in (ids[:2], ids, ids[[2, 0, 2]]):
        assert entries.of(wanted, texts).tolist() == (wanted % 2).tolist()
    assert sorted(asked) == sorted(ids.tolist())


def test_entries_of_several_parts_are_found_in_each() -> None:
    (some, left), (others, right) = of(EX.a, EX.b), of(EX.b, EX.c)
    entries = Entries(lambda ids, _: (ids % 3).astype(np.int8))
    ids = np.concatenate([some, others])
    assert entries.of(ids, left | right).tolist() == (ids % 3).tolist()


def test_an_id_of_two_texts_is_refused() -> None:
    first, second = colliding()
    (ids, left), (_, right) = TINY.terms([first]), TINY.terms([second])
    with pytest.raises(StreamError, match="same hash"):
        Entries(lambda ids, _: np.zeros(len(ids), np.int8)).of(ids, left | right)
    with pytest.raises(StreamError, match="same hash"):
        Names([first]).among(ids, left | right) | Names([second]).among(ids, left | right)


def test_what_was_said_of_an_id_is_not_said_of_another_text() -> None:
    first, second = colliding()
    starts = compile_condition(call("STRENDS", call("STR", X), constant(Literal(str(first)))))
    is_first = compile_condition(call("=", X, constant(first)))
    for term, answer in ((first, True), (second, False), (first, True)):
        given = batch((solution(x=term), 0, 1), coder=TINY)
        assert starts(given).tolist() == is_first(given).tolist() == [answer]


@pytest.mark.parametrize(
    "condition",
    [
        call("=", X, constant("a")),
        call("!=", X, Y),
        In(Ref(X), (constant("a"), constant("c"))),
        Call("CONTAINS", (call("STR", X), constant(Literal("a")))),
        call("ISLITERAL", X),
    ],
    ids=str,
)
def test_a_condition_holds_batch_after_batch(condition: Expression) -> None:
    terms = [EX.a, EX.b, Literal("a"), Literal(5), Literal("a", lang="en")]
    rows = [solution(x=x, y=y) for x in terms for y in terms]
    for expression in (condition, Not(condition)):
        holds = compile_condition(expression)
        for given in (rows, rows[::2], [solution(), *rows[3:7]], [], rows):
            columns = batch(*((mu, 0, 1) for mu in given))
            assert holds(columns).tolist() == by_the_algebra(expression, given)


def test_no_names_are_found_in_no_dictionary() -> None:
    assert Names([EX.a]).among(np.zeros(2, np.int64), Dictionary()).tolist() == [False, False]
    assert compile_condition(call("=", X, constant("a")))(Batch.empty((X,))).tolist() == []
