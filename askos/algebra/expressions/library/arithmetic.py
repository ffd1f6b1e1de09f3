"""+ - * / on numbers, with XSD's promotion (SPARQL 1.1, 17.3).

Beyond SPARQL, + and - also know dates, times and durations, as XPath's operators do (XPath
functions, 10.6 and 10.8): a moment and a duration, two durations of one kind, two moments.
"""

from __future__ import annotations

from typing import TypeAlias

from askos.algebra.expressions.durations import Duration
from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.moments import Moment, shift
from askos.algebra.expressions.numbers import Number, add, divide, multiply, subtract
from askos.algebra.expressions.registry import NUMBER, QUANTITY, Function, register
from askos.terms import XSD

Quantity: TypeAlias = Number | Moment | Duration


def _plus(left: Quantity, right: Quantity) -> Quantity:
    match left, right:
        case Number(), Number():
            return add(left, right)
        case (Moment() as moment, Duration() as span) | (Duration() as span, Moment() as moment):
            return _shifted(moment, span)
        case Duration(months, seconds, kind), Duration() if kind == right.type != XSD.duration:
            return Duration(months + right.months, seconds + right.seconds, kind)
    raise ExpressionError("+ is not defined for these types")


def _minus(left: Quantity, right: Quantity) -> Quantity:
    match left, right:
        case Number(), Number():
            return subtract(left, right)
        case Moment(), Moment() if left.type == right.type:
            return _between(left, right)
        case _, Duration(months, seconds, kind):
            return _plus(left, Duration(-months, -seconds, kind))
    raise ExpressionError("- is not defined for these types")


def _shifted(moment: Moment, span: Duration) -> Moment:
    if span.type == XSD.duration or (
        span.type == XSD.yearMonthDuration and moment.type == XSD.time
    ):
        raise ExpressionError("a moment is shifted by days and seconds, a date by months too")
    return shift(moment, span.months, span.seconds)


def _between(later: Moment, earlier: Moment) -> Duration:
    if (later.offset is None) != (earlier.offset is None):
        raise ExpressionError("a time zone is missing")
    return Duration(0, later.seconds - earlier.seconds, XSD.dayTimeDuration)


_SUMMANDS = (QUANTITY, QUANTITY)
_FACTORS = (NUMBER, NUMBER)

register(Function("+", _SUMMANDS, _plus, returns=QUANTITY, symbol="+", power=4))
register(Function("-", _SUMMANDS, _minus, returns=QUANTITY, symbol="-", power=4))
register(Function("*", _FACTORS, multiply, returns=NUMBER, symbol="*", power=5))
register(Function("/", _FACTORS, divide, returns=NUMBER, symbol="/", power=5))
register(Function("UNARY +", (NUMBER,), lambda number: number, returns=NUMBER, symbol="+", power=6))
register(
    Function("UNARY -", (NUMBER,), lambda number: -number, returns=NUMBER, symbol="-", power=6)
)
