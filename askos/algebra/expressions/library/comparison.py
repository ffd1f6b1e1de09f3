"""= != < > <= >= on values (SPARQL 1.1, 17.3), and sameTerm on terms.

Beyond the table of SPARQL, dates, times and durations compare as XPath's operators have it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from askos.algebra.expressions.durations import Duration
from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.moments import Moment
from askos.algebra.expressions.numbers import Number, promote
from askos.algebra.expressions.registry import BOOLEAN, TERM, Function, register
from askos.algebra.expressions.values import LangString, Opaque, value
from askos.terms import XSD, Literal, Term, n3


def equal(left: Term, right: Term) -> bool:
    """a = b: equal values, or one and the same term.

    RDFterm-equal: two literals that are not the same term, of which we do not know both
    values, may yet denote one value; so that is an error, not false.
    """
    if not (isinstance(left, Literal) and isinstance(right, Literal)):
        return left == right
    a, b = value(left), value(right)
    if isinstance(a, Number) and isinstance(b, Number):
        a, b = promote(a, b)
        return a.value == b.value
    if isinstance(a, Moment) and isinstance(b, Moment) and a.type == b.type:
        return _comparable(a, b) and a.seconds == b.seconds
    if isinstance(a, Duration) and isinstance(b, Duration):
        return (a.months, a.seconds) == (b.months, b.seconds)
    if left == right:
        return True
    if isinstance(a, LangString) or isinstance(b, LangString):
        return False  # no other datatype has these values
    if isinstance(a, Opaque) or isinstance(b, Opaque):
        raise ExpressionError(f"{n3(left)} = {n3(right)} cannot be decided")
    return type(a) is type(b) and a == b


def _comparable(left: Moment, right: Moment) -> bool:
    """XSD 1.0, 3.2.7.4: with one time zone missing, only 14 hours of distance decide."""
    one_missing = (left.offset is None) != (right.offset is None)
    if one_missing and abs(left.seconds - right.seconds) <= 14 * 3600:
        raise ExpressionError("a time zone is missing, and the times are too close")
    return True


def _same_scale(left: Duration, right: Duration) -> bool:
    """XSD orders durations of seconds, and durations of months, but none of both."""
    return left.type == right.type != XSD.duration


def _ordering(compare: Callable[[Any, Any], bool]) -> Callable[[Term, Term], bool]:
    def order(left: Term, right: Term) -> bool:
        if isinstance(left, Literal) and isinstance(right, Literal):
            match value(left), value(right):
                case Number() as a, Number() as b:
                    a, b = promote(a, b)
                    return compare(a.value, b.value)
                case Moment() as a, Moment() as b if a.type == b.type and _comparable(a, b):
                    return compare(a.seconds, b.seconds)
                case Duration() as a, Duration() as b if _same_scale(a, b):
                    return compare((a.months, a.seconds), (b.months, b.seconds))
                case (str() as a, str() as b) | (bool() as a, bool() as b):
                    return compare(a, b)
        raise ExpressionError(f"{n3(left)} and {n3(right)} have no order")

    return order


def _operator(symbol: str, law: Callable[[Term, Term], bool]) -> None:
    register(Function(symbol, (TERM, TERM), law, returns=BOOLEAN, symbol=symbol, power=3))


_operator("=", equal)
_operator("!=", lambda left, right: not equal(left, right))
_operator("<", _ordering(operator.lt))
_operator(">", _ordering(operator.gt))
_operator("<=", _ordering(operator.le))
_operator(">=", _ordering(operator.ge))
register(Function("SAMETERM", (TERM, TERM), lambda left, right: left == right, returns=BOOLEAN))
