"""Arithmetic: promotion, exactness, and rounding once."""

from __future__ import annotations

import math
import struct
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.algebra.expressions import ExpressionError, Scope
from askos.algebra.expressions.moments import days_from_epoch, instant_literal, parse_moment
from askos.algebra.expressions.numbers import (
    Number,
    exact_sum,
    float32,
    number_literal,
    parse_number,
)
from askos.algebra.expressions.order import term_key, value_key
from askos.terms import XSD, BNode, Literal, Solution, Term, URIRef
from tests.build import call
from tests.strategies import terms

INT, DEC, FLO, DOU = XSD.integer, XSD.decimal, XSD.float, XSD.double
FINITE = st.floats(allow_nan=False, allow_infinity=False)


def lit(text: str, datatype: URIRef) -> Literal:
    return Literal(text, datatype=datatype)


@pytest.mark.parametrize(
    ("left", "op", "right", "expected"),
    [
        (lit("2", INT), "+", lit("3", INT), lit("5", INT)),
        (lit("2", XSD.byte), "*", lit("3", XSD.long), lit("6", INT)),
        (lit("1", INT), "/", lit("4", INT), lit("0.25", DEC)),
        (lit("4", INT), "/", lit("2", INT), lit("2.0", DEC)),
        (lit("1", INT), "/", lit("3", INT), lit("0.333333333333333333", DEC)),
        (lit("2", INT), "/", lit("3", INT), lit("0.666666666666666667", DEC)),
        (lit("0.1", DEC), "+", lit("0.2", DEC), lit("0.3", DEC)),
        (lit("1.50", DEC), "-", lit("1.5", DEC), lit("0.0", DEC)),
        (lit("-0.5", DEC), "*", lit("0", INT), lit("0.0", DEC)),
        (lit("1", INT), "+", lit("0.5", FLO), lit("1.5E0", FLO)),
        (lit("1.5", FLO), "+", lit("1", DOU), lit("2.5E0", DOU)),
        (lit("1", INT), "/", lit("0", DOU), lit("INF", DOU)),
        (lit("-1", INT), "/", lit("0", DOU), lit("-INF", DOU)),
        (lit("1", DOU), "/", lit("-0.0", DOU), lit("-INF", DOU)),
        (lit("0", DOU), "/", lit("0", DOU), lit("NaN", DOU)),
        (lit("NaN", FLO), "/", lit("0", FLO), lit("NaN", FLO)),
        (lit("1E308", DOU), "*", lit("10", DOU), lit("INF", DOU)),
        (lit("1E200", DOU), "*", lit("1E200", FLO), lit("INF", DOU)),
        (lit("16777216", FLO), "+", lit("1", FLO), lit("1.6777216E7", FLO)),
        (lit("3E38", FLO), "+", lit("3E38", FLO), lit("INF", FLO)),
        (lit("1", INT), "+", lit("INF", FLO), lit("INF", FLO)),
        (lit("9" * 40, INT), "*", lit("10", INT), lit("9" * 40 + "0", INT)),
    ],
)
def test_arithmetic_promotes_and_is_exact(
    left: Literal, op: str, right: Literal, expected: Literal
) -> None:
    assert call(op, left, right).evaluate(Scope(Solution())) == expected


def test_integers_may_be_longer_than_python_likes_to_read() -> None:
    long = lit("7" * 5000, INT)
    assert call("*", long, lit("1", INT)).evaluate(Scope(Solution())) == long


def test_exact_division_by_zero_is_an_error() -> None:
    for zero in (lit("0", INT), lit("0.0", DEC)):
        with pytest.raises(ExpressionError, match="division by zero"):
            call("/", lit("1", INT), zero).evaluate(Scope(Solution()))


@pytest.mark.parametrize(
    ("thing", "negative"),
    [("5", lit("-5", INT)), ("1.5", lit("-1.5", DEC)), ("1E0", lit("-1.0E0", DOU))],
)
def test_signs(thing: str, negative: Literal) -> None:
    given = Literal(thing, datatype=negative.datatype)
    assert call("UNARY -", given).evaluate(Scope(Solution())) == negative
    assert call("UNARY -", negative).evaluate(Scope(Solution())) == call("UNARY +", given).evaluate(
        Scope(Solution())
    )


@pytest.mark.parametrize(
    "bad",
    [
        lit("1.0", INT),
        lit("", INT),
        lit("1e5", DEC),
        lit(".", DEC),
        lit("inf", DOU),
        lit("1_000", INT),
        lit("٣", INT),
        lit("-1", XSD.unsignedInt),
        lit("0", XSD.positiveInteger),
        lit("128", XSD.byte),
        Literal("1"),
    ],
    ids=str,
)
def test_ill_formed_numbers_have_no_value(bad: Literal) -> None:
    assert parse_number(bad) is None


