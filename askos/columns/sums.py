"""Exact sums of numbers: whatever leaves a window leaves no trace in them.

A running double would keep the rounding errors of everything it ever held.  So a sum is two
integers, Σ of integers and decimals in units of 10^-d and Σ of floats and doubles in units of
2^-b, and counters of what an integer cannot hold.  All of it adds and subtracts without loss,
and is rounded once, when a result is wanted.  The integers are int64 where they fit, else
Python's own, in the same arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from askos.algebra.expressions.numbers import Number, divide, number_literal, parse_number, rounded
from askos.columns.coder import Coder, decode
from askos.columns.dictionary import Dictionary
from askos.columns.ids import DECIMAL, DOUBLE, INTEGER, POWERS, Ids, Mask, fits, pack, unpack
from askos.columns.numerals import (
    decimal_literals,
    double_literals,
    integer_literals,
    quotient_literals,
)
from askos.terms import XSD, Literal, n3

Integers: TypeAlias = npt.NDArray[Any]
"""int64, or Python's integers where 64 bits do not suffice."""

_COUNTERS: Final = ("values", "errors", "decimals", "floats", "doubles", "nans", "rises", "falls")
_ROOM: Final = 62  # bits an int64 sum may take


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Many sums, or many summands, as columns.

    `counters` counts values, errors, how many values are decimals, floats or doubles, and how
    many are NaN, INF and -INF.
    """

    counters: dict[str, Ids]
    decimal: Integers
    digits: int  # decimal counts units of 10^-digits
    binary: Integers
    bits: int  # binary counts units of 2^-bits

    def __len__(self) -> int:
        return len(self.decimal)

    @property
    def whole(self) -> Integers:
        """The decimal part in units of 1, where it is an integer."""
        return np.asarray(
            (self.decimal.astype(object) if self.digits > 18 else self.decimal) // 10**self.digits
        )

    def each(self, change: Callable[[Integers], Integers]) -> Sums:
        """The same change to every column: one that commutes with addition."""
        return Sums(
            {name: change(column) for name, column in self.counters.items()},
            change(self.decimal),
            self.digits,
            change(self.binary),
            self.bits,
        )

    @classmethod
    def concat(cls, parts: Sequence[Sums]) -> Sums:
        """One after the other, in common units, with room to add them all up."""
        digits, bits = max(part.digits for part in parts), max(part.bits for part in parts)
        decimal = _roomy([(part.decimal, 10 ** (digits - part.digits)) for part in parts])
        binary = _roomy([(part.binary, 1 << bits - part.bits) for part in parts])
        counters = {
            name: np.concatenate([part.counters[name] for part in parts]) for name in _COUNTERS
        }
        return cls(counters, decimal, digits, binary, bits)


def _roomy(parts: Iterable[tuple[Integers, int]]) -> Integers:
    """Each part times its factor; as Python's integers if their sum could exceed 62 bits."""
    # Zeros need no factor, which could be too large for them.
    found = [(values, factor if values.any() else 1) for values, factor in parts if len(values)]
    most = sum(int(np.abs(values).max()) * factor * len(values) for values, factor in found)
    dtype = np.int64 if most < 1 << _ROOM else object
    scaled = [values.astype(dtype) * factor for values, factor in found]
    return np.concatenate(scaled) if scaled else np.empty(0, np.int64)


# ---- from ids --------------------------------------------------------------------------------


def summands(ids: Ids, dictionary: Dictionary) -> Sums:
    """What each term adds to a sum; unbound and what is no number count as errors."""
    kind, digits, value = unpack(ids)
    exact, double = (kind == INTEGER) | (kind == DECIMAL), kind == DOUBLE
    counters = {name: np.zeros(len(ids), np.int64) for name in _COUNTERS}
    counters["decimals"] += kind == DECIMAL
    counters["doubles"] += double
    counters["values"] += exact | double
    most = int(digits[exact].max(initial=0))
    decimal = _roomy([(np.where(exact, value, 0), 10**most)])
    decimal = decimal // _powers(decimal.dtype)[np.where(exact, digits, 0)]
    binary, bits = _binary(np.where(double, value / POWERS[digits], 0.0))
    sums = Sums(counters, decimal, most, binary, bits)
    others = np.flatnonzero(~exact & ~double)
    return _with_others(sums, others, ids, dictionary) if len(others) else sums


def _powers(dtype: npt.DTypeLike) -> Integers:
    return np.array([10**digits for digits in range(16)], dtype)


def _binary(values: npt.NDArray[np.float64]) -> tuple[Integers, int]:
    """Finite doubles as integers in units of 2^-bits, the largest units that suffice."""
    fraction, exponent = np.frexp(values)
    mantissa = (fraction * (1 << 53)).astype(np.int64)
    power = exponent.astype(np.int64) - 53
    zeros = np.where(mantissa == 0, 0, np.frexp((mantissa & -mantissa).astype(np.float64))[1] - 1)
    mantissa, power = mantissa >> zeros, np.where(mantissa == 0, 0, power + zeros)
    bits = max(0, -int(power.min(initial=0)))
    widest = int((power + bits + 54).max(initial=0)) + len(values).bit_length()
    dtype = np.int64 if widest < _ROOM else object
    return mantissa.astype(dtype) << (power + bits).astype(dtype), bits


