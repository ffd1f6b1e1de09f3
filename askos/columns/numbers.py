"""Arithmetic on whole columns: exact where SPARQL's is, rounded once where it rounds.

Integers and decimals are int64 in units of 10^-digits, doubles are doubles.  Whatever does not fit,
or is no such number, is UNKNOWN here, and left to the algebra, row by row: nothing wraps, and
nothing is rounded that SPARQL would not round.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from askos.algebra.expressions.numbers import DIVISION_DIGITS, parse_number
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.ids import DECIMAL, DOUBLE, INTEGER, Ids, Mask, fits, pack, unpack
from askos.columns.numerals import (
    decimal_literals,
    double_literals,
    integer_literals,
    quotient,
    quotients,
)
from askos.terms import XSD, Literal

Doubles: TypeAlias = npt.NDArray[np.float64]

ERROR: Final = -1
UNKNOWN: Final = 0
_ROOM: Final = float(1 << 62)  # what an int64 of ours stays below
_EXACT: Final = 1 << 53  # up to here a double is exact
_DIGITS: Final = 18  # fraction digits at most
_TENS: Final = np.array([10**digits for digits in range(_DIGITS + 1)], np.int64)
_INLINED: Final = 15  # fraction digits that an id can say


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A number in every row: its kind, INTEGER, DECIMAL, DOUBLE, ERROR or UNKNOWN; its size as
    `value` in units of 10^-`digits`, or as a `double`."""

    kind: Ids
    value: Ids
    digits: Ids
    double: Doubles

    @property
    def exact(self) -> Mask:
        """Which are integers or decimals."""
        return np.asarray((self.kind == INTEGER) | (self.kind == DECIMAL))

    @property
    def known(self) -> Mask:
        """Which are numbers."""
        return self.kind > UNKNOWN

    def of_kind(self, kind: Ids | int) -> Numbers:
        """The same sizes, of other kinds."""
        return replace(self, kind=np.broadcast_to(np.asarray(kind, np.int64), self.kind.shape))

    def take(self, rows: Ids) -> Numbers:
        """The numbers at `rows`."""
        kind, value, digits = (part.take(rows) for part in (self.kind, self.value, self.digits))
        return Numbers(kind, value, digits, self.double.take(rows))

    def as_doubles(self) -> tuple[Doubles, Mask]:
        """The nearest double of each, and for which it is sure to be: both sides of the division
        are exact, so it rounds once."""
        sure = (np.abs(self.value) <= _EXACT) & self.exact
        sizes = np.where(self.exact, self.value / _TENS[self.digits], self.double)
        return sizes, sure | (self.kind == DOUBLE)


def read(ids: Ids) -> Numbers:
    """The numbers that ids say by themselves; unbound is an error."""
    kind, digits, value = unpack(ids)
    kind = np.where((kind == INTEGER) | (kind == DECIMAL) | (kind == DOUBLE), kind, UNKNOWN)
    digits, value = np.where(kind > 0, digits, 0), np.where(kind > 0, value, 0)
    return Numbers(np.where(ids == 0, ERROR, kind), value, digits, value / _TENS[digits])


def of_literal(literal: Literal, count: int) -> Numbers | None:
    """The same number in every row, if it is one that columns can hold."""
    number = parse_number(literal)
    if number is None or number.type == XSD.float:
        return None
    kind, value, digits, double = DOUBLE, 0, 0, 0.0
    if isinstance(number.value, float):
        double = number.value
    else:
        exact = Fraction(number.value)
        kind = INTEGER if isinstance(number.value, int) else DECIMAL
        while exact.denominator > 1 and digits < _DIGITS:
            exact, digits = exact * 10, digits + 1
        value = exact.numerator
        if exact.denominator > 1 or abs(value) >= _ROOM:
            return None
        double = value / 10**digits
    if not math.isfinite(double):
        return None
    kinds, values, places = (np.full(count, c, np.int64) for c in (kind, value, digits))
    return Numbers(kinds, values, places, np.full(count, double))


def nothing(count: int) -> Numbers:
    """What is no number that columns can hold."""
    zero = np.zeros(count, np.int64)
    return Numbers(zero + UNKNOWN, zero, zero, np.zeros(count))


# ---- two operands ----------------------------------------------------------------------------


def aligned(a: Numbers, b: Numbers) -> tuple[Ids, Ids, Ids, Mask]:
    """Exact values in common units, their digits, and where there is room for them."""
    digits = np.maximum(a.digits, b.digits)
    up, down = _TENS[digits - a.digits], _TENS[digits - b.digits]
    room = (np.abs(a.value) * up.astype(np.float64) < _ROOM / 2) & (
        np.abs(b.value) * down.astype(np.float64) < _ROOM / 2
    )
    return np.where(room, a.value * up, 0), np.where(room, b.value * down, 0), digits, room


