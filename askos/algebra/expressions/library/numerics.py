"""ABS, ROUND, CEIL and FLOOR (SPARQL 1.1, 17.4.4): the result has the type of the argument."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

from askos.algebra.expressions.numbers import Number
from askos.algebra.expressions.registry import NUMBER, Function, register


def _abs(number: Number) -> Number:
    value = number.value
    return Number(value.copy_abs() if isinstance(value, Decimal) else abs(value), number.type)


def _half_up(exact: Fraction) -> int:
    """The nearest integer; of two the greater, as XPath's fn:round has it, also below zero."""
    return math.floor(exact + Fraction(1, 2))


def _to_whole(law: Callable[[Fraction], int]) -> Callable[[Number], Number]:
    """A rounding of the exact value, of any numeric type; what is not finite stays as it is."""

    def rounding(number: Number) -> Number:
        value = number.value
        if isinstance(value, float):
            if not math.isfinite(value):
                return number
            # XPath: what is rounded up to zero from below is the negative zero.
            return Number(math.copysign(law(Fraction(value)), value), number.type)
        whole = law(Fraction(value))
        return Number(Decimal(whole) if isinstance(value, Decimal) else whole, number.type)

    return rounding


register(Function("ABS", (NUMBER,), _abs, returns=NUMBER))
register(Function("ROUND", (NUMBER,), _to_whole(_half_up), returns=NUMBER))
register(Function("CEIL", (NUMBER,), _to_whole(math.ceil), returns=NUMBER))
register(Function("FLOOR", (NUMBER,), _to_whole(math.floor), returns=NUMBER))
