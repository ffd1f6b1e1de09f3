"""&&, || and !: three-valued logic (SPARQL 1.1, 17.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askos.algebra.chains import WIDE, chained, members
from askos.algebra.expressions.expression import (
    FALSE,
    PRIMARY,
    TRUE,
    Expression,
    ExpressionError,
    Scope,
    check_expression,
)
from askos.algebra.expressions.values import effective_boolean
from askos.algebra.names import Names
from askos.terms import Term


def truth(expression: Expression, scope: Scope) -> bool | None:
    """The effective boolean value, or None for an error: the third truth value."""
    try:
        return effective_boolean(expression.evaluate(scope))
    except ExpressionError:
        return None


def holds(expression: Expression, scope: Scope) -> bool:
    """Whether a filter keeps the solution: true, neither false nor an error."""
    return truth(expression, scope) is True


def _boolean(answer: bool | None) -> Term:
    if answer is None:
        raise ExpressionError("an operand is an error, and the others do not decide")
    return (TRUE if answer else FALSE).term


@dataclass(frozen=True, slots=True)
class Connective(Expression):
    """Two conditions, of which one may decide for both, even where the other is an error."""

    left: Expression
    right: Expression

    def __post_init__(self) -> None:
        check_expression(self, "left")
        check_expression(self, "right")

    def decide(self, scope: Scope, decisive: bool) -> Term:
        """`decisive` if either side is; else an error if either is one."""
        answers = {truth(self.left, scope), truth(self.right, scope)}
        if decisive in answers:
            return _boolean(decisive)
        return _boolean(None if None in answers else not decisive)

    def infix(self, names: Names, symbol: str) -> str:
        """Left-associative text; a wide chain, which is balanced, as it was written."""
        parts = members(self, type(self))
        if len(parts) > WIDE:
            return f" {symbol} ".join(part.inside(names, self.power + 1) for part in parts)
        left, right = self.left.inside(names, self.power), self.right.inside(names, self.power + 1)
        return f"{left} {symbol} {right}"


@dataclass(frozen=True, slots=True)
class And(Connective):
    """a && b: false if either is false."""

    def evaluate(self, scope: Scope) -> Term:
        return self.decide(scope, False)

    @property
    def power(self) -> int:
        return 2

    def text(self, names: Names) -> str:
        return self.infix(names, "&&")


def conjuncts(condition: Expression) -> list[Expression]:
    """The conditions that must all be true for `condition` to be true."""
    return members(condition, And)


def conjunction(conditions: Sequence[Expression]) -> Expression:
    """All of `conditions`; true if there are none."""
    return chained(And, conditions) if conditions else TRUE


@dataclass(frozen=True, slots=True)
class Or(Connective):
    """a || b: true if either is true."""

    def evaluate(self, scope: Scope) -> Term:
        return self.decide(scope, True)

    @property
    def power(self) -> int:
        return 1

    def text(self, names: Names) -> str:
        return self.infix(names, "||")


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """!a: an error stays an error.  NOT IN and NOT EXISTS are Not of the form."""

    operand: Expression

    def __post_init__(self) -> None:
        check_expression(self, "operand")

    def evaluate(self, scope: Scope) -> Term:
        answer = truth(self.operand, scope)
        return _boolean(None if answer is None else not answer)

    @property
    def power(self) -> int:
        return 6

    def text(self, names: Names) -> str:
        return f"!{self.operand.inside(names, PRIMARY)}"  # !!a is no SPARQL
