"""+ - * / on numbers, with XSD's promotion (SPARQL 1.1, 17.3)."""

from __future__ import annotations

from askos.algebra.expressions.numbers import add, divide, multiply, subtract
from askos.algebra.expressions.registry import NUMBER, Function, register

_BINARY = (NUMBER, NUMBER)

register(Function("+", _BINARY, add, symbol="+", power=4))
register(Function("-", _BINARY, subtract, symbol="-", power=4))
register(Function("*", _BINARY, multiply, symbol="*", power=5))
register(Function("/", _BINARY, divide, symbol="/", power=5))
register(Function("UNARY +", (NUMBER,), lambda number: number, symbol="+", power=6))
register(Function("UNARY -", (NUMBER,), lambda number: -number, symbol="-", power=6))
