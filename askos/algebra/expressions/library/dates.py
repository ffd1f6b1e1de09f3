"""The parts of dates and times (SPARQL 1.1, 17.4.5), in the time zone they are written in.

SPARQL asks for xsd:dateTime; the parts an xsd:date or xsd:time has are given too, as XPath does.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Final

from askos.algebra.expressions.durations import Duration
from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.moments import Moment, clock_seconds, local_parts
from askos.algebra.expressions.numbers import Number
from askos.algebra.expressions.registry import (
    CLOCK,
    DATE,
    DURATION,
    INTEGER,
    LITERAL,
    MOMENT,
    NUMBER,
    SIMPLE,
    Function,
    Type,
    register,
)
from askos.terms import XSD, Literal

_ZONE: Final = re.compile(r"(?:Z|[+-][0-9]{2}:[0-9]{2})\Z")


def _part(name: str, parameter: Type, place: int) -> None:
    def part(moment: Moment) -> int:
        return int(local_parts(moment)[place])

    register(Function(name, (parameter,), part, returns=INTEGER))


def _seconds(moment: Moment) -> Number:
    return Number(Decimal(clock_seconds(local_parts(moment)[5])), XSD.decimal)


def _timezone(moment: Moment) -> Duration:
    if moment.offset is None:
        raise ExpressionError("there is no time zone")
    return Duration(0, Fraction(moment.offset), XSD.dayTimeDuration)


def _tz(literal: Literal) -> str:
    """The time zone as it is written: the value would not tell Z from +00:00."""
    MOMENT.convert(literal)
    found = _ZONE.search(literal)
    return found[0] if found else ""


_part("YEAR", DATE, 0)
_part("MONTH", DATE, 1)
_part("DAY", DATE, 2)
_part("HOURS", CLOCK, 3)
_part("MINUTES", CLOCK, 4)
register(Function("SECONDS", (CLOCK,), _seconds, returns=NUMBER))
register(Function("TIMEZONE", (MOMENT,), _timezone, returns=DURATION))
register(Function("TZ", (LITERAL,), _tz, returns=SIMPLE))
