"""xsd:dateTime, xsd:date and xsd:time as points on a line, exactly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from askos.terms import XSD, Literal, URIRef

_ZONE: Final = r"(?P<zone>Z|[+-](?:0[0-9]|1[0-3]):[0-5][0-9]|[+-]14:00)?"
_DAY: Final = r"(?P<year>-?(?:[1-9][0-9]{3,}|0[0-9]{3}))-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_TIME: Final = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2}(?:\.[0-9]+)?)"
_FORMS: Final = {
    XSD.dateTime: re.compile(f"{_DAY}T{_TIME}{_ZONE}"),
    XSD.date: re.compile(f"{_DAY}{_ZONE}"),
    XSD.time: re.compile(f"{_TIME}{_ZONE}"),
}
LONGEST: Final = 4000
"""Characters of a literal we read: Python refuses to turn much longer texts into numbers."""

# What xsd:time lacks, as XPath fills it in, and what xsd:date lacks.
_MISSING: Final = {
    "year": "1972",
    "month": "12",
    "day": "31",
    "hour": "0",
    "minute": "0",
    "second": "0",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """Seconds since 1970-01-01T00:00:00Z, as if in UTC where no time zone is given; and the
    time zone in seconds east of UTC, or None."""

    seconds: Fraction
    type: URIRef
    offset: int | None


def parse_moment(literal: Literal) -> Moment | None:
    """The value of a well-formed xsd:dateTime, xsd:date or xsd:time literal."""
    datatype = literal.datatype
    form = _FORMS.get(datatype) if datatype else None
    found = form.fullmatch(literal) if form and len(literal) <= LONGEST else None
    if found is None or datatype is None:
        return None
    part = {**_MISSING, **found.groupdict()}
    year, month, day = int(part["year"]), int(part["month"]), int(part["day"])
    hour, minute, second = int(part["hour"]), int(part["minute"]), Fraction(part["second"])
    if not (1 <= month <= 12 and 1 <= day <= days_in_month(year, month)):
        return None
    midnight = hour == 24 and minute == 0 and second == 0
    if not midnight and (hour > 23 or minute > 59 or second >= 60):
        return None
    if midnight and datatype == XSD.time:
        hour = 0  # a time has no next day
    seconds = 86400 * days_from_epoch(year, month, day) + 3600 * hour + 60 * minute + second
    offset = _offset(part["zone"])
    return Moment(seconds - (offset or 0), datatype, offset)


def _offset(zone: str | None) -> int | None:
    if zone is None:
        return None
    if zone == "Z":
        return 0
    seconds = 3600 * int(zone[1:3]) + 60 * int(zone[4:6])
    return -seconds if zone[0] == "-" else seconds


def days_in_month(year: int, month: int) -> int:
    """The length of a month in the proleptic Gregorian calendar."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def days_from_epoch(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01, for any year; the year is counted from March, so that the leap
    day is the last."""
    shifted = year - (month <= 2)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    leaps = shifted // 4 - shifted // 100 + shifted // 400
    return 365 * shifted + leaps + day_of_year - 719_468


DAY_OF_TIMES: Final = 86400 * days_from_epoch(1972, 12, 31)
"""The second that begins the day XPath counts an xsd:time in."""


def civil(days: int) -> tuple[int, int, int]:
    """Year, month and day, `days` after 1970-01-01."""
    days += 719_468
    era, of_era = divmod(days, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    return year + 400 * era + (month >= 10), (month + 2) % 12 + 1, day


def local_parts(moment: Moment) -> tuple[int, int, int, int, int, Fraction]:
    """Year, month, day, hour, minute and second in the time zone of the moment itself."""
    days, rest = divmod(moment.seconds + (moment.offset or 0), 86400)
    minutes, second = divmod(rest, 60)
    return *civil(days), minutes // 60, minutes % 60, second


def local_midnight(moment: Moment) -> Fraction:
    """The seconds of the midnight that began the moment's day in its own time zone."""
    offset = moment.offset or 0
    return Fraction((moment.seconds + offset) // 86400 * 86400 - offset)


def shift(moment: Moment, months: int, seconds: Fraction) -> Moment:
    """The moment that much later; a day its month does not have becomes the last it has.

    XML Schema Part 2, appendix E.  A date stays a date, and a time goes round the clock.
    """
    year, month, day, *_ = local_parts(moment)
    to_year, to_month = divmod(12 * year + month - 1 + months, 12)
    to_day = min(day, days_in_month(to_year, to_month + 1))
    days = days_from_epoch(to_year, to_month + 1, to_day) - days_from_epoch(year, month, day)
    later = Moment(moment.seconds + 86400 * days + seconds, moment.type, moment.offset)
    match moment.type:
        case XSD.date:
            return Moment(local_midnight(later), later.type, later.offset)
        case XSD.time:
            return time_of_day(later)
    return later


def time_of_day(moment: Moment) -> Moment:
    """The xsd:time of a moment, in its own time zone."""
    since = moment.seconds - local_midnight(moment)
    return Moment(DAY_OF_TIMES + since - (moment.offset or 0), XSD.time, moment.offset)


def clock_seconds(seconds: Fraction) -> str:
    """Seconds as XSD writes them: with as many fraction digits as they need.

    >>> clock_seconds(Fraction(5, 2))
    '2.5'
    """
    digits = 0
    while 10**digits % seconds.denominator:
        digits += 1
    whole, fraction = divmod(int(seconds * 10**digits), 10**digits)
    return f"{whole}.{fraction:0{digits}}" if digits else str(whole)


def moment_literal(moment: Moment) -> Literal:
    """The literal of a moment in its own time zone; UTC is written Z.

    >>> str(moment_literal(Moment(Fraction(1, 4), XSD.time, 3600)))
    '01:00:00.25+01:00'
    """
    year, month, day, hour, minute, second = local_parts(moment)
    date = f"{year:0{5 if year < 0 else 4}}-{month:02}-{day:02}"
    clock = f"{hour:02}:{minute:02}:{'0' if second < 10 else ''}{clock_seconds(second)}"
    forms = {XSD.dateTime: f"{date}T{clock}", XSD.date: date, XSD.time: clock}
    return Literal(forms[moment.type] + _zone_text(moment.offset), datatype=moment.type)


def _zone_text(offset: int | None) -> str:
    if not offset:
        return "" if offset is None else "Z"
    minutes = abs(offset) // 60
    return f"{'-' if offset < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"


def instant_literal(milliseconds: int) -> Literal:
    """An instant of event time as xsd:dateTime in UTC.

    >>> str(instant_literal(1_700_000_000_123))
    '2023-11-14T22:13:20.123Z'
    """
    seconds, millis = divmod(milliseconds, 1000)
    days, seconds = divmod(seconds, 86400)
    year, month, day = civil(days)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return Literal(f"{year:04}-{month:02}-{day:02}T{clock}.{millis:03}Z", datatype=XSD.dateTime)
