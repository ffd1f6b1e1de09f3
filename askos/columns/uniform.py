"""Exact numbers that are all of one kind and have equally many fraction digits.

So are most columns of measurements.  Kind and digits are said once for all rows, and so is what the
sizes stay below: an operation takes a few array operations where `numbers` takes dozens.  Whatever
is not so uniform is None, and left to `numbers`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from askos.algebra.expressions.numbers import parse_number
from askos.columns.ids import DECIMAL, INLINE_BIT, INTEGER, Ids, Mask, pack
from askos.terms import XSD, Literal

_ROOM: Final = 1 << 62
_INLINED: Final = 1 << 50  # what an inlined value stays below
_MOST_DIGITS: Final = 15  # that an id can say
_KINDS: Final = (INTEGER, DECIMAL)
_UNIT: Final = int(pack(0, 1, 0)) - int(pack(0, 0, 0))  # from one number of digits to the next


@dataclass(frozen=True, slots=True, eq=False)
class Uniform:
    """`value` / 10^`digits` in every row, INTEGER or DECIMAL; `value` is one for all rows where
    they are equal.  No |value| is greater than `most`."""

    kind: int
    digits: int
    value: Ids | int
    most: int

    def scaled(self, digits: int) -> Uniform | None:
        """With so many fraction digits, if there is room."""
        factor = 10 ** (digits - self.digits)
        most = self.most * factor
        if most >= _ROOM:
            return None
        return self if factor == 1 else Uniform(self.kind, digits, self.value * factor, most)


def read(ids: Ids) -> Uniform | None:
    """The numbers that ids say, if all are of one kind and digits."""
    if not len(ids):
        return None
    least, most = int(ids.min()), int(ids.max())
    prefix = least // _UNIT
    kind, digits = prefix >> 4 & 15, prefix & 15
    if least < INLINE_BIT or prefix != most // _UNIT or kind not in _KINDS:
        return None
    zero = int(pack(kind, digits, 0))
    return Uniform(kind, digits, ids - zero, max(abs(least - zero), abs(most - zero)))


def of_literal(literal: Literal) -> Uniform | None:
    """A constant, if it is exact and short."""
    number = parse_number(literal)
    if number is None or number.type not in (XSD.integer, XSD.decimal):
        return None
    exact, digits = Fraction(number.value), 0
    while exact.denominator > 1 and digits < _MOST_DIGITS:
        exact, digits = exact * 10, digits + 1
    value = exact.numerator
    if exact.denominator > 1 or abs(value) >= _ROOM:
        return None
    return Uniform(INTEGER if number.type == XSD.integer else DECIMAL, digits, value, abs(value))


# ---- operations ------------------------------------------------------------------------------


def _aligned(a: Uniform, b: Uniform) -> tuple[Uniform, Uniform] | None:
    digits = max(a.digits, b.digits)
    left, right = a.scaled(digits), b.scaled(digits)
    return None if left is None or right is None else (left, right)


def _sum(sign: int) -> Callable[[Uniform, Uniform], Uniform | None]:
    def summed(a: Uniform, b: Uniform) -> Uniform | None:
        pair = _aligned(a, b)
        if pair is None or pair[0].most + pair[1].most >= _ROOM:
            return None
        x, y = pair
        value = x.value + y.value if sign > 0 else x.value - y.value
        return Uniform(max(a.kind, b.kind), x.digits, value, x.most + y.most)

    return summed


add: Final = _sum(1)
subtract: Final = _sum(-1)


def multiply(a: Uniform, b: Uniform) -> Uniform | None:
    """a · b."""
    most, digits = a.most * b.most, a.digits + b.digits
    if most >= _ROOM or digits > _MOST_DIGITS:
        return None
    return Uniform(max(a.kind, b.kind), digits, a.value * b.value, most)


def negate(a: Uniform) -> Uniform:
    """-a."""
    return Uniform(a.kind, a.digits, -a.value, a.most)


def absolute(a: Uniform) -> Uniform:
    """|a|."""
    value = np.abs(a.value) if isinstance(a.value, np.ndarray) else abs(a.value)
    return Uniform(a.kind, a.digits, value, a.most)


def _to_whole(law: Callable[[Any, int], Any]) -> Callable[[Uniform], Uniform]:
    def rounded(a: Uniform) -> Uniform:
        unit = 10**a.digits
        return Uniform(a.kind, 0, law(a.value, unit), a.most // unit + 1)

    return rounded


floor: Final = _to_whole(lambda value, unit: value // unit)
ceil: Final = _to_whole(lambda value, unit: -(-value // unit))
nearest: Final = _to_whole(lambda value, unit: value // unit + (2 * (value % unit) >= unit))
"""ROUND: of two the greater."""


def compare(a: Uniform, b: Uniform, law: Callable[[Any, Any], Any]) -> Mask | None:
    """Whether a and b compare so; one answer where both are the same in all rows."""
    pair = _aligned(a, b)
    return None if pair is None else np.asarray(law(pair[0].value, pair[1].value))


# ---- to ids ----------------------------------------------------------------------------------


def ids_of(a: Uniform, count: int) -> Ids | None:
    """The ids of the canonical literals of `count` rows, if all can be inlined."""
    if a.digits > _MOST_DIGITS or a.most * 10 >= _INLINED:
        return None
    value = np.broadcast_to(np.asarray(a.value, np.int64), count)
    if a.kind == INTEGER:
        return value + int(pack(INTEGER, 0, 0))
    if not a.digits:  # a decimal has one fraction digit at least
        return value * 10 + int(pack(DECIMAL, 1, 0))
    return _without_zeros(value, a.digits)


def _without_zeros(value: Ids, digits: int) -> Ids:
    """Each with as few fraction digits as it needs, but one."""
    ids = value + int(pack(DECIMAL, digits, 0))
    rows = None
    for left in range(digits - 1, 0, -1):
        shorter = value // 10
        even = np.flatnonzero(shorter * 10 == value)
        if not len(even):
            break
        value = shorter[even]
        rows = even if rows is None else rows[even]
        ids[rows] = value + int(pack(DECIMAL, left, 0))
    return ids
