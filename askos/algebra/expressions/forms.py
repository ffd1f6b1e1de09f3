"""BOUND, IF, COALESCE and IN: the forms that look at errors, or choose what to evaluate."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.expressions.expression import (
    FALSE,
    TRUE,
    Expression,
    ExpressionError,
    Scope,
    check_expression,
    check_expressions,
)
from askos.algebra.expressions.library.comparison import equal
from askos.algebra.expressions.values import effective_boolean
from askos.algebra.names import Names
from askos.algebra.node import check_variable
from askos.terms import Term, Variable, n3


@dataclass(frozen=True, slots=True)
class Bound(Expression):
    """BOUND(?x): whether the solution binds ?x; never an error."""

    variable: Variable

    def __post_init__(self) -> None:
        check_variable(self)

    def evaluate(self, scope: Scope) -> Term:
        return (TRUE if self.variable in scope.solution else FALSE).term

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset({self.variable})

    def text(self, names: Names) -> str:
        return f"BOUND({n3(self.variable)})"


@dataclass(frozen=True, slots=True)
class If(Expression):
    """IF(c, a, b): evaluates only the branch chosen; an error in c is an error."""

    condition: Expression
    then: Expression
    otherwise: Expression

    def __post_init__(self) -> None:
        for part in ("condition", "then", "otherwise"):
            check_expression(self, part)

    def evaluate(self, scope: Scope) -> Term:
        chosen = effective_boolean(self.condition.evaluate(scope))
        return (self.then if chosen else self.otherwise).evaluate(scope)

    def text(self, names: Names) -> str:
        parts = (self.condition, self.then, self.otherwise)
        return f"IF({', '.join(part.text(names) for part in parts)})"


@dataclass(frozen=True, slots=True)
class Coalesce(Expression):
    """COALESCE(a, b, ..): the first that is no error; an error if all are."""

    choices: tuple[Expression, ...]

    def __post_init__(self) -> None:
        check_expressions(self, "choices")

    def evaluate(self, scope: Scope) -> Term:
        for choice in self.choices:
            try:
                return choice.evaluate(scope)
            except ExpressionError:
                continue
        raise ExpressionError("COALESCE: every choice is an error")

    def text(self, names: Names) -> str:
        return f"COALESCE({', '.join(choice.text(names) for choice in self.choices)})"


@dataclass(frozen=True, slots=True)
class In(Expression):
    """a IN (b, c, ..): true if a = one of them; else an error if a comparison was one.

    It compares values, as `=` does, not terms.
    """

    operand: Expression
    choices: tuple[Expression, ...]

    def __post_init__(self) -> None:
        check_expression(self, "operand")
        check_expressions(self, "choices")

    def evaluate(self, scope: Scope) -> Term:
        operand, failure = self.operand.evaluate(scope), None
        for choice in self.choices:
            try:
                if equal(operand, choice.evaluate(scope)):
                    return TRUE.term
            except ExpressionError as error:
                failure = error
        if failure:
            raise failure
        return FALSE.term

    @property
    def power(self) -> int:
        return 3

    def text(self, names: Names) -> str:
        choices = ", ".join(choice.text(names) for choice in self.choices)
        return f"{self.operand.inside(names, 4)} IN ({choices})"
