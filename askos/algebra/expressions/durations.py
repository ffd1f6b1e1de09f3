"""xsd:duration and its two ordered kinds, as months and seconds, exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from askos.algebra.expressions.moments import LONGEST, clock_seconds
from askos.terms import XSD, Literal, URIRef

_FORM: Final = re.compile(
    r"(?P<sign>-)?P(?=[0-9T])(?:(?P<years>[0-9]+)Y)?(?:(?P<months>[0-9]+)M)?(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?"
    r"(?:(?P<seconds>[0-9]+(?:\.[0-9]+)?)S)?)?"
)
_LENGTHS: Final = {"days": 86400, "hours": 3600, "minutes": 60, "seconds": 1}
# Which fields a literal of the type may not have.
_FOREIGN: Final = {
    XSD.duration: (),
    XSD.dayTimeDuration: ("years", "months"),
    XSD.yearMonthDuration: tuple(_LENGTHS),
}


@dataclass(frozen=True, slots=True)
class Duration:
    """A span of time: months and seconds, of one sign, which no calendar makes one number."""

    months: int
    seconds: Fraction
    type: URIRef


def parse_duration(literal: Literal) -> Duration | None:
    """The value of a well-formed duration literal."""
    datatype = literal.datatype
    readable = datatype in _FOREIGN and len(literal) <= LONGEST
    found = _FORM.fullmatch(literal) if readable else None
    if found is None or datatype is None or any(found[field] for field in _FOREIGN[datatype]):
        return None
    part = {name: Fraction(text or 0) for name, text in found.groupdict().items() if name != "sign"}
    sign = -1 if found["sign"] else 1
    seconds = sum((part[name] * length for name, length in _LENGTHS.items()), Fraction())
    return Duration(sign * int(12 * part["years"] + part["months"]), sign * seconds, datatype)


def duration_literal(duration: Duration) -> Literal:
    """The canonical literal of a duration: no field that is 0, no month above 11.

    >>> str(duration_literal(Duration(0, Fraction(-28800), XSD.dayTimeDuration)))
    '-PT8H'
    """
    months, seconds = abs(duration.months), abs(duration.seconds)
    sign = "-" if duration.months < 0 or duration.seconds < 0 else ""
    minutes, rest = divmod(seconds, 60)
    day = _fields((months // 12, "Y"), (months % 12, "M"), (minutes // 1440, "D"))
    clock = _fields((minutes // 60 % 24, "H"), (minutes % 60, "M"), (clock_seconds(rest), "S"))
    zero = "0M" if duration.type == XSD.yearMonthDuration else "T0S"
    text = day + ("T" + clock if clock else "") or zero
    return Literal(f"{sign}P{text}", datatype=duration.type)


def _fields(*fields: tuple[int | str, str]) -> str:
    return "".join(f"{number}{unit}" for number, unit in fields if number not in (0, "0"))
