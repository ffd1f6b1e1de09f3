"""Comparisons of a column with a constant, on ids as they are.

Inlined ids of one kind and one number of fraction digits, in short of one *prefix*, are in the
order of their values.  So those that are less than the constant, those that are greater, and those
between are three ranges of ids, whose borders are computed once.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, TypeAlias

import numpy as np

from askos.algebra.expressions.moments import Moment
from askos.algebra.expressions.numbers import Number, promote, to_type
from askos.algebra.expressions.values import Value, value
from askos.columns.cases import ERROR, OPEN, Ternary
from askos.columns.ids import (
    BOOLEAN,
    DECIMAL,
    DOUBLE,
    FLOAT,
    INLINE_BIT,
    INTEGER,
    LOCAL_MOMENT,
    MOMENT,
    Ids,
    Mask,
    is_hashed,
    pack,
)
from askos.terms import XSD, Literal

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""Ids from a first up to a last, which is not among them."""

_SHIFT: Final = (int(pack(0, 1, 0)) - int(pack(0, 0, 0))).bit_length() - 1  # digits of ids begin
_MOST: Final = 1 << 50  # what an inlined value stays below
_APART: Final = 14 * 3600  # seconds that decide, whatever the time zone: XSD 1.0, 3.2.7.4
_KIND: Final = _SHIFT + 4
_NO_KIND: Final = INLINE_BIT >> _KIND
_INLINED: Final = INLINE_BIT >> _SHIFT
_EXACT: Final = (XSD.integer, XSD.decimal)


@dataclass(frozen=True, slots=True)
class Borders:
    """Of one prefix the first id that is not less than the constant, and the first that is
    greater; those between are equal, or, unless `decided`, not to be compared."""

    lower: int
    upper: int
    decided: bool = True


def borders(prefix: int, constant: Value) -> Borders | None:
    """Where ids of a prefix pass the constant; None if they are of another type."""
    kind, digits = prefix >> 4 & 15, prefix & 15
    lower = upper = 0
    decided = True
    match constant:
        case bool() if kind == BOOLEAN:
            lower, upper = int(constant), int(constant) + 1
        case Number() if kind in (INTEGER, DECIMAL, DOUBLE, FLOAT):
            lower, upper = _of_number(kind, digits, constant)
        case Moment(seconds, XSD.dateTime, offset) if kind in (MOMENT, LOCAL_MOMENT):
            decided = (offset is None) == (kind == LOCAL_MOMENT)
            slack = 0 if decided else _APART
            lower = math.ceil((seconds - slack) * 1000)
            upper = math.floor((seconds + slack) * 1000) + 1
        case _:
            return None
    first, last = (int(pack(kind, digits, _clipped(place))) for place in (lower, upper))
    return Borders(first, last, decided)


def _clipped(place: int) -> int:
    return min(max(place, -_MOST), _MOST)


def _of_number(kind: int, digits: int, constant: Number) -> tuple[int, int]:
    """The first value that is not less than the constant, and the first that is greater."""
    if kind in (INTEGER, DECIMAL) and constant.type in _EXACT:
        exact = Fraction(constant.value) * 10**digits
        return math.ceil(exact), math.floor(exact) + 1
    # Rounding keeps the order, so the algebra's own comparison is true from some value on.
    places = range(-_MOST, _MOST + 1)
    number = _numbers(kind, digits)

    def reached(place: int) -> bool:
        mine, theirs = promote(number(place), constant)
        return mine.value >= theirs.value

    def passed(place: int) -> bool:
        mine, theirs = promote(number(place), constant)
        return mine.value > theirs.value

    lower, upper = (bisect_left(places, True, key=law) for law in (reached, passed))
    return lower - _MOST, upper - _MOST


def _numbers(kind: int, digits: int) -> Callable[[int], Number]:
    """The algebra's number for an inlined value."""
    if kind == INTEGER:
        return lambda place: Number(place, XSD.integer)
    if kind == DECIMAL:
        return lambda place: Number(Decimal(place).scaleb(-digits), XSD.decimal)
    datatype = XSD.double if kind == DOUBLE else XSD.float
    return lambda place: to_type(Number(place / 10**digits, XSD.double), datatype)


# ---- comparisons -----------------------------------------------------------------------------


