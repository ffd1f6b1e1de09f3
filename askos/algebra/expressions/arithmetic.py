"""Long sums and products, as one node each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from askos.algebra.chains import WIDE
from askos.algebra.expressions.call import Call
from askos.algebra.expressions.expression import Expression, Scope, check_expressions
from askos.algebra.expressions.registry import function
from askos.algebra.names import Names
from askos.errors import require
from askos.terms import Term


@dataclass(frozen=True, slots=True)
class Arithmetic(Expression):
    """a + b - c .., or a * b / c ..: operators of one strength, applied from the left.

    The same as calls within calls, which is how short chains are written.  Long ones would be as
    deep as they are long; and the sum of doubles is not associative, so they cannot be balanced.
    """

    operands: tuple[Expression, ...]
    signs: tuple[str, ...]

    def __post_init__(self) -> None:
        check_expressions(self, "operands")
        ok = isinstance(self.signs, tuple) and 0 < len(self.signs) == len(self.operands) - 1
        require(ok, "Arithmetic: there must be one sign between two operands")
        require(
            any({*self.signs} <= {*strength} for strength in ("+-", "*/")),
            "Arithmetic: the signs must be + and -, or * and /",
        )

    def evaluate(self, scope: Scope) -> Term:
        value = self.operands[0].evaluate(scope)
        for sign, operand in zip(self.signs, self.operands[1:], strict=True):
            value = function(sign).apply([value, operand.evaluate(scope)], scope)
        return value

    @property
    def power(self) -> int:
        return function(self.signs[0]).power

    def text(self, names: Names) -> str:
        first, *others = self.operands
        rest = (operand.inside(names, self.power + 1) for operand in others)
        return " ".join(
            (first.inside(names, self.power), *chain(*zip(self.signs, rest, strict=True)))
        )


def arithmetic(operands: tuple[Expression, ...], signs: tuple[str, ...]) -> Expression:
    """Operators of one strength, applied from the left."""
    if len(operands) > WIDE:
        return Arithmetic(operands, signs)
    whole, *others = operands
    for sign, operand in zip(signs, others, strict=True):
        whole = Call(sign, (whole, operand))
    return whole
