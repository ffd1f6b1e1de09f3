"""Conditions over whole batches against the algebra's, one solution at a time."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askos.algebra import (
    FALSE,
    TRUE,
    And,
    Bound,
    Call,
    Coalesce,
    Constant,
    Expression,
    If,
    In,
    Not,
    Or,
    Ref,
    Timestamp,
)
from askos.algebra.expressions import ExpressionError, Scope, holds
from askos.columns import Batch, decode
from askos.columns.expressions import compile_condition, compile_value
from askos.terms import XSD, Literal, Solution, Term, URIRef
from tests.build import X, Y, Z, call, constant, solution
from tests.columns.batches import CODER, batch
from tests.hosts.strategies import conditions
from tests.strategies import expressions, terms

MOMENTS = [
    Literal(text, datatype=XSD.dateTime)
    for text in (
        *("2024-01-01T00:00:00Z", "2024-01-01T00:00:00.000Z", "2024-01-01T00:00:00"),
        *("2024-01-01T01:00:00+01:00", "2024-01-01T00:00:00.5", "2024-02-30T00:00:00Z"),
        *("1969-12-31T23:59:59.999Z", "2023-12-31T24:00:00Z", "2030-01-01T00:00:00"),
    )
]
NUMBERS = [
    *(Literal(x, datatype=XSD.integer) for x in ("0", "-5", "01", str(2**50), str(2**53 + 1))),
    *(Literal(x, datatype=XSD.decimal) for x in ("0.1", "0.10", "1.0", "9007199254740993.0")),
    *(Literal(x, datatype=XSD.double) for x in ("0.1", "1E0", "NaN", "INF", "-0.0", "0")),
    *(Literal(x, datatype=XSD.float) for x in ("0.1", "1", "NaN")),
    *(Literal(x, datatype=XSD.boolean) for x in ("true", "false", "1", "no")),
]


def values() -> st.SearchStrategy[Term]:
    return st.one_of(terms(), st.sampled_from(MOMENTS), st.sampled_from(NUMBERS))


def solutions() -> st.SearchStrategy[Solution]:
    return st.dictionaries(st.sampled_from([X, Y, Z]), values(), max_size=3).map(Solution)


def hosted(expression: Expression) -> bool:
    return not any(isinstance(node, Timestamp) for node in expression.walk())


def many(*given: Solution) -> Batch:
    return batch(*((mu, 0, 1) for mu in given))


def kept(condition: Expression, given: list[Solution]) -> list[bool]:
    found: list[bool] = compile_condition(condition)(many(*given)).tolist()
    return found


def by_the_algebra(condition: Expression, given: list[Solution]) -> list[bool]:
    return [holds(condition, Scope(mu)) for mu in given]


def comparisons() -> st.SearchStrategy[Expression]:
    operand = st.one_of(st.sampled_from([X, Y]).map(Ref), values().map(Constant))
    names = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])
    return st.builds(Call, names, st.tuples(operand, operand))


@given(st.one_of(conditions(), comparisons()), st.lists(solutions(), max_size=8))
@example(call("=", X, constant(Literal("0.1", datatype=XSD.double))), [solution(x=0)])
def test_a_condition_keeps_what_the_algebra_keeps(
    condition: Expression, given: list[Solution]
) -> None:
    assert kept(condition, given) == by_the_algebra(condition, given)


@given(expressions(exists=False).filter(hosted), st.lists(solutions(), max_size=6))
def test_any_expression_is_a_condition(condition: Expression, given: list[Solution]) -> None:
    assert kept(condition, given) == by_the_algebra(condition, given)


@given(expressions(exists=False).filter(hosted), st.lists(solutions(), max_size=6))
def test_a_value_is_the_algebras_or_unbound(value: Expression, given: list[Solution]) -> None:
    def wanted(mu: Solution) -> Term | None:
        try:
            return value.evaluate(Scope(mu))
        except ExpressionError:
            return None

    assert decode(*compile_value(value, CODER)(many(*given))) == [wanted(mu) for mu in given]


@pytest.mark.parametrize("name", ["=", "!=", "<", "<=", ">", ">="])
def test_numbers_and_times_compare_by_value(name: str) -> None:
    pairs = product([*NUMBERS, *MOMENTS], repeat=2)
    given = [Solution({X: left, Y: right}) for left, right in pairs]
    for condition in (call(name, X, Y), Not(call(name, X, Y))):
        assert kept(condition, given) == by_the_algebra(condition, given)


ANSWERS: dict[str, tuple[Expression, int]] = {
    "true": (TRUE, 1),
    "false": (FALSE, 0),
    "error": (Ref(Z), -1),
}


@pytest.mark.parametrize("left", ANSWERS)
@pytest.mark.parametrize("right", ANSWERS)
def test_logic_has_three_values(left: str, right: str) -> None:
    (a, x), (b, y) = ANSWERS[left], ANSWERS[right]
    both = 0 if 0 in (x, y) else min(x, y)
    either = 1 if 1 in (x, y) else min(x, y)
    for expression, answer in ((And(a, b), both), (Or(a, b), either)):
        assert kept(expression, [solution()]) == [answer == 1]
        assert kept(Not(expression), [solution()]) == [answer == 0]


def test_numbers_that_only_differ_in_spelling_are_equal_and_not_the_same_term() -> None:
    one, also = Literal("1", datatype=XSD.integer), Literal("01", datatype=XSD.integer)
    assert kept(call("=", X, constant(also)), [solution(x=one)]) == [True]
    assert kept(call("SAMETERM", X, constant(also)), [solution(x=one)]) == [False]


def test_neighbours_at_the_edge_of_what_is_inlined_are_told_apart() -> None:
    near = [Literal(f"{2**50 - k}", datatype=XSD.integer) for k in (2, 1, 0, -1)]
    less = [Literal(f"1.12589990684262{k}", datatype=XSD.decimal) for k in (1, 2)]
    for low, high in [*pairwise(near), *pairwise(less)]:
        mu = Solution({X: low, Y: high})
        assert kept(call("<", X, Y), [mu]) == [True]
        assert kept(call("=", X, Y), [mu]) == [False]


def test_a_batch_without_rows_keeps_none() -> None:
    for condition in (call("<", X, 3), Bound(X), Ref(X), In(Ref(X), (Ref(Y),)), TRUE):
        assert compile_condition(condition)(Batch.empty((X, Y))).tolist() == []
        assert compile_value(condition, CODER)(Batch.empty())[0].tolist() == []


def test_a_column_that_is_missing_is_unbound() -> None:
    assert kept(Bound(Z), [solution(x=1)]) == [False]
    assert kept(Not(Bound(Z)), [solution(x=1)]) == [True]
    assert kept(Not(call("<", Z, 5)), [solution(x=1)]) == [False]


def test_an_expression_is_evaluated_once_for_each_distinct_combination() -> None:
    value = compile_value(call("+", X, Y), CODER)
    ids, _ = value(many(*[solution(x=1, y=2, z=i) for i in range(5)]))
    assert len(np.unique(ids)) == 1
    assert decode(*value(many(solution(x=1, y=2), solution(x=1)))) == [constant(3).term, None]


# ---- arithmetic ------------------------------------------------------------------------------


def of(lexical: str, datatype: URIRef) -> Literal:
    return Literal(lexical, datatype=datatype)


EDGES = [
    *(of(str(x), XSD.integer) for x in (0, 1, -7, 2**31, 2**50 - 1, -(2**50), 2**61, 10**17)),
    *(
        of(x, XSD.decimal)
        for x in ("0.0", "-0.5", "12.50", "0.000000000000001", "1125899906842.62")
    ),
    *(of(x, XSD.decimal) for x in ("3.0", "-2.25", "99999999999999.5", "0.3333333333333333333333")),
    *(of(x, XSD.double) for x in ("0.0", "0.5", "-2.5", "1E3", "1e308", "1e-320", "INF", "NaN")),
    *(of(x, XSD.float) for x in ("0.1", "2.5")),
    of("2024-01-01T00:00:00Z", XSD.dateTime),
    of("PT1S", XSD.dayTimeDuration),
    of("true", XSD.boolean),
    Literal("12"),
]


def quantities() -> st.SearchStrategy[Term]:
    """Numbers as they are measured, and those at the edge of what columns hold."""
    measured = st.decimals(-5000, 5000, places=2).map(lambda x: of(str(x), XSD.decimal))
    counted = st.integers(-(10**6), 10**6).map(lambda x: of(str(x), XSD.integer))
    binary = st.floats(-1e6, 1e6).map(lambda x: of(repr(x), XSD.double))
    return st.one_of(measured, counted, binary, st.sampled_from(EDGES), st.sampled_from(EDGES))


CASTS = [str(kind) for kind in (XSD.double, XSD.decimal, XSD.integer)]


@st.composite
def calculations(draw: st.DrawFn, depth: int = 2) -> Expression:
    if not depth or not draw(st.integers(0, 3)):
        return draw(st.sampled_from([Ref(X), Ref(Y), Ref(X)]) | quantities().map(Constant))
    inner = calculations(depth - 1)
    match draw(st.integers(0, 5)):
        case 0 | 1 | 2:
            sign = draw(st.sampled_from(["+", "-", "*", "/"]))
            return Call(sign, (draw(inner), draw(inner)))
        case 3:
            names = ["UNARY +", "UNARY -", "ABS", "CEIL", "FLOOR", "ROUND", *CASTS]
            return Call(draw(st.sampled_from(names)), (draw(inner),))
        case 4:
            test = Call(draw(st.sampled_from(["<", "=", ">="])), (draw(inner), draw(inner)))
            return If(test, draw(inner), draw(inner))
    return Coalesce((draw(inner), draw(inner)))


def measured() -> st.SearchStrategy[list[Solution]]:
    row = st.dictionaries(st.sampled_from([X, Y]), quantities(), max_size=2).map(Solution)
    return st.lists(row, min_size=1, max_size=8)


def value_of(expression: Expression, mu: Solution) -> Term | None:
    try:
        return expression.evaluate(Scope(mu))
    except ExpressionError:
        return None


@given(calculations(), measured())
def test_columns_calculate_what_the_algebra_does(
    expression: Expression, given: list[Solution]
) -> None:
    found = decode(*compile_value(expression, CODER)(many(*given)))
    assert found == [value_of(expression, mu) for mu in given]


@given(calculations(), calculations(), st.sampled_from(["=", "!=", "<", ">="]), measured())
def test_what_is_calculated_is_compared_as_the_algebra_does(
    left: Expression, right: Expression, name: str, given: list[Solution]
) -> None:
    condition = Call(name, (left, right))
    assert kept(condition, given) == by_the_algebra(condition, given)
    assert kept(Not(condition), given) == by_the_algebra(Not(condition), given)


@pytest.mark.parametrize("name", ["+", "-", "*", "/"])
def test_all_edges_meet(name: str) -> None:
    given = [Solution({X: left, Y: right}) for left, right in product(EDGES, repeat=2)]
    found = decode(*compile_value(call(name, X, Y), CODER)(many(*given)))
    assert found == [value_of(call(name, X, Y), mu) for mu in given]


def test_measurements_are_not_calculated_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("one by one")

    monkeypatch.setattr("askos.columns.cases._solutions", refuse)
    given = [solution(x=of(f"{i}.25", XSD.decimal), y=i) for i in range(1, 9)]
    expression = call(
        ">", call("/", call("*", X, call("-", Y, 3)), 2), call("ABS", call("+", X, 1))
    )
    assert kept(expression, given) == by_the_algebra(expression, given)
    chosen = If(expression, Ref(X), Ref(Y))
    assert len(compile_value(chosen, CODER)(many(*given))[0]) == 8


def test_one_of_many_iris_is_found_by_its_text() -> None:
    condition = In(Ref(X), (constant("a"), constant("b")))
    given = [solution(x="a"), solution(x="c"), solution(x=1), solution()]
    for one in (condition, Not(condition)):
        assert kept(one, given) == by_the_algebra(one, given)
