"""XSD's constructor functions (SPARQL 1.1, 17.5), by XPath's casting rules (XPath functions, 17).

A cast yields the canonical literal of the value; a simple string is read as a literal of the
type would be, white space around it aside.  Beyond SPARQL's table there are the dates, times,
durations and derived integers that XPath casts too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Final, TypeAlias

from askos.algebra.expressions.durations import Duration
from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.moments import Moment, local_midnight, time_of_day
from askos.algebra.expressions.numbers import RANGES, Number, number_literal, to_type
from askos.algebra.expressions.registry import (
    BOOLEAN,
    DURATION,
    MOMENT,
    NUMBER,
    SIMPLE,
    TERM,
    Function,
    Type,
    register,
)
from askos.algebra.expressions.values import Value, to_term, value
from askos.terms import XSD, Literal, Term, URIRef, n3

Conversion: TypeAlias = Callable[[Value], Value | None]
"""From the values that are no strings; None where XPath has no cast."""

_EXACT: Final = frozenset({*RANGES, XSD.decimal})


def _cast(datatype: URIRef, conversion: Conversion, returns: Type) -> None:
    def cast(term: Term) -> Literal:
        source = value(term) if isinstance(term, Literal) else None
        if isinstance(source, str):
            source = value(Literal(source.strip(" \t\n\r"), datatype=datatype))
        result = None if source is None else conversion(source)
        literal = None if result is None else _canonical(result, datatype)
        if literal is None:
            raise ExpressionError(f"{n3(term)} cannot be cast to {datatype}")
        return literal

    register(Function(str(datatype), (TERM,), cast, returns=returns))


def _canonical(result: Value, datatype: URIRef) -> Literal | None:
    """The literal; a derived integer type has its own, if the value is in its range."""
    literal = to_term(result)
    assert isinstance(literal, Literal)
    if datatype not in RANGES:
        return literal
    derived = Literal(str(literal), datatype=datatype)
    return derived if isinstance(value(derived), Number) else None


# ---- numbers and booleans -------------------------------------------------------------------


def _number(datatype: URIRef) -> Conversion:
    def number(source: Value) -> Number | None:
        match source:
            case bool():
                return to_type(Number(int(source), XSD.integer), datatype)
            case Number(float(size)) if datatype in _EXACT and not math.isfinite(size):
                return None
            case Number(size) if datatype == XSD.integer:
                return Number(int(size), XSD.integer)  # towards zero
            case Number():
                return to_type(source, datatype)
        return None

    return number


def _boolean(source: Value) -> bool | None:
    match source:
        case bool():
            return source
        case Number(size):
            return bool(size) and size == size  # NaN is false
    return None


for _type in RANGES:
    _cast(_type, _number(XSD.integer), NUMBER)
for _type in (XSD.decimal, XSD.float, XSD.double):
    _cast(_type, _number(_type), NUMBER)
_cast(XSD.boolean, _boolean, BOOLEAN)


# ---- dates, times and durations -------------------------------------------------------------


def _moment(datatype: URIRef) -> Conversion:
    """XPath adds midnight to a date, and takes from a dateTime its date or its time."""

    def moment(source: Value) -> Moment | None:
        if not isinstance(source, Moment):
            return None
        if source.type == datatype:
            return source
        match source.type, datatype:
            case XSD.date, XSD.dateTime:
                return Moment(source.seconds, datatype, source.offset)
            case XSD.dateTime, XSD.date:
                return Moment(local_midnight(source), datatype, source.offset)
            case XSD.dateTime, XSD.time:
                return time_of_day(source)
        return None

    return moment


def _duration(datatype: URIRef) -> Conversion:
    """Of a duration its months, its seconds, or both."""

    def duration(source: Value) -> Duration | None:
        if not isinstance(source, Duration):
            return None
        months = 0 if datatype == XSD.dayTimeDuration else source.months
        seconds = Fraction() if datatype == XSD.yearMonthDuration else source.seconds
        return Duration(months, seconds, datatype)

    return duration


for _type in (XSD.dateTime, XSD.date, XSD.time):
    _cast(_type, _moment(_type), MOMENT)
for _type in (XSD.duration, XSD.dayTimeDuration, XSD.yearMonthDuration):
    _cast(_type, _duration(_type), DURATION)


# ---- strings --------------------------------------------------------------------------------


def _string(term: Term) -> str:
    """xsd:string(x): the text of an IRI or of a value; not of a literal we know no value of."""
    if isinstance(term, URIRef):
        return str(term)
    match value(term) if isinstance(term, Literal) else None:
        case str(text):
            return text
        case Number() as number:
            return _number_text(number)
        case bool() | Moment() | Duration() as known:
            return str(to_term(known))
    raise ExpressionError(f"{n3(term)} cannot be cast to a string")


def _number_text(number: Number) -> str:
    """XPath functions, 17.1.2: no point after a whole number, an exponent only if needed.

    The digits of a float are the fewest that read back as it.

    >>> _number_text(Number(0.1, XSD.double)), _number_text(Number(1e6, XSD.double))
    ('0.1', '1.0E6')
    """
    text, size = str(number_literal(number)), number.value
    if isinstance(size, float) and size and not 1e-6 <= abs(size) < 1e6:
        return text  # NaN and the infinities among them
    whole, _, fraction = f"{Decimal(text):f}".partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole


register(Function(str(XSD.string), (TERM,), _string, returns=SIMPLE))
