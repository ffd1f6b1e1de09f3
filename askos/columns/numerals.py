"""Canonical texts of computed numbers, for whole arrays."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from askos.algebra.expressions.numbers import DIVISION_DIGITS
from askos.columns import compiled
from askos.columns.ids import DECIMAL, Ids, Texts, fits, literals_of, pack
from askos.terms import XSD

_HALF: Final = 10 ** (DIVISION_DIGITS // 2)
_POWERS: Final = np.array([10**digits for digits in range(DIVISION_DIGITS + 1)])


def integer_literals(values: npt.NDArray[Any]) -> Texts:
    """xsd:integer, of int64 or of Python's unlimited integers."""
    return literals_of(_digits(values), XSD.integer)


def decimal_literals(values: npt.NDArray[Any], scale: int) -> Texts:
    """xsd:decimal of values / 10^scale: no needless zeros, but one fraction digit at least.

    >>> [text.split('"')[1] for text in decimal_literals(np.array([2500, -5, 0]), 3).to_pylist()]
    ['2.5', '-0.005', '0.0']
    """
    padded = pc.utf8_lpad(_digits(np.abs(values)), scale + 1, "0")
    whole = pc.utf8_slice_codeunits(padded, 0, -scale) if scale else padded
    fraction = pc.utf8_rtrim(pc.utf8_slice_codeunits(padded, -scale), "0") if scale else ""
    pointed = pc.binary_join_element_wise(whole, _or_zero(fraction, len(values)), ".")
    sign = pa.array(np.where(values < 0, "-", ""), pa.string())
    return literals_of(pc.binary_join_element_wise(sign, pointed, ""), XSD.decimal)


def quotients(
    values: npt.NDArray[Any], scale: int, divisors: npt.NDArray[np.int64]
) -> npt.NDArray[Any]:
    """values / 10^scale / divisors in units of 10^-18, rounded once, half to even."""
    numerators = values.astype(object) * 10 ** max(DIVISION_DIGITS - scale, 0)
    divisors = divisors.astype(object) * 10 ** max(scale - DIVISION_DIGITS, 0)
    whole = numerators // divisors
    twice = 2 * (numerators - whole * divisors)
    up = (twice > divisors) | ((twice == divisors) & (whole % 2 == 1))
    return np.asarray(whole + up.astype(np.int64).astype(object))


def quotient_literals(
    values: npt.NDArray[Any], scale: int, divisors: npt.NDArray[np.int64]
) -> Texts:
    """xsd:decimal of values / 10^scale / divisors: 18 fraction digits at most, rounded once.

    >>> made = quotient_literals(np.array([10, -7, 0]), 1, np.array([3, 2, 5]))
    >>> [text.split('"')[1] for text in made.to_pylist()]
    ['0.333333333333333333', '-0.35', '0.0']
    """
    made = quotient(values, scale, divisors)
    if made is None:
        return decimal_literals(quotients(values, scale, divisors), DIVISION_DIGITS)
    return made.literals()