class Threshold:
    """`ids name constant`, for ids that are inlined and a constant that is a number, a boolean or a
    dateTime.

    Cost: of ids of one prefix the least, the greatest, and a comparison or two.
    """

    def __init__(self, name: str, constant: Literal) -> None:
        self._name, self._constant = name, value(constant)
        self._known: dict[int, tuple[Ranges, Ranges] | None] = {}

    @staticmethod
    def takes(constant: Literal) -> bool:
        """Whether ids can be compared with the constant; nothing is less or greater than NaN."""
        known = value(constant)
        ordered = isinstance(known, Number) and known.value == known.value
        timed = isinstance(known, Moment) and known.type == XSD.dateTime
        return ordered or timed or isinstance(known, bool)

    def true(self, ids: Ids) -> tuple[Mask, Mask | None]:
        """Where it is true, and of which ids it cannot be told, if there are any."""
        if not len(ids):
            return np.zeros(0, np.bool_), None
        span = int(ids.min()), int(ids.max())
        found = [(prefix, self._ranges(prefix)) for prefix in _prefixes(ids, *span)]
        true = [pair for _, ranges in found if ranges is not None for pair in ranges[0]]
        foreign = [prefix for prefix, ranges in found if ranges is None]
        return _within(ids, true, span), _unknown(ids, foreign, span[0])

    def answers(self, ids: Ids) -> Ternary:
        """What it says; OPEN where ids do not tell."""
        true, unknown = self.true(ids)
        answer = true.astype(np.int8)
        if unknown is not None:
            answer[unknown] = OPEN
        for ranges in self._known.values():
            for start, stop in () if ranges is None else ranges[1]:
                answer[(ids >= start) & (ids < stop)] = ERROR
        answer[ids == 0] = ERROR
        return answer

    def _ranges(self, prefix: int) -> tuple[Ranges, Ranges] | None:
        """The ids of a prefix for which it is true, and those for which it is an error."""
        if prefix not in self._known:
            known = borders(prefix, self._constant)
            self._known[prefix] = None if known is None else _ranges(self._name, prefix, known)
        return self._known[prefix]


def _ranges(name: str, prefix: int, found: Borders) -> tuple[Ranges, Ranges]:
    less, between = (prefix << _SHIFT, found.lower), (found.lower, found.upper)
    greater = (found.upper, (prefix + 1) << _SHIFT)
    equal = (between,) if found.decided else ()
    true: dict[str, Ranges] = {
        "=": equal,
        "!=": (less, greater),
        "<": (less,),
        "<=": (less, *equal),
        ">": (greater,),
        ">=": (*equal, greater),
    }
    return _joined(true[name]), () if found.decided else (between,)


def _joined(ranges: Ranges) -> Ranges:
    """Neighbours as one range."""
    match ranges:
        case ((start, middle), (same, stop)) if middle == same:
            return ((start, stop),)
    return ranges


def _prefixes(ids: Ids, least: int, most: int) -> list[int]:
    """The prefixes of inlined ids."""
    first, last = least >> _SHIFT, most >> _SHIFT
    if first == last:
        return [first] if least >= INLINE_BIT else []
    return [p for p in np.flatnonzero(np.bincount(ids >> _SHIFT)).tolist() if p >= _INLINED]


def _within(ids: Ids, ranges: Sequence[tuple[int, int]], span: tuple[int, int]) -> Mask:
    """Which ids are in one of the ranges; what all of them are above or below is not compared."""
    found: Mask | None = None
    for start, stop in ranges:
        if start <= span[0]:
            inside = ids < stop
        elif stop > span[1]:
            inside = ids >= start
        else:
            inside = (ids >= start) & (ids < stop)
        found = inside if found is None else found | inside
    return np.zeros(len(ids), np.bool_) if found is None else np.asarray(found)


def _unknown(ids: Ids, foreign: list[int], least: int) -> Mask | None:
    """Which ids are hashes, or of another type than the constant."""
    if least >= INLINE_BIT and not foreign:
        return None
    found = is_hashed(ids)
    for prefix in foreign:
        found |= ids >> _SHIFT == prefix
    return found


def alike(a: Ids, b: Ids, law: Callable[[Any, Any], Any]) -> Mask | None:
    """How two columns compare, if every two ids have one prefix; None if they have not."""
    if not len(a) or int((a ^ b).max()) >> _SHIFT:
        return None
    first, last = int(a.min()) >> _KIND, int(a.max()) >> _KIND
    # Different singles may be one number.
    plain = first == last and first > _NO_KIND and first != _NO_KIND + FLOAT
    return np.asarray(law(a, b)) if plain else None
