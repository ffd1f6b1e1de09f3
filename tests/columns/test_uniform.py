"""Columns of one kind and equally many digits: the algebra's numbers in a few array operations."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from askos.algebra import Arithmetic, Call, Constant, Expression, Ref
from askos.columns import decode
from askos.columns.expressions import compile_value
from askos.terms import XSD, Literal, Solution
from tests.build import X, Y, call, constant
from tests.columns.batches import CODER
from tests.columns.test_expressions import by_the_algebra, kept, many, of, value_of

SIZES = [0, 1, -1, 5, 10, -100, 999, 2**31, 2**50 - 1, 1 - 2**50, 10**15]


def numeral(value: int, digits: int) -> Literal:
    """value / 10^digits, written with so many digits."""
    text = f"{abs(value):0{digits + 1}}"
    sign = "-" if value < 0 else ""
    if not digits:
        return of(sign + text, XSD.integer)
    return of(f"{sign}{text[:-digits]}.{text[-digits:]}", XSD.decimal)


def numerals(digits: int) -> st.SearchStrategy[Literal]:
    sizes = st.sampled_from(SIZES) | st.integers(-5000, 5000)
    return sizes.map(lambda size: numeral(size, digits))


@st.composite
def columns(draw: st.DrawFn) -> list[Solution]:
    digits = st.sampled_from([0, 1, 2, 2, 3, 15])
    row = st.fixed_dictionaries({X: numerals(draw(digits)), Y: numerals(draw(digits))})
    return draw(st.lists(row.map(Solution), min_size=1, max_size=6))


@st.composite
def sums(draw: st.DrawFn, depth: int = 2) -> Expression:
    constants = st.builds(numeral, st.sampled_from([*SIZES, 2**61]), st.sampled_from([0, 1, 6]))
    if not depth or not draw(st.integers(0, 3)):
        return draw(st.sampled_from([Ref(X), Ref(Y), Ref(X)]) | constants.map(Constant))
    inner = sums(depth - 1)
    match draw(st.integers(0, 3)):
        case 0 | 1:
            return Call(draw(st.sampled_from(["+", "-", "*", "/"])), (draw(inner), draw(inner)))
        case 2:
            return Arithmetic(tuple(draw(inner) for _ in range(3)), ("-", "+"))
    return Call(draw(st.sampled_from(["UNARY -", "ABS", "FLOOR", "CEIL", "ROUND"])), (draw(inner),))


@given(sums(), sums(), st.sampled_from(["=", "!=", "<", ">="]), columns())
@example(Ref(X), constant(0), "<", [Solution({X: numeral(1 - 2**50, 15)})])
def test_uniform_columns_calculate_what_the_algebra_does(
    left: Expression, right: Expression, name: str, given: list[Solution]
) -> None:
    found = decode(*compile_value(left, CODER)(many(*given)))
    assert found == [value_of(left, mu) for mu in given]
    condition = Call(name, (left, right))
    assert kept(condition, given) == by_the_algebra(condition, given)


def test_uniform_columns_need_no_numbers_of_many_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("number by number")

    monkeypatch.setattr("askos.columns.numbers.compare", refuse)
    monkeypatch.setattr("askos.columns.numbers.ids_of", refuse)
    given = [Solution({X: numeral(n, 2), Y: numeral(n * n, 1)}) for n in range(-20, 20)]
    product = call("*", call("-", X, Y), constant(of("1.5", XSD.decimal)))
    found = decode(*compile_value(product, CODER)(many(*given)))
    assert found == [value_of(product, mu) for mu in given]
    assert kept(call(">", product, Y), given) == by_the_algebra(call(">", product, Y), given)


def test_quotients_are_not_calculated_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    given = [Solution({X: numeral(7 * n, 2), Y: numeral(n - 9, 0)}) for n in range(-20, 20)]
    ratio = call("/", X, Y)
    doubled = call(">", call("*", call("/", X, constant(8)), constant(2)), Y)
    wanted = [value_of(ratio, mu) for mu in given]
    larger = [by_the_algebra(each, given) for each in (call(">", ratio, constant(2)), doubled)]

    def refuse(*_: object) -> None:
        raise AssertionError("one by one")

    monkeypatch.setattr("askos.columns.cases._solutions", refuse)
    assert decode(*compile_value(ratio, CODER)(many(*given))) == wanted
    assert [kept(each, given) for each in (call(">", ratio, constant(2)), doubled)] == larger