def _combined(
    a: Numbers, b: Numbers, value: Ids, digits: Ids, room: Mask, double: Doubles
) -> Numbers:
    """What an operation gave: exact of two exact operands, else a double; an error of an error."""
    (_, sure), (_, also) = a.as_doubles(), b.as_doubles()
    exact = a.exact & b.exact & room & (digits <= _DIGITS)
    floating = (a.kind == DOUBLE) | (b.kind == DOUBLE)
    floating &= sure & also & np.isfinite(double)
    kind = np.where(exact, np.maximum(a.kind, b.kind), np.where(floating, DOUBLE, UNKNOWN))
    kind = np.where((a.kind == ERROR) | (b.kind == ERROR), ERROR, kind)
    return Numbers(kind, np.where(exact, value, 0), np.where(exact, digits, 0), double)


def add(a: Numbers, b: Numbers) -> Numbers:
    """a + b."""
    x, y, digits, room = aligned(a, b)
    return _combined(a, b, x + y, digits, room, a.as_doubles()[0] + b.as_doubles()[0])


def subtract(a: Numbers, b: Numbers) -> Numbers:
    """a - b."""
    x, y, digits, room = aligned(a, b)
    return _combined(a, b, x - y, digits, room, a.as_doubles()[0] - b.as_doubles()[0])


def multiply(a: Numbers, b: Numbers) -> Numbers:
    """a · b."""
    room = np.abs(a.value.astype(np.float64)) * np.abs(b.value.astype(np.float64)) < _ROOM
    value = np.where(room, a.value, 0) * b.value
    double = a.as_doubles()[0] * b.as_doubles()[0]
    return _combined(a, b, value, a.digits + b.digits, room, double)


def divide(a: Numbers, b: Numbers) -> Numbers:
    """a / b: of exact operands a decimal, rounded once beyond 18 digits, and an error by zero."""
    x, y, _, room = aligned(a, b)
    exact = np.flatnonzero(a.exact & b.exact & room & (y != 0))
    value, digits = np.zeros(len(x), np.int64), np.zeros(len(x), np.int64)
    found, fit = _quotients(x[exact], y[exact])
    value[exact], digits[exact] = found
    room[exact] &= fit
    divisor = b.as_doubles()[0]
    double = np.divide(a.as_doubles()[0], divisor, where=divisor != 0, out=np.full(len(x), np.nan))
    result = _combined(a, b, value, digits, room, double)
    zero = a.exact & b.exact & (b.value == 0)
    kind = np.where(result.kind == INTEGER, DECIMAL, result.kind)
    return result.of_kind(np.where(zero, ERROR, kind))


def _quotients(x: Ids, y: Ids) -> tuple[tuple[Ids, Ids], Mask]:
    """x / y as values and digits, and which of them fit."""
    made = quotient(np.where(y < 0, -x, x), 0, np.abs(y))
    if made is None:
        return _long_quotients(x, y)
    fraction, digits = shortened(made.fraction, np.full(len(x), DIVISION_DIGITS))
    fit = np.abs(made.whole) * _TENS[digits].astype(np.float64) < _ROOM / 2
    return (np.where(fit, made.whole, 0) * _TENS[digits] + fraction, digits), np.asarray(fit)


def _long_quotients(x: Ids, y: Ids) -> tuple[tuple[Ids, Ids], Mask]:
    whole = quotients(np.where(y < 0, -x, x), 0, np.abs(y))
    fit = np.asarray(np.abs(whole) < 1 << 62, np.bool_)
    value = np.where(fit, whole, 0).astype(np.int64)
    return shortened(value, np.full(len(x), DIVISION_DIGITS)), fit


def shortened(value: Ids, digits: Ids) -> tuple[Ids, Ids]:
    """Without needless zeros after the point.

    >>> [column.tolist() for column in shortened(np.array([2500, -50]), np.array([3, 1]))]
    [[25, -5], [1, 0]]
    """
    value, digits = value.copy(), digits.copy()
    for step in (8, 4, 2, 1, 1):
        rows = np.flatnonzero((digits >= step) & (value % _TENS[step] == 0))
        value[rows] //= _TENS[step]
        digits[rows] -= step
    while len(rows := np.flatnonzero((digits > 0) & (value % 10 == 0))):
        value[rows] //= 10
        digits[rows] -= 1
    return value, digits


