"""Expressions as values, and how one is evaluated for one solution at one instant.

An expression yields an RDF term or SPARQL's error.  The error is not a fault: it is the third
value of the three-valued logic, raised as `ExpressionError` and caught by the forms that
tolerate it (||, &&, COALESCE, filters, BIND, aggregates).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from askos.algebra.names import Names
from askos.algebra.node import Node, check_variable
from askos.errors import QueryError, require
from askos.terms import XSD, Literal, Solution, Term, Variable, canonical, n3

if TYPE_CHECKING:
    from askos.algebra.operator import Operator

PRIMARY: Final = 9
"""Binding power of what never needs parentheses; the other powers are below it."""


class ExpressionError(Exception):
    """SPARQL's error value: an unbound variable, or an operation undefined for its operands."""


def _no_pattern(plan: Operator, solution: Solution) -> bool:
    raise QueryError("EXISTS cannot be evaluated here: there is no graph to look into")


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression may look at: a solution, the instant, and the graph behind EXISTS."""

    solution: Solution
    instant: int = 0
    exists: Callable[[Operator, Solution], bool] = _no_pattern


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """A SPARQL expression: immutable, equal by content."""

    def evaluate(self, scope: Scope) -> Term:
        """The value for `scope.solution`; raises ExpressionError for SPARQL's error."""
        raise TypeError(f"{type(self).__name__} has no evaluation")

    def transform(self, rule: Callable[[Expression], Expression]) -> Expression:
        """Apply `rule` bottom-up to every sub-expression; an unchanged one stays the same."""
        result = self.rewrite(Expression, rule)
        assert isinstance(result, Expression)
        return result

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables whose values the result may depend on."""
        children = (child for child in self.children if isinstance(child, Expression))
        return frozenset().union(*(child.variables for child in children))

    @property
    def stamps(self) -> frozenset[Variable]:
        """The variables whose hidden arrival time the result may depend on.

        A join or a Distinct can raise an arrival time, so a condition that reads one must not
        move across an operator that binds the variable again, or drops copies.
        """
        children = (child for child in self.children if isinstance(child, Expression))
        return frozenset().union(*(child.stamps for child in children))

    @property
    def power(self) -> int:
        """How tightly the text of this expression binds."""
        return PRIMARY

    def text(self, names: Names) -> str:
        """The expression as SPARQL writes it."""
        raise TypeError(f"{type(self).__name__} has no text")

    def inside(self, names: Names, power: int) -> str:
        """The text as an operand, in parentheses where it binds less than `power`."""
        return self.text(names) if self.power >= power else f"({self.text(names)})"

    def __str__(self) -> str:
        return self.text(Names())


@dataclass(frozen=True, slots=True)
class Ref(Expression):
    """?x: the term bound to a variable; an error where it is unbound."""

    variable: Variable

    def __post_init__(self) -> None:
        check_variable(self)

    def evaluate(self, scope: Scope) -> Term:
        try:
            return scope.solution[self.variable]
        except KeyError:
            raise ExpressionError(f"?{self.variable} is unbound") from None

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset({self.variable})

    def text(self, names: Names) -> str:
        return n3(self.variable)


@dataclass(frozen=True, slots=True)
class Constant(Expression):
    """An IRI or literal; a blank node too, where EXISTS substitutes one."""

    term: Term

    def __post_init__(self) -> None:
        require(isinstance(self.term, Term), f"Constant: {self.term!r} is not a term")
        object.__setattr__(self, "term", canonical(self.term))

    def evaluate(self, scope: Scope) -> Term:
        return self.term

    def text(self, names: Names) -> str:
        return names.text(self.term)


TRUE: Final = Constant(Literal("true", datatype=XSD.boolean))
FALSE: Final = Constant(Literal("false", datatype=XSD.boolean))


def check_expression(owner: Node, part: str) -> Expression:
    """The field named `part`, refused unless it is an expression."""
    value = getattr(owner, part)
    if not isinstance(value, Expression):
        raise QueryError(
            f"{type(owner).__name__}: {part} must be an expression, not {value!r}",
            hint="wrap a variable in Ref and a term in Constant",
        )
    return value


def check_expressions(owner: Node, part: str) -> tuple[Expression, ...]:
    """The tuple of expressions named `part`, refused if it holds anything else."""
    values = getattr(owner, part)
    ok = isinstance(values, tuple) and all(isinstance(v, Expression) for v in values)
    if not ok:  # only then spelt: an expression may be long
        raise QueryError(
            f"{type(owner).__name__}: {part} must be a tuple of expressions, not {values!r}",
            hint="wrap a variable in Ref and a term in Constant",
        )
    return tuple(values)
