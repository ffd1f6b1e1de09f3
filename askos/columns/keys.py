"""Rows of numbers as one number each, which is sorted, searched and compared in their place.

Numbers of terms lie close together, so that a few columns fit into 62 bits; where they do not, what
stands in a column, or in all columns up to one, is replaced by its place among those that occur.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from askos.columns.ids import Ids

Known: TypeAlias = "Ids | int"
"""A value for each row, or one for all."""

BITS: Final = 62


@dataclass(frozen=True, slots=True, eq=False)
class _Field:
    """The bits of one column: its values from `low` to `high`, or their places among `values`.

    `before`, if any, are the numbers of all columns before it, of which then the places are kept.
    """

    low: int
    high: int
    values: Ids | None = None
    before: Ids | None = None
    bits: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bits", max(0, self.high - self.low).bit_length())

    def coded(self, column: Ids) -> Ids:
        """The bits of values that occur."""
        return column - self.low if self.values is None else np.searchsorted(self.values, column)

    def find(self, value: Known) -> tuple[Any, Any]:
        """The bits of any values, and which of them do not occur."""
        if self.values is not None:
            return _place(self.values, value)
        if isinstance(value, int):  # by far the quickest, where one pattern is looked up
            known = self.low <= value <= self.high
            return (value - self.low if known else 0), not known
        missing = (value < self.low) | (value > self.high)
        return np.where(missing, 0, value - self.low), missing

    def read(self, bits: Ids) -> Ids:
        """The values that bits stand for."""
        return bits + self.low if self.values is None else self.values[bits]


@dataclass(frozen=True, slots=True, eq=False)
class Keys:
    """How rows are numbers: equal rows are equal numbers, and numbers order as rows do, by the
    first column, then by the second, and so on."""

    fields: tuple[_Field, ...]

    @classmethod
    def of(cls, columns: Sequence[Ids], count: int) -> tuple[Keys, Ids]:
        """Keys for `count` rows, and the number of each.

        >>> Keys.of([np.array([7, 8]), np.array([1, 3])], 2)[1]
        array([0, 6])
        """
        fields = [_spread(column) for column in columns]
        if sum(one.bits for one in fields) > BITS:
            fields = [_ranked(column) for column in columns]
        numbers, used, made = np.zeros(count, np.int64), 0, list[_Field]()
        for one, column in zip(fields, columns, strict=True):
            if used + one.bits > BITS:
                before, numbers = np.unique(numbers, return_inverse=True)
                one = _Field(one.low, one.high, one.values, before)
                used = len(before).bit_length()
            numbers, used = numbers << one.bits | one.coded(column), used + one.bits
            made.append(one)
        return cls(tuple(made)), numbers

    def ends(self, known: Sequence[Known]) -> tuple[Any, Any]:
        """Where the numbers of rows that begin with `known` start, and where they end; the same
        where no row can begin so."""
        first: Any = 0
        missing: Any = False
        for one, value in zip(self.fields, known, strict=False):
            if one.before is not None:
                first, unknown = _place(one.before, first)
                missing = missing | unknown
            bits, unknown = one.find(value)
            first, missing = first << one.bits | bits, missing | unknown
        last = first + (missing ^ True)
        for one in self.fields[len(known) :]:
            if one.before is not None:
                first, last = (np.searchsorted(one.before, end) for end in (first, last))
            first, last = first << one.bits, last << one.bits
        return first, last

    def columns(self, numbers: Ids, skip: int = 0) -> list[Ids]:
        """The columns of rows by their numbers, without the first `skip`."""
        found = list[Any]()
        for one in reversed(self.fields[skip:]):
            found.append(one.read(numbers & (1 << one.bits) - 1))
            numbers = numbers >> one.bits
            if one.before is not None:
                numbers = one.before[numbers]
        return found[::-1]


def _spread(column: Ids) -> _Field:
    return _Field(int(column.min()), int(column.max())) if len(column) else _Field(0, -1)


def _ranked(column: Ids) -> _Field:
    values = np.unique(column)
    return _Field(0, len(values) - 1, values)


def _place(values: Ids, value: Any) -> tuple[Any, Any]:
    """The places of numbers among ascending ones, and which of them are not there."""
    if not len(values):
        return np.zeros_like(value), np.ones_like(value, np.bool_)
    place = np.minimum(np.searchsorted(values, value), len(values) - 1)
    return place, values[place] != value


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """Rows in order, found by what they begin with; `rows` says which row is at each place.

    Cost: a sort, and two binary searches for each row that is looked up.
    """

    keys: Keys
    numbers: Ids
    rows: Ids

    @classmethod
    def of(cls, columns: Sequence[Ids], count: int) -> Index:
        """All rows, in their order where they are equal."""
        keys, numbers = Keys.of(columns, count)
        rows = np.argsort(numbers, kind="stable")
        return cls(keys, numbers[rows], rows)

    def find(self, known: Sequence[Known]) -> tuple[Any, Any]:
        """The first place of rows that begin with `known`, and the place after the last."""
        return searched(self.numbers, self.keys, known)


def searched(numbers: Ids, keys: Keys, known: Sequence[Known]) -> tuple[Any, Any]:
    """Where rows that begin with `known` are among the ascending numbers of rows."""
    first, last = keys.ends(known)
    return numbers.searchsorted(first), numbers.searchsorted(last)


def distinct(columns: Sequence[Ids], count: int) -> tuple[Ids, Ids]:
    """A number from 0 for each distinct row, and the first row that has it, ascending by rows'
    values.

    >>> distinct([np.array([9, 7, 9])], 3)
    (array([1, 0, 1]), array([1, 0]))
    """
    _, numbers = Keys.of(columns, count)
    _, first, codes = np.unique(numbers, return_index=True, return_inverse=True)
    return codes, first


def nth(codes: Ids) -> Ids:
    """0, 1, 2 .. for the rows of each code, as they come.

    >>> nth(np.array([5, 3, 5]))
    array([0, 0, 1])
    """
    order = np.argsort(codes, kind="stable")
    first = np.ones(len(codes), np.bool_)
    np.not_equal(codes[order[1:]], codes[order[:-1]], out=first[1:])
    place = np.arange(len(codes))
    found = np.empty(len(codes), np.int64)
    found[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return found