def _with_others(sums: Sums, rows: Ids, ids: Ids, dictionary: Dictionary) -> Sums:
    """The rows whose number is not inlined: each distinct term is read once, by the algebra."""
    distinct, places = np.unique(ids[rows], return_inverse=True)
    read = [_read(term) for term in decode(distinct, dictionary)]
    empty = np.setdiff1d(np.arange(len(sums)), rows, assume_unique=True)
    both = Sums.concat([sums.each(lambda c: c[empty]), Sums.concat(read).each(lambda c: c[places])])
    back = np.empty(len(sums), np.int64)
    back[np.concatenate([empty, rows])] = np.arange(len(sums))
    return both.each(lambda column: column[back])


def _read(term: object) -> Sums:
    number = parse_number(term) if isinstance(term, Literal) else None
    counters = {name: np.zeros(1, np.int64) for name in _COUNTERS}
    none = np.zeros(1, np.int64)
    if number is None:
        return Sums(counters | {"errors": none + 1}, none, 0, none, 0)
    counters["values"] = none + 1
    if isinstance(number.value, float):
        return _read_float(number.value, number, counters)
    counters["decimals"] = none + (number.type == XSD.decimal)
    exact = Fraction(number.value)
    digits = 0 if isinstance(number.value, int) else max(0, -_exponent(number.value))
    return Sums(counters, np.array([int(exact * 10**digits)], object), digits, none, 0)


def _exponent(value: Any) -> int:
    return int(value.as_tuple().exponent)


def _read_float(value: float, number: Number, counters: dict[str, Ids]) -> Sums:
    none = np.zeros(1, np.int64)
    counters["floats" if number.type == XSD.float else "doubles"] = none + 1
    special = "nans" if value != value else "rises" if value > 0 else "falls"
    if value != value or value in (float("inf"), float("-inf")):
        return Sums(counters | {special: none + 1}, none, 0, none, 0)
    top, bottom = value.as_integer_ratio()
    return Sums(counters, none, 0, np.array([top], object), bottom.bit_length() - 1)


# ---- to ids ----------------------------------------------------------------------------------


def totals(sums: Sums, coder: Coder) -> tuple[Ids, Dictionary]:
    """SUM: 0 of nothing, unbound where there was an error."""
    return _results(sums, coder, average=False)


def averages(sums: Sums, coder: Coder) -> tuple[Ids, Dictionary]:
    """AVG: SUM / COUNT; 0 of nothing, unbound where there was an error."""
    return _results(sums, coder, average=True)


def _results(sums: Sums, coder: Coder, average: bool) -> tuple[Ids, Dictionary]:
    count = sums.counters
    result = np.zeros(len(sums), np.int64)
    dictionary = Dictionary()
    good = count["errors"] == 0
    floating = (count["doubles"] > 0) | (count["floats"] > 0)
    special = (count["nans"] > 0) | (count["rises"] > 0) | (count["falls"] > 0)
    easy = good & floating & ~special & (count["floats"] == 0) & (sums.decimal == 0)
    exact = good & ~floating
    quotient = exact & average & (count["values"] > 0)
    whole = exact & ~quotient & (count["decimals"] == 0)
    inlined = fits(sums.whole)
    cases: list[tuple[Mask, Callable[[Sums], pa.Array]]] = [
        (quotient, _quotient_texts),
        (exact & ~quotient & ~whole, lambda s: decimal_literals(s.decimal, s.digits)),
        (whole & ~inlined, lambda s: integer_literals(s.whole)),
        (easy, lambda s: _double_texts(s, average)),
        (good & floating & ~easy, lambda s: _each_text(s, average)),
    ]
    for mask, texts in cases:
        rows = np.flatnonzero(mask)
        if len(rows):
            chosen = sums.each(lambda column, rows=rows: column[rows])  # type: ignore[misc]
            result[rows], new = coder.encode(texts(chosen))
            dictionary |= new
    rows = np.flatnonzero(whole & inlined)
    result[rows] = pack(INTEGER, 0, sums.whole[rows].astype(np.int64))
    return result, dictionary


def _quotient_texts(sums: Sums) -> pa.Array:
    return quotient_literals(sums.decimal, sums.digits, sums.counters["values"])


def _double_texts(sums: Sums, average: bool) -> pa.Array:
    unit = 1 << sums.bits
    try:
        # Integer by integer: Python rounds the quotient once, whatever the size of the two.
        total = (sums.binary.astype(object) / unit).astype(np.float64)
    except OverflowError:
        return _each_text(sums, average)
    return double_literals(total / sums.counters["values"] if average else total)


def _each_text(sums: Sums, average: bool) -> pa.Array:
    """The rare cases, one by one: floats, infinities, doubles and decimals together."""
    return pa.array([n3(_result(sums, row, average)) for row in range(len(sums))], pa.string())


def _result(sums: Sums, row: int, average: bool) -> Literal:
    count = {name: int(column[row]) for name, column in sums.counters.items()}
    widest = XSD.double if count["doubles"] else XSD.float
    exact = Fraction(int(sums.decimal[row]), 10**sums.digits)
    exact += Fraction(int(sums.binary[row]), 1 << sums.bits)
    total = rounded(exact, widest)
    if count["nans"] or (count["rises"] and count["falls"]):
        total = float("nan")
    elif count["rises"] or count["falls"]:
        total = float("inf") if count["rises"] else float("-inf")
    number = Number(total, widest)
    if average:
        number = divide(number, Number(count["values"], XSD.integer))
    return number_literal(number)