@dataclass(frozen=True, slots=True, eq=False)
class Quotient:
    """Decimals of 18 fraction digits: whole part and fraction, both with the sign."""

    whole: Ids
    fraction: Ids

    def take(self, rows: Ids) -> Quotient:
        """The decimals at `rows`."""
        return Quotient(self.whole[rows], self.fraction[rows])

    def inlined(self) -> Ids:
        """The ids of those that are short enough to be inlined, 0 for the others."""
        found = np.zeros(len(self.whole), np.int64)
        shorter = self.fraction // 1000
        rows = np.flatnonzero(shorter * 1000 == self.fraction)
        if len(rows):
            fraction, digits = _trimmed(shorter[rows], DIVISION_DIGITS - 3)
            unit = _POWERS[digits]
            whole = np.clip(self.whole[rows], -(1 << 62) // unit, (1 << 62) // unit)
            value = whole * unit + fraction
            found[rows] = np.where(fits(value), pack(DECIMAL, digits, value), 0)
        return found

    def literals(self) -> Texts:
        """xsd:decimal: no needless zeros, but one fraction digit at least."""
        if compiled.AVAILABLE:
            return compiled.quotients(self.whole, self.fraction)
        unit = 10**DIVISION_DIGITS
        # With a 1 before it, a fraction has all its digits; a point takes the place of the 1.
        pointed = pc.binary_replace_slice(_digits(np.abs(self.fraction) + unit), 0, 1, ".")
        fraction = pc.ascii_rtrim(pointed, "0")
        if not self.fraction.all():
            fraction = pc.if_else(pc.equal(fraction, "."), ".0", fraction)
        lexical = [_digits(np.abs(self.whole)), fraction]
        negative = (self.whole < 0) | (self.fraction < 0)
        if negative.any():
            lexical = [pa.array(np.where(negative, "-", ""), pa.string()), *lexical]
        return literals_of(pc.binary_join_element_wise(*lexical, ""), XSD.decimal)


def quotient(
    values: npt.NDArray[Any], scale: int, divisors: npt.NDArray[np.int64]
) -> Quotient | None:
    """values / 10^scale / divisors, rounded once to 18 fraction digits, half to even; None unless
    nine digits more than the divisor fit into 64 bits.
    """
    largest = int(divisors.max(initial=0)) * 10**scale
    if values.dtype == object or largest * _HALF >= 1 << 63:
        return None
    unit = divisors * 10**scale
    whole, rest = np.divmod(np.abs(values), unit)
    high, rest = np.divmod(rest * _HALF, unit)  # nine digits, and nine more
    low, rest = np.divmod(rest * _HALF, unit)
    low += (2 * rest > unit) | ((2 * rest == unit) & (low % 2 == 1))
    fraction = high * _HALF + low
    carried = fraction == _HALF * _HALF
    whole, fraction = whole + carried, np.where(carried, 0, fraction)
    return Quotient(np.where(values < 0, -whole, whole), np.where(values < 0, -fraction, fraction))


def _trimmed(values: Ids, digits: int) -> tuple[Ids, Ids]:
    """Fractions of so many digits without zeros at the end, and how many digits each has then: one
    at least."""
    zeros = (values % _POWERS[1:digits, np.newaxis] == 0).sum(axis=0)
    return values // _POWERS[zeros], digits - zeros


def double_literals(values: npt.NDArray[np.float64]) -> Texts:
    """xsd:double of finite values: the shortest digits that give back the value, as d.dEn.

    >>> made = double_literals(np.array([1234.5, -0.001, 1e300, 0.0]))
    >>> [text.split('"')[1] for text in made.to_pylist()]
    ['1.2345E3', '-1.0E-3', '1.0E300', '0.0E0']
    """
    shortest, power = _without_power(pc.cast(pa.array(np.abs(values)), pa.string()))
    plain = pc.replace_substring(shortest, ".", "")
    digits = pc.utf8_ltrim(plain, "0")
    point = pc.find_substring(shortest, ".").to_numpy()
    length = pc.utf8_length(plain).to_numpy()
    before = np.where(point < 0, length, point)
    leading = length - pc.utf8_length(digits).to_numpy()
    exponent = np.where(values == 0, 0, before - 1 - leading + power)
    digits = pc.utf8_rpad(digits, 1, "0")
    rest = _or_zero(pc.utf8_rtrim(pc.utf8_slice_codeunits(digits, 1), "0"), len(values))
    sign = pa.array(np.where(np.signbit(values), "-", ""), pa.string())
    first = pc.utf8_slice_codeunits(digits, 0, 1)
    mantissa = pc.binary_join_element_wise(sign, first, ".", rest, "")
    text = pc.binary_join_element_wise(mantissa, pc.cast(pa.array(exponent), pa.string()), "E")
    return literals_of(text, XSD.double)


def _without_power(texts: Texts) -> tuple[Texts, npt.NDArray[np.int64]]:
    """1.5e+20 as 1.5 and 20; what has no power as it is."""
    power = np.zeros(len(texts), np.int64)
    written = pc.match_substring(texts, "e").to_numpy(zero_copy_only=False)
    if written.any():
        parts = pc.extract_regex(texts.filter(pa.array(written)), r"(?P<m>.*)e\+?(?P<e>.*)")
        power[written] = pc.cast(pc.struct_field(parts, "e"), pa.int64()).to_numpy()
        texts = pc.replace_with_mask(texts, pa.array(written), pc.struct_field(parts, "m"))
    return texts, power


def _digits(values: npt.NDArray[Any]) -> Texts:
    if values.dtype == object:
        # By way of Decimal: str() itself refuses integers of more than 4300 digits.
        return pa.array([f"{Decimal(value):f}" for value in values], pa.string())
    return pc.cast(pa.array(values), pa.string())


def _or_zero(texts: Any, count: int) -> Texts:
    if isinstance(texts, str):
        return pa.array(["0"] * count, pa.string())
    return pc.if_else(pc.equal(texts, ""), "0", texts)
