"""Quotients of exact numbers: 18 fraction digits, and so more than 64 bits hold.

They are kept as whole part and fraction, to be compared, or to be written; what calculates further
with them takes those that are short (see `numbers.divide`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from askos.algebra.expressions.numbers import DIVISION_DIGITS
from askos.columns import compiled
from askos.columns.coder import Coder
from askos.columns.dictionary import Dictionary
from askos.columns.factorize import factorize
from askos.columns.ids import Ids, Mask, is_hashed
from askos.columns.numbers import Numbers, aligned
from askos.columns.numerals import Quotient, quotient, quotient_literals

_DIVISOR: Final = (1 << 63) // 10 ** (DIVISION_DIGITS // 2)  # nine digits more fit into 64 bits
_FEW: Final = 256  # that are looked at, whether many are equal
_TENS: Final = np.array([10**digits for digits in range(DIVISION_DIGITS + 1)])


def divide(a: Numbers, b: Numbers) -> tuple[Quotient, Mask]:
    """a / b, rounded once, half to even, and where it is known."""
    x, y, _, room = aligned(a, b)
    known = a.exact & b.exact & room & (y != 0) & (np.abs(y) < _DIVISOR)
    sign = np.where(y < 0, -1, 1)
    made = quotient(np.where(known, x * sign, 0), 0, np.where(known, np.abs(y), 1))
    assert made is not None  # such divisors are taken
    return made, known


def split(a: Numbers) -> tuple[Quotient, Mask]:
    """Exact numbers as they are."""
    sign, size, unit = np.sign(a.value), np.abs(a.value), _TENS[a.digits]
    whole = size // unit
    fraction = (size - whole * unit) * _TENS[DIVISION_DIGITS - a.digits]
    return Quotient(sign * whole, sign * fraction), a.exact


def compare(a: Quotient, b: Quotient, law: Callable[[Any, Any], Any]) -> Mask:
    """Whether a and b compare so."""
    whole, fraction = np.sign(a.whole - b.whole), np.sign(a.fraction - b.fraction)
    return np.asarray(law(np.where(whole == 0, fraction, whole), 0))


def divided(
    values: npt.NDArray[Any], scale: int, divisors: Ids, coder: Coder
) -> tuple[Ids, Dictionary]:
    """The ids of values / 10^scale / divisors as canonical decimals: 18 fraction digits at most,
    rounded once, half to even."""
    unit = 10**scale
    if compiled.AVAILABLE and values.dtype != object and _fits(divisors, unit):
        ids, texts = compiled.divide(values, divisors, unit, coder.key, coder.mask)
        return ids, Dictionary.of(ids[is_hashed(ids)], texts)
    made = quotient(values, scale, divisors)
    if made is None:
        return coder.encode(quotient_literals(values, scale, divisors))
    return ids_of(made, coder)


def _fits(divisors: Ids, unit: int) -> bool:
    return int(divisors.max(initial=1)) * unit < 1 << 63


def ids_of(made: Quotient, coder: Coder) -> tuple[Ids, Dictionary]:
    """The ids of the canonical literals: short ones are inlined, the others written."""
    found = made.inlined()
    rest = np.flatnonzero(found == 0)
    if not len(rest):
        return found, Dictionary()
    long = made.take(rest)
    if len(set(long.fraction[:_FEW].tolist())) > min(len(rest), _FEW) // 2:
        found[rest], dictionary = coder.hashed(long.literals())
        return found, dictionary
    codes, example = factorize([long.whole, long.fraction], len(rest))
    ids, dictionary = coder.hashed(long.take(example).literals())
    found[rest] = ids[codes]
    return found, dictionary
