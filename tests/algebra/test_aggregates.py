from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra import (
    Aggregate,
    Avg,
    Count,
    GroupConcat,
    Max,
    Min,
    Ref,
    Sample,
    Sum,
)
from askos.algebra.expressions import ExpressionError, Scope
from askos.terms import XSD, BNode, Literal, Solution, Term, anonymous
from tests.build import EX, S1, X, call, solution, term
from tests.strategies import terms

ERROR = "an error"
ONE, ZERO_ONE = term(1), Literal("01", datatype=XSD.integer)


def over(aggregate: Aggregate, *values: object) -> Term | str:
    """The aggregate of ?x over solutions that bind it to `values`; None leaves it unbound."""
    group = [Scope(Solution() if v is None else solution(x=v)) for v in values]
    try:
        return aggregate.apply(group)
    except ExpressionError:
        return ERROR


def dec(text: str) -> Literal:
    return Literal(text, datatype=XSD.decimal)


@pytest.mark.parametrize(
    ("aggregate", "values", "expected"),
    [
        (Count(), (1, 1, None), 3),
        (Count(distinct=True), (1, 1, None), 2),
        (Count(Ref(X)), (1, 1, None), 2),
        (Count(Ref(X), distinct=True), (ONE, ONE, ZERO_ONE), 2),
        (Sum(Ref(X)), (1, 1, 2), 4),
        (Sum(Ref(X), distinct=True), (1, 1, 2), 3),
        (Sum(Ref(X)), (1, dec("0.5")), dec("1.5")),
        (Sum(Ref(X)), (1, EX.a), ERROR),
        (Sum(Ref(X)), (1, None), ERROR),
        (Avg(Ref(X)), (1, 2), dec("1.5")),
        (Avg(Ref(X)), (1, 1, 2), dec("1.333333333333333333")),
        (Avg(Ref(X), distinct=True), (1, 1, 2), dec("1.5")),
        (Avg(Ref(X)), (1.0, 2), Literal("1.5E0", datatype=XSD.double)),
        (Min(Ref(X)), (2, dec("1.0"), 1), dec("1.0")),
        (Max(Ref(X)), (2, dec("2.0"), 1), term(2)),
        (Max(Ref(X)), (EX.a, 5, Literal("text")), Literal("text")),
        (Min(Ref(X)), (1, None), ERROR),
        (Sample(Ref(X)), (2, None, 1), 1),
        (GroupConcat(Ref(X)), (2, 1, EX.a), Literal(f"{EX.a} 1 2")),
        (GroupConcat(Ref(X), separator="|", distinct=True), (2, 1, 2), Literal("1|2")),
        (GroupConcat(Ref(X)), (1, BNode("b")), ERROR),
    ],
    ids=str,
)
def test_aggregates(aggregate: Aggregate, values: tuple[object, ...], expected: object) -> None:
    wanted = expected if expected == ERROR else term(expected)
    assert over(aggregate, *values) == wanted


def test_min_and_max_choose_among_equal_values_by_term() -> None:
    assert over(Min(Ref(X)), ONE, ZERO_ONE) == over(Min(Ref(X)), ZERO_ONE, ONE) == ZERO_ONE
    assert over(Max(Ref(X)), ONE, ZERO_ONE) == over(Max(Ref(X)), ZERO_ONE, ONE) == ONE


def test_aggregates_of_nothing() -> None:
    assert over(Count()) == over(Sum(Ref(X))) == over(Avg(Ref(X))) == term(0)
    assert over(GroupConcat(Ref(X))) == Literal("")
    assert {over(kind(Ref(X))) for kind in (Min, Max, Sample)} == {ERROR}


@given(st.lists(terms(), max_size=6), st.randoms(), st.booleans())
def test_aggregates_do_not_depend_on_the_order_of_solutions(
    values: list[Term], random: Random, distinct: bool
) -> None:
    shuffled = values[:]
    random.shuffle(shuffled)
    for kind in (Count, Sum, Avg, Min, Max, Sample, GroupConcat):
        aggregate = kind(Ref(X), distinct=distinct)
        assert over(aggregate, *values) == over(aggregate, *shuffled)


def test_counting_solutions_ignores_hidden_arrival_times() -> None:
    group = [Scope(Solution({X: EX.a}, {(X, S1): t})) for t in (1, 2)]
    assert Count(distinct=True).apply(group) == term(1)
    assert Count().apply(group) == term(2)


def test_counting_distinct_solutions_ignores_blank_nodes_of_the_query() -> None:
    group = [Scope(Solution({X: EX.a, anonymous("b"): term(i)})) for i in (1, 2)]
    assert Count(distinct=True).apply(group) == term(1)


def test_aggregates_of_an_expression() -> None:
    assert over(Sum(call("*", X, 2)), 1, 2) == term(6)
    assert Sum(call("*", X, 2)).variables == {X}
    assert Count().variables == frozenset()