@given(FINITE)
def test_doubles_print_shortest_and_read_back(x: float) -> None:
    text = number_literal(Number(x, DOU))
    assert parse_number(text) == Number(x, DOU)
    mantissa, exponent = text.split("E")
    assert len(mantissa.lstrip("-").split(".")[0]) == 1
    assert str(int(exponent)) == exponent


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_floats_print_shortest_and_read_back(x: float) -> None:
    assert parse_number(number_literal(Number(x, FLO))) == Number(x, FLO)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=5))
def test_decimals_read_back(x: Decimal) -> None:
    back = parse_number(number_literal(Number(x, DEC)))
    assert back is not None
    assert back.value == x


@given(FINITE)
def test_float32_rounds_as_numpy_does(x: float) -> None:
    with np.errstate(over="ignore"):
        assert float32(Fraction(x)) == float(np.float32(x))


def test_float32_rounds_once() -> None:
    """Halfway between two floats plus a little that a double cannot hold."""
    exact = 1 + Fraction(1, 2**24) + Fraction(1, 2**70)
    assert float32(exact) == 1 + 2**-23
    assert struct.unpack("f", struct.pack("f", float(exact)))[0] == 1.0


@given(st.lists(FINITE, max_size=20))
def test_double_sums_are_exact_and_rounded_once(values: list[float]) -> None:
    total = exact_sum(Number(x, DOU) for x in values)
    exact = sum((Fraction(x) for x in values), Fraction())
    if values and abs(exact) < Fraction(2) ** 1023:
        assert total == Number(float(exact), DOU)
    assert total == exact_sum(Number(x, DOU) for x in reversed(values))


def test_a_large_value_that_came_and_cancelled_leaves_no_trace() -> None:
    assert exact_sum(Number(x, DOU) for x in (1e300, 1.0, -1e300)).value == 1.0
    assert exact_sum(Number(x, DOU) for x in (1.7e308, 1.7e308)).value == math.inf


def test_sums_take_the_widest_type_and_nothing_sums_to_0() -> None:
    one, half = Number(1, INT), Number(Decimal("0.5"), DEC)
    assert exact_sum([]) == Number(0, INT)
    assert exact_sum([one, half]) == Number(Decimal("1.5"), DEC)
    assert exact_sum([one, Number(0.5, FLO)]) == Number(1.5, FLO)
    assert exact_sum([one, Number(math.inf, DOU)]) == Number(math.inf, DOU)
    mixed = exact_sum([Number(math.inf, DOU), Number(-math.inf, DOU)]).value
    assert isinstance(mixed, float)
    assert math.isnan(mixed)


# ---- dates ----------------------------------------------------------------------------------


@given(st.integers(0, 4_000_000_000_000))
def test_instants_print_as_date_times_and_read_back(ms: int) -> None:
    text = instant_literal(ms)
    read = parse_moment(text)
    assert read is not None
    assert read.seconds * 1000 == ms
    assert datetime.fromisoformat(text).astimezone(UTC).timestamp() == pytest.approx(ms / 1000)


@given(st.dates())
def test_days_are_counted_as_python_counts_them(day: date) -> None:
    assert days_from_epoch(day.year, day.month, day.day) == (day - date(1970, 1, 1)).days


def test_a_date_outside_pythons_range_has_a_value() -> None:
    assert parse_moment(lit("12024-01-01T00:00:00Z", XSD.dateTime)) is not None
    assert parse_moment(lit("-0001-01-01", XSD.date)) is not None
    assert parse_moment(lit("2024-01-01T00:00:00+15:00", XSD.dateTime)) is None
    west = parse_moment(lit("2024-01-01T00:00:00-05:30", XSD.dateTime))
    east = parse_moment(lit("2024-01-01T05:30:00Z", XSD.dateTime))
    assert west is not None
    assert east is not None
    assert west.seconds == east.seconds


# ---- order ----------------------------------------------------------------------------------


@given(terms(), terms())
def test_the_total_order_refines_the_order_by_value(a: Term, b: Term) -> None:
    if value_key(a) < value_key(b):
        assert term_key(a) < term_key(b)
    assert (term_key(a) == term_key(b)) == (a == b)


def test_order_by_puts_kinds_of_terms_in_sequence() -> None:
    expected: list[Term | None] = [
        None,
        BNode("b"),
        URIRef("http://a"),
        lit("NaN", DOU),
        lit("-INF", DOU),
        lit("1", INT),
        lit("1.5", DEC),
        lit("2", INT),
        lit("INF", FLO),
        lit("true", XSD.boolean),
        Literal("text"),
        Literal("text", lang="en"),
        lit("2024-01-01T00:00:00Z", XSD.dateTime),
        lit("x", INT),
    ]
    mixed = expected[7:] + expected[:7]
    assert sorted(mixed, key=value_key) == expected
