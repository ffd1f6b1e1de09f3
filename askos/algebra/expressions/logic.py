"""&&, || and !: three-valued logic (SPARQL 1.1, 17.2)."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.expression import (
    FALSE,
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
class And(Expression):
    """a && b: false if either is false, even where the other is an error."""

    left: Expression
    right: Expression

    def __post_init__(self) -> None:
        check_expression(self, "left")
        check_expression(self, "right")

    def evaluate(self, scope: Scope) -> Term:
        answers = {truth(self.left, scope), truth(self.right, scope)}
        return _boolean(False if False in answers else None if None in answers else True)

    @property
    def power(self) -> int:
        return 2

    def text(self, names: Names) -> str:
        return f"{self.left.inside(names, 2)} && {self.right.inside(names, 3)}"


@dataclass(frozen=True, slots=True)
class Or(Expression):
    """a || b: true if either is true, even where the other is an error."""

    left: Expression
    right: Expression

    def __post_init__(self) -> None:
        check_expression(self, "left")
        check_expression(self, "right")

    def evaluate(self, scope: Scope) -> Term:
        answers = {truth(self.left, scope), truth(self.right, scope)}
        return _boolean(True if True in answers else None if None in answers else False)

    @property
    def power(self) -> int:
        return 1

    def text(self, names: Names) -> str:
        return f"{self.left.inside(names, 1)} || {self.right.inside(names, 2)}"


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
        return f"!{self.operand.inside(names, 6)}"
