"""Exact sums of numbers: whatever leaves a window leaves no trace in them.

A running double would keep the rounding errors of everything it ever held.  So a sum is two
integers, Σ of integers and decimals in units of 10^-d and Σ of floats and doubles in units of
2^-b, and counters of what an integer cannot hold.  All of it adds and subtracts without loss,
and is rounded once, when a result is wanted.  The integers are int64 where they fit, else
Python's own, in the same arrays.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import itemgetter
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from askos.algebra.expressions.numbers import Number, divide, number_literal, parse_number, rounded
from askos.columns import uniform
from askos.columns.coder import Coder, decode
from askos.columns.dictionary import Dictionary
from askos.columns.ids import (
    DECIMAL,
    DOUBLE,
    INTEGER,
    POWERS,
    Ids,
    Mask,
    fits,
    pack,
    unpack,
)
from askos.columns.numerals import (
    decimal_literals,
    double_literals,
    integer_literals,
)
from askos.columns.quotients import divided
from askos.terms import XSD, Literal, n3

Integers: TypeAlias = npt.NDArray[Any]
"""int64, or Python's integers where 64 bits do not suffice."""
Results: TypeAlias = "Callable[[Sums], tuple[Ids, Dictionary]]"

_ROOM: Final = 62  # bits an int64 sum may take
_FLOATING: Final = frozenset({"floats", "doubles", "nans", "rises", "falls"})


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Many sums, or many summands, as columns.

    `counters` counts values, and where there are any: errors, how many values are decimals, floats
    or doubles, and how many are NaN, INF and -INF.  Most sums are of integers alone, so what does
    not occur has no column.
    """

    counters: dict[str, Ids]
    decimal: Integers
    digits: int = 0  # decimal counts units of 10^-digits
    floating: Integers | None = None
    bits: int = 0  # floating counts units of 2^-bits

    def __len__(self) -> int:
        return len(self.decimal)

    def count(self, name: str) -> Ids:
        """How many there are of what a counter counts."""
        found = self.counters.get(name)
        return np.zeros(len(self), np.int64) if found is None else found

    @property
    def binary(self) -> Integers:
        """The sums of floats and doubles in units of 2^-bits."""
        return np.zeros(len(self), np.int64) if self.floating is None else self.floating

    @property
    def is_exact(self) -> bool:
        """Whether only integers and decimals were added."""
        return self.counters.keys().isdisjoint(_FLOATING) and "errors" not in self.counters

    @property
    def whole(self) -> Integers:
        """The decimal part in units of 1, where it is an integer."""
        if not self.digits:
            return self.decimal
        return np.asarray(
            (self.decimal.astype(object) if self.digits > 18 else self.decimal) // 10**self.digits
        )

    def each(self, change: Callable[[Integers], Integers]) -> Sums:
        """The same change to every column: one that commutes with addition.  Counters that are one
        column stay so: where all are decimals, these are counted once."""
        distinct = {id(column): column for column in self.counters.values()}
        changed = {name: change(column) for name, column in distinct.items()}
        return Sums(
            {name: changed[id(column)] for name, column in self.counters.items()},
            change(self.decimal),
            self.digits,
            None if self.floating is None else change(self.floating),
            self.bits,
        )

    @classmethod
    def concat(cls, parts: Sequence[Sums]) -> Sums:
        """One after the other, in common units, with room to add them all up."""
        digits, bits = max(part.digits for part in parts), max(part.bits for part in parts)
        decimal = _roomy([(part.decimal, 10 ** (digits - part.digits)) for part in parts])
        floating = None
        if any(part.floating is not None for part in parts):
            floating = _roomy([(part.binary, 1 << bits - part.bits) for part in parts])
        return cls(_one_after_the_other(parts), decimal, digits, floating, bits)


def _one_after_the_other(parts: Sequence[Sums]) -> dict[str, Ids]:
    """The counters of all; those that are one column in every part stay so."""
    counters, known = dict[str, Ids](), dict[tuple[int, ...], Ids]()
    for name in dict.fromkeys(name for part in parts for name in part.counters):
        same = tuple(id(part.counters.get(name)) for part in parts)
        if same not in known:
            known[same] = np.concatenate([part.count(name) for part in parts])
        counters[name] = known[same]
    return counters


def times(sums: Sums, factors: Integers) -> Sums:
    """The sums of as many copies of what was added, by Python's integers where 64 bits do not
    suffice."""
    most = int(factors.max(initial=1))

    def multiplied(column: Integers) -> Integers:
        fits = len(column) == 0 or _largest(column) * most < 1 << _ROOM
        return column * factors if fits else column.astype(object) * factors

    return sums.each(multiplied)


def standing_for(sums: Sums, numbers: Ids) -> Sums:
    """Sums that several values have been added up to, each that many: they count as such."""
    return replace(sums, counters={name: c * numbers for name, c in sums.counters.items()})


def _roomy(parts: Iterable[tuple[Integers, int]]) -> Integers:
    """Each part times its factor; as Python's integers if their sum could exceed 62 bits."""
    # Zeros need no factor, which could be too large for them.
    found = [(v, f if f == 1 or v.any() else 1) for v, f in parts if len(v)]
    most = sum(_largest(values) * factor * len(values) for values, factor in found)
    dtype = np.int64 if most < 1 << _ROOM else object
    scaled = [_scaled(values.astype(dtype, copy=False), factor) for values, factor in found]
    return np.concatenate(scaled) if scaled else np.empty(0, np.int64)


def _largest(values: Integers) -> int:
    """The largest magnitude."""
    return max(int(values.max()), -int(values.min()))