def compare(a: Numbers, b: Numbers, law: Callable[[Any, Any], Any]) -> tuple[Mask, Mask]:
    """Whether a and b compare so, and where that is known."""
    x, y, _, room = aligned(a, b)
    (size, sure), (other, also) = a.as_doubles(), b.as_doubles()
    exact = a.exact & b.exact & room
    floating = ((a.kind == DOUBLE) | (b.kind == DOUBLE)) & sure & also
    return np.asarray(np.where(exact, law(x, y), law(size, other))), exact | floating


# ---- one operand -----------------------------------------------------------------------------


def negate(a: Numbers) -> Numbers:
    """-a."""
    return replace(a, value=-a.value, double=-a.double)


def absolute(a: Numbers) -> Numbers:
    """|a|."""
    return replace(a, value=np.abs(a.value), double=np.abs(a.double))


def _to_whole(down: Callable[[Ids, Ids], Ids], floating: Callable[[Doubles], Doubles]) -> Unary:
    """A rounding; what is rounded to zero from below stays negative, where zero can be."""

    def rounding(a: Numbers) -> Numbers:
        value = down(a.value, _TENS[a.digits])
        double = np.copysign(floating(a.double), a.double)
        return Numbers(a.kind, value, np.zeros_like(a.digits), double)

    return rounding


Unary: TypeAlias = Callable[[Numbers], Numbers]
floor: Final = _to_whole(lambda value, unit: value // unit, np.floor)
ceil: Final = _to_whole(lambda value, unit: -(-value // unit), np.ceil)
nearest: Final = _to_whole(
    lambda value, unit: value // unit + (2 * (value % unit) >= unit),
    lambda size: np.floor(size) + (size - np.floor(size) >= 0.5),
)
"""ROUND: of two the greater."""


def to_double(a: Numbers) -> Numbers:
    """xsd:double(a)."""
    sizes, sure = a.as_doubles()
    kind = np.where(a.known, np.where(sure, DOUBLE, UNKNOWN), a.kind)
    return Numbers(kind, a.value, a.digits, sizes)


def to_decimal(a: Numbers) -> Numbers:
    """xsd:decimal(a)."""
    return _exactly(a, DECIMAL)


def to_integer(a: Numbers) -> Numbers:
    """xsd:integer(a): towards zero."""
    whole = _exactly(a, INTEGER)
    unit = _TENS[whole.digits]
    value = np.sign(whole.value) * (np.abs(whole.value) // unit)
    return replace(whole, value=value, digits=np.zeros_like(whole.digits))


def _exactly(a: Numbers, kind: int) -> Numbers:
    """Doubles among them only where they are whole and small: others have many digits."""
    double = a.kind == DOUBLE
    whole = double & (np.abs(a.double) < _EXACT)
    if kind == DECIMAL:
        whole &= a.double == np.trunc(a.double)
    value = np.where(whole, np.where(whole, a.double, 0), a.value).astype(np.int64)
    value = np.where(double, value, a.value)
    found = np.where(a.exact | whole, kind, np.where(double, UNKNOWN, a.kind))
    return Numbers(found, value, np.where(double, 0, a.digits), a.double)


# ---- to ids ----------------------------------------------------------------------------------


def ids_of(a: Numbers, coder: Coder) -> tuple[Ids, Dictionary]:
    """The ids of the canonical literals; 0 where there is no number."""
    ids, dictionary = np.zeros(len(a.kind), np.int64), Dictionary()
    whole = np.flatnonzero(a.kind == INTEGER)
    small = fits(a.value[whole])
    ids[whole[small]] = pack(INTEGER, 0, a.value[whole[small]])
    large = whole[~small]
    fraction = np.flatnonzero(a.kind == DECIMAL)
    value, digits = shortened(a.value[fraction], a.digits[fraction])
    bare = fits(value) & (digits == 0)  # a decimal has one fraction digit at least
    value, digits = np.where(bare, value * 10, value), np.where(bare, 1, digits)
    short = fits(value) & (digits > 0) & (digits <= _INLINED)
    ids[fraction[short]] = pack(DECIMAL, digits[short], value[short])
    long = fraction[~short]
    double = np.flatnonzero(a.kind == DOUBLE)
    texts: list[tuple[Ids, Callable[[Ids], Any]]] = [
        (large, lambda rows: integer_literals(a.value[rows])),
        (long, lambda rows: _decimals(a.value[rows], a.digits[rows])),
        (double, lambda rows: double_literals(a.double[rows])),
    ]
    for rows, text in texts:
        if len(rows):
            ids[rows], new = coder.encode(text(rows))
            dictionary |= new
    return ids, dictionary


def _decimals(value: Ids, digits: Ids) -> Any:
    scaled = value.astype(object) * _TENS[_DIGITS - digits]
    return decimal_literals(scaled, _DIGITS)
