"""The numeric values of XSD: exact integers and decimals, correctly rounded floats.

Arithmetic promotes integer → decimal → float → double (SPARQL 1.1, 17.3).  Integers and
decimals are exact; a decimal quotient is exact up to 18 fraction digits and rounded once, half
to even, beyond.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from askos.algebra.expressions.expression import ExpressionError
from askos.terms import XSD, Literal, URIRef

DIVISION_DIGITS: Final = 18
PROMOTION: Final = (XSD.integer, XSD.decimal, XSD.float, XSD.double)
Value: TypeAlias = int | Decimal | float

_EXACT: Final = Context(prec=1_000_000)
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_DECIMAL: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_FLOAT: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?INF|NaN")
RANGES: Final[dict[URIRef, tuple[int | None, int | None]]] = {
    XSD.integer: (None, None),
    XSD.nonPositiveInteger: (None, 0),
    XSD.negativeInteger: (None, -1),
    XSD.nonNegativeInteger: (0, None),
    XSD.positiveInteger: (1, None),
    XSD.long: (-(2**63), 2**63 - 1),
    XSD.int: (-(2**31), 2**31 - 1),
    XSD.short: (-(2**15), 2**15 - 1),
    XSD.byte: (-(2**7), 2**7 - 1),
    XSD.unsignedLong: (0, 2**64 - 1),
    XSD.unsignedInt: (0, 2**32 - 1),
    XSD.unsignedShort: (0, 2**16 - 1),
    XSD.unsignedByte: (0, 2**8 - 1),
}
NUMERIC: Final = frozenset({*RANGES, XSD.decimal, XSD.float, XSD.double})


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric value and which of the four numeric types it has."""

    value: Value
    type: URIRef

    def __neg__(self) -> Number:
        value = self.value
        return Number(value.copy_negate() if isinstance(value, Decimal) else -value, self.type)


def parse_number(literal: Literal) -> Number | None:
    """The value of a well-formed numeric literal; derived integer types become xsd:integer."""
    text, datatype = str(literal), literal.datatype
    if datatype in RANGES:
        return _integer(text, *RANGES[datatype])
    if datatype == XSD.decimal and _DECIMAL.fullmatch(text):
        return Number(Decimal(text), XSD.decimal)
    if datatype in (XSD.float, XSD.double) and _FLOAT.fullmatch(text):
        return to_type(Number(float(text), XSD.double), datatype)
    return None


def _integer(text: str, least: int | None, most: int | None) -> Number | None:
    if not _INTEGER.fullmatch(text):
        return None
    value = int(Decimal(text))  # int() itself refuses texts of more than 4300 digits
    fits = (least is None or least <= value) and (most is None or value <= most)
    return Number(value, XSD.integer) if fits else None


def number_literal(number: Number) -> Literal:
    """The canonical literal of a number; a decimal keeps a fraction digit, as SPARQL writes it.

    >>> str(number_literal(Number(Decimal("2.50"), XSD.decimal)))
    '2.5'
    """
    value = number.value
    if isinstance(value, int):
        return Literal(f"{Decimal(value):f}", datatype=XSD.integer)
    if isinstance(value, Decimal):
        whole, _, fraction = f"{value:f}".partition(".")
        text = f"{whole}.{fraction.rstrip('0') or '0'}"
        return Literal("0.0" if text == "-0.0" else text, datatype=XSD.decimal)
    return Literal(_float_text(value, number.type), datatype=number.type)


def _float_text(value: float, datatype: URIRef) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    text = repr(value) if datatype == XSD.double else _shortest_float32(value)
    sign, digits, exponent = Decimal(text).as_tuple()
    assert isinstance(exponent, int)
    mantissa = "".join(map(str, digits)).rstrip("0") or "0"
    power = exponent + len(digits) - 1 if any(digits) else 0
    return f"{'-' * sign}{mantissa[0]}.{mantissa[1:] or '0'}E{power}"


def _shortest_float32(value: float) -> str:
    texts = (f"{value:.{digits}e}" for digits in range(9))
    return next(text for text in texts if float32(Fraction(text)) == value)


