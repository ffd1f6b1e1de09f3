"""Canonical texts of whole arrays against the algebra's, one by one."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from askos.algebra.expressions.numbers import Number, decimal_quotient, number_literal
from askos.columns.numerals import (
    decimal_literals,
    double_literals,
    integer_literals,
    quotient_literals,
    quotients,
)
from askos.terms import XSD, n3

SMALL = st.integers(-(2**62), 2**62)
LARGE = st.one_of(SMALL, st.integers(), st.integers(10**30, 10**40), st.just(-(10**5000)))


def decimal(value: int, scale: int) -> Decimal:
    digits = tuple(map(int, f"{Decimal(abs(value)):f}"))
    return Decimal((int(value < 0), digits, -scale))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=9))
@example([0.0, -0.0, 5e-324, -1.7976931348623157e308, 1e16, 1e15, 123456789012345680.0])
@example([0.1, 1e-4, 1e-5, 1e-7, 9.999e22, 1e21, 1e23, 100.0, 1234.5, 2.2250738585072014e-308])
def test_doubles_are_written_as_the_algebra_writes_them(values: list[float]) -> None:
    wanted = [n3(number_literal(Number(value, XSD.double))) for value in values]
    assert double_literals(np.array(values)).to_pylist() == wanted


@given(st.lists(SMALL, max_size=6), st.integers(0, 25))
def test_decimals_are_written_as_the_algebra_writes_them(values: list[int], scale: int) -> None:
    wanted = [n3(number_literal(Number(decimal(v, scale), XSD.decimal))) for v in values]
    assert decimal_literals(np.array(values, np.int64), scale).to_pylist() == wanted
    assert decimal_literals(np.array(values, object), scale).to_pylist() == wanted


@given(st.lists(LARGE, min_size=1, max_size=4), st.integers(0, 40))
def test_decimals_of_any_size_are_written_too(values: list[int], scale: int) -> None:
    wanted = [n3(number_literal(Number(decimal(v, scale), XSD.decimal))) for v in values]
    assert decimal_literals(np.array(values, object), scale).to_pylist() == wanted


@given(st.lists(LARGE, max_size=4))
@example([0, -1, 10**4300, -(10**5000)])
def test_integers_are_written_as_the_algebra_writes_them(values: list[int]) -> None:
    wanted = [n3(number_literal(Number(value, XSD.integer))) for value in values]
    assert integer_literals(np.array(values, object)).to_pylist() == wanted


@given(st.lists(st.tuples(SMALL, st.integers(1, 10**6)), max_size=6), st.integers(0, 25))
@example([(5, 2), (-5, 2), (15, 2), (-15, 2), (1, 3), (-1, 3), (2, 3), (0, 7)], 18)
@example([(5, 1), (15, 1), (-5, 1), (-15, 1), (25, 1), (51, 1), (-51, 1)], 19)
def test_quotients_are_rounded_once_and_half_to_even(
    pairs: list[tuple[int, int]], scale: int
) -> None:
    values = np.array([value for value, _ in pairs], np.int64)
    divisors = np.array([divisor for _, divisor in pairs], np.int64)
    exact = [Fraction(value, divisor * 10**scale) for value, divisor in pairs]
    wanted = [n3(number_literal(Number(decimal_quotient(q), XSD.decimal))) for q in exact]
    assert decimal_literals(quotients(values, scale, divisors), 18).to_pylist() == wanted
    assert quotient_literals(values, scale, divisors).to_pylist() == wanted


def test_a_half_goes_to_the_even_neighbour() -> None:
    values, ones = np.array([5, 15, 25, -5, -15]), np.ones(5, np.int64)
    assert quotients(values, 19, ones).tolist() == [0, 2, 2, 0, -2]
