"""Rows of answers, as every format takes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import chain
from typing import Final, TypeAlias

from askos.errors import StreamError, require
from askos.interval import Interval
from askos.terms import XSD, Literal, Solution, Term, Triple, Variable

Item: TypeAlias = Solution | Triple | bool
Row: TypeAlias = tuple[Item, Interval | int | None]
"""A solution, a triple or the answer of ASK; and when it holds or was reported, if that is said."""

ANSWER: Final = Variable("answer")
_PLACES: Final = (Variable("s"), Variable("p"), Variable("o"))


class Time(Enum):
    """What rows say of time, by the columns that it takes."""

    NONE = ()
    INTERVAL = ("ts", "te")
    INSTANT = ("at",)


@dataclass(frozen=True, slots=True)
class Table:
    """An answer to be written: its columns, its rows, which are read once, and what they say of
    time."""

    columns: tuple[Variable, ...]
    rows: Iterable[Row]
    time: Time = Time.NONE
    prefixes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.time.value:
            require(
                Variable(name) not in self.columns,
                f"?{name} has the name of a column that answers with time have",
                "rename the variable",
            )

    @property
    def variables(self) -> tuple[Variable, ...]:
        """All columns, those of time included."""
        return (*self.columns, *map(Variable, self.time.value))

    @property
    def solutions(self) -> Iterator[Mapping[Variable, Term]]:
        """Each row as what its columns hold."""
        for item, when in self.rows:
            numbers = (Literal(str(n), datatype=XSD.integer) for n in self.times(when))
            times = zip(map(Variable, self.time.value), numbers, strict=True)
            yield dict(chain(_bindings(item), times))

    def times(self, when: Interval | int | None) -> tuple[int, ...]:
        """The numbers of a row's time; refused where it is not what the table says."""
        match self.time, when:
            case Time.NONE, None:
                return ()
            case Time.INTERVAL, Interval(start, end):
                return start, end
            case Time.INSTANT, int():
                return (when,)
        raise StreamError(f"a row has the time {when!r}, but its table {self.time.name}")

    def peek(self) -> tuple[Row | None, Table]:
        """The first row, if there is one, and the table with all rows still to come."""
        rows = iter(self.rows)
        first = next(rows, None)
        return first, self if first is None else replace(self, rows=chain([first], rows))

    def verdict(self) -> tuple[bool | None, Table]:
        """The answer of an ASK that says nothing of time, which W3C's formats write by itself;
        None for any other table, and the table with all rows still to come."""
        first, table = self.peek()
        if first is not None and isinstance(first[0], bool) and self.time is Time.NONE:
            return first[0], table
        return None, table


def _bindings(item: Item) -> Iterable[tuple[Variable, Term]]:
    match item:
        case Solution():
            return item.items()
        case Triple():
            return zip(_PLACES, item, strict=True)
    return [(ANSWER, Literal(str(item).lower(), datatype=XSD.boolean))]