def to_type(number: Number, datatype: URIRef) -> Number:
    """`number` converted to one of the four numeric types that can hold it."""
    value = number.value
    if datatype == number.type:
        return number
    if datatype == XSD.decimal:
        return Number(Decimal(value), XSD.decimal)
    if isinstance(value, float) and (datatype == XSD.double or not _ordinary(value)):
        return Number(value, datatype)
    return Number(rounded(Fraction(value), datatype), datatype)


def _ordinary(value: float) -> bool:
    """Whether a fraction can stand for it: it is finite, and no negative zero."""
    return math.isfinite(value) and bool(value)


def promote(left: Number, right: Number) -> tuple[Number, Number]:
    """Both operands in the wider of their types."""
    wider = max(left.type, right.type, key=PROMOTION.index)
    return to_type(left, wider), to_type(right, wider)


# ---- rounding -------------------------------------------------------------------------------


def rounded(exact: Fraction, datatype: URIRef) -> float:
    """`exact` rounded once to xsd:double or xsd:float, half to even; INF beyond their range."""
    if datatype == XSD.float:
        return float32(exact)
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def float32(exact: Fraction) -> float:
    """`exact` rounded once to single precision: going through a double could round twice."""
    if not exact:
        return 0.0
    size, sign = abs(exact), 1 if exact > 0 else -1
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    ulp = Fraction(2) ** max(exponent - 23, -149)
    nearest = round(size / ulp) * ulp
    if nearest >= Fraction(2) ** 128:
        return sign * math.inf
    return sign * float(nearest)


def decimal_quotient(exact: Fraction) -> Decimal:
    """`exact` as a decimal of at most 18 fraction digits, rounded once, half to even."""
    scaled = round(exact * 10**DIVISION_DIGITS)
    return Decimal(scaled).scaleb(-DIVISION_DIGITS, context=_EXACT)


# ---- arithmetic -----------------------------------------------------------------------------


def arithmetic(
    exact: Callable[[Decimal, Decimal], Decimal],
    whole: Callable[[int, int], int],
    floating: Callable[[float, float], float],
) -> Callable[[Number, Number], Number]:
    """An operation on two numbers from its versions for decimals, integers and doubles.

    A float result is the double result rounded again; for +, - and * of two single-precision
    numbers that equals rounding once.
    """

    def operate(left: Number, right: Number) -> Number:
        a, b = promote(left, right)
        match a.value, b.value:
            case int(x), int(y):
                return Number(whole(x, y), XSD.integer)
            case Decimal() as x, Decimal() as y:
                return Number(exact(x, y), XSD.decimal)
        result = floating(float(a.value), float(b.value))
        return to_type(Number(result, XSD.double), a.type)

    return operate


add: Final = arithmetic(_EXACT.add, int.__add__, float.__add__)
subtract: Final = arithmetic(_EXACT.subtract, int.__sub__, float.__sub__)
multiply: Final = arithmetic(_EXACT.multiply, int.__mul__, float.__mul__)


def divide(left: Number, right: Number) -> Number:
    """left / right; two integers give a decimal, and exact division by zero is an error."""
    a, b = promote(left, right)
    if isinstance(a.value, float) and isinstance(b.value, float):
        return to_type(Number(_float_quotient(a.value, b.value), XSD.double), a.type)
    if not b.value:
        raise ExpressionError("division by zero")
    return Number(decimal_quotient(Fraction(a.value) / Fraction(b.value)), XSD.decimal)


def _float_quotient(a: float, b: float) -> float:
    if b:
        return a / b
    if not a or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1, b)


def exact_sum(numbers: Iterable[Number]) -> Number:
    """Σ in the widest type among `numbers`: the exact sum, rounded once if that is a float."""
    values = list(numbers)
    widest = max((n.type for n in values), key=PROMOTION.index, default=XSD.integer)
    special = [n.value for n in values if isinstance(n.value, float) and not math.isfinite(n.value)]
    if special:
        return Number(sum(special), widest)
    if widest in (XSD.float, XSD.double):
        return Number(rounded(sum((Fraction(n.value) for n in values), Fraction()), widest), widest)
    total = Number(0, XSD.integer)
    for number in values:
        total = add(total, number)
    return to_type(total, widest)