def _scaled(values: Integers, factor: int) -> Integers:
    return values if factor == 1 else values * factor


# ---- from ids --------------------------------------------------------------------------------


def summands(ids: Ids, dictionary: Dictionary) -> Sums:
    """What each term adds to a sum; unbound and what is no number count as errors."""
    same = uniform.read(ids)
    if same is not None:
        ones = np.ones(len(ids), np.int64)
        counters = {"values": ones} | ({"decimals": ones} if same.kind == DECIMAL else {})
        dtype = np.int64 if same.most * len(ids) < 1 << _ROOM else object
        return Sums(counters, np.asarray(same.value, dtype), same.digits)
    kind, digits, value = unpack(ids)
    exact, double = (kind == INTEGER) | (kind == DECIMAL), kind == DOUBLE
    counters = {"values": (exact | double).astype(np.int64)}
    counters |= _counted({"decimals": kind == DECIMAL, "doubles": double})
    most = int(digits[exact].max(initial=0))
    decimal = _roomy([(np.where(exact, value, 0), 10**most)])
    decimal = decimal // _powers(decimal.dtype)[np.where(exact, digits, 0)] if most else decimal
    sums = Sums(counters, decimal, most)
    if "doubles" in counters:
        floating, bits = _binary(np.where(double, value / POWERS[digits], 0.0))
        sums = replace(sums, floating=floating, bits=bits)
    others = np.flatnonzero(~exact & ~double)
    return _with_others(sums, others, ids, dictionary) if len(others) else sums


def _counted(found: dict[str, Mask]) -> dict[str, Ids]:
    """Counters of what there is."""
    return {name: mask.astype(np.int64) for name, mask in found.items() if mask.any()}


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
    one, none = np.ones(1, np.int64), np.zeros(1, np.int64)
    if number is None:
        return Sums({"values": none, "errors": one}, none)
    counters = {"values": one}
    if isinstance(number.value, float):
        return _read_float(number.value, number, counters)
    if number.type == XSD.decimal:
        counters["decimals"] = one
    exact = Fraction(number.value)
    digits = 0 if isinstance(number.value, int) else max(0, -_exponent(number.value))
    return Sums(counters, np.array([int(exact * 10**digits)], object), digits)


def _exponent(value: Any) -> int:
    return int(value.as_tuple().exponent)


def _read_float(value: float, number: Number, counters: dict[str, Ids]) -> Sums:
    one, none = np.ones(1, np.int64), np.zeros(1, np.int64)
    counters["floats" if number.type == XSD.float else "doubles"] = one
    special = "nans" if value != value else "rises" if value > 0 else "falls"
    if value != value or value in (float("inf"), float("-inf")):
        return Sums(counters | {special: one}, none)
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
    if sums.is_exact:
        return _exact_results(sums, coder, average)
    good = sums.count("errors") == 0
    floating = (sums.count("doubles") > 0) | (sums.count("floats") > 0)
    special = (sums.count("nans") > 0) | (sums.count("rises") > 0) | (sums.count("falls") > 0)
    easy = good & floating & ~special & (sums.count("floats") == 0) & (sums.decimal == 0)
    cases: list[tuple[Mask, Results]] = [
        (good & ~floating, lambda some: _exact_results(some, coder, average)),
        (easy, lambda some: coder.encode(_double_texts(some, average))),
        (good & floating & ~easy, lambda some: coder.encode(_each_text(some, average))),
    ]
    return _by_cases(sums, cases)


def _by_cases(sums: Sums, cases: Iterable[tuple[Mask, Results]]) -> tuple[Ids, Dictionary]:
    """Each sum by its case; unbound where there is none for it."""
    found, dictionary = np.zeros(len(sums), np.int64), Dictionary()
    for mask, results in cases:
        if mask.all():
            return results(sums)
        rows = np.flatnonzero(mask)
        if len(rows):
            found[rows], new = results(sums.each(itemgetter(rows)))
            dictionary |= new
    return found, dictionary


def _exact_results(sums: Sums, coder: Coder, average: bool) -> tuple[Ids, Dictionary]:
    """Of integers and decimals: quotients are decimals, and so is a sum of any decimal."""
    if average and sums.counters["values"].all():
        return _quotients(sums, coder)
    if not average and "decimals" not in sums.counters:
        return _integers(sums, coder)
    values = (sums.counters["values"] > 0) & average
    whole = ~values & (sums.count("decimals") == 0)
    cases: list[tuple[Mask, Results]] = [
        (values, lambda some: _quotients(some, coder)),
        (whole, lambda some: _integers(some, coder)),
        (
            ~values & ~whole,
            lambda some: coder.encode(decimal_literals(some.decimal, some.digits)),
        ),
    ]
    return _by_cases(sums, cases)


def _integers(sums: Sums, coder: Coder) -> tuple[Ids, Dictionary]:
    values, dictionary = sums.whole, Dictionary()
    inlined = fits(values)
    if inlined.all():
        return pack(INTEGER, 0, values.astype(np.int64, copy=False)), dictionary
    found = np.zeros(len(sums), np.int64)
    found[inlined] = pack(INTEGER, 0, values[inlined].astype(np.int64))
    found[~inlined], dictionary = coder.encode(integer_literals(values[~inlined]))
    return found, dictionary


def _quotients(sums: Sums, coder: Coder) -> tuple[Ids, Dictionary]:
    """Sum by count: short ones are inlined, the others written."""
    return divided(sums.decimal, sums.digits, sums.counters["values"], coder)


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
    count = Counter({name: int(column[row]) for name, column in sums.counters.items()})
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
