"""+ - * / on numbers, with XSD's promotion (SPARQL 1.1, 17.3)."""

from __future__ import annotations

from askos.algebra.expressions.numbers import add, divide, multiply, subtract
from askos.algebra.expressions.registry import NUMBER, Function, register

_BINARY = (NUMBER, NUMBER)

register(Function("+", _BINARY, add, returns=NUMBER, symbol="+", power=4))
register(Function("-", _BINARY, subtract, returns=NUMBER, symbol="-", power=4))
register(Function("*", _BINARY, multiply, returns=NUMBER, symbol="*", power=5))
register(Function("/", _BINARY, divide, returns=NUMBER, symbol="/", power=5))
register(Function("UNARY +", (NUMBER,), lambda number: number, returns=NUMBER, symbol="+", power=6))
register(
    Function("UNARY -", (NUMBER,), lambda number: -number, returns=NUMBER, symbol="-", power=6)
)
