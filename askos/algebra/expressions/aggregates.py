"""Aggregates: functions from a group's bag of solutions to a term.

SPARQL 1.1, 18.5.1; made deterministic where that leaves a choice, and independent of the order
in which solutions arrived.  A copy of a solution counts as often as the bag holds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from askos.algebra.expressions.expression import Expression, ExpressionError, Scope
from askos.algebra.expressions.numbers import Number, divide, exact_sum
from askos.algebra.expressions.order import term_key
from askos.algebra.expressions.registry import NUMBER
from askos.algebra.expressions.values import to_term
from askos.algebra.names import Names
from askos.algebra.node import Node
from askos.errors import require, require_flag, require_text
from askos.terms import XSD, BNode, Literal, Solution, Term, Variable, is_anonymous, n3


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """An aggregate of one expression over a group; with `distinct`, over its distinct terms.

    Distinct by term identity: "1" and "01" are two.
    """

    expression: Expression | None
    distinct: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        name = type(self).__name__
        require(
            isinstance(self.expression, Expression) or self._may_count_solutions(),
            f"{name}: expression must be an expression, not {self.expression!r}",
            "wrap a variable in Ref; only Count may go without, as COUNT(*)",
        )
        require_flag(self.distinct, f"{name}: distinct")

    def _may_count_solutions(self) -> bool:
        return False

    def apply(self, group: Sequence[Scope]) -> Term:
        """The value for a group; raises ExpressionError where it has none."""
        assert self.expression is not None
        return self.fold(self._chosen([self.expression.evaluate(scope) for scope in group]))

    def fold(self, terms: Sequence[Term]) -> Term:
        """The value for the terms to aggregate, in no particular order."""
        raise TypeError(f"{type(self).__name__} has no fold")

    def _chosen(self, terms: Iterable[Term]) -> list[Term]:
        return list(dict.fromkeys(terms)) if self.distinct else list(terms)

    @property
    def variables(self) -> frozenset[Variable]:
        """The variables whose values the result may depend on."""
        return self.expression.variables if self.expression else frozenset()

    @property
    def stamps(self) -> frozenset[Variable]:
        """The variables whose hidden arrival time the result may depend on."""
        return self.expression.stamps if self.expression else frozenset()

    def text(self, names: Names) -> str:
        """The aggregate as SPARQL writes it."""
        inner = self.expression.text(names) if self.expression else "*"
        return f"{type(self).__name__.upper()}({'DISTINCT ' * self.distinct}{inner})"


def _evaluated(expression: Expression, group: Sequence[Scope]) -> list[Term]:
    """The values of `expression` that are no errors."""
    terms = []
    for scope in group:
        try:
            terms.append(expression.evaluate(scope))
        except ExpressionError:
            continue
    return terms


@dataclass(frozen=True, slots=True)
class Count(Aggregate):
    """COUNT: how many values are no errors; COUNT(*) counts solutions.  0 of nothing."""

    expression: Expression | None = None

    def _may_count_solutions(self) -> bool:
        return self.expression is None

    def apply(self, group: Sequence[Scope]) -> Term:
        if self.expression is None:
            distinct = {_named(scope.solution) for scope in group}
            return _count(len(distinct) if self.distinct else len(group))
        return self.fold(self._chosen(_evaluated(self.expression, group)))

    def fold(self, terms: Sequence[Term]) -> Term:
        return _count(len(terms))


def _named(solution: Solution) -> Solution:
    """The solution as the query can see it: without arrival times and blank nodes."""
    return solution.project(v for v in solution if not is_anonymous(v))


def _count(number: int) -> Literal:
    return Literal(str(number), datatype=XSD.integer)


@dataclass(frozen=True, slots=True)
class Sum(Aggregate):
    """SUM: exact for integers and decimals; for floats the exact sum, rounded once.  0 of nothing.

    Never a running double: what is added last must not decide, nor what has left the window.
    """

    def fold(self, terms: Sequence[Term]) -> Term:
        return to_term(_sum(terms))


@dataclass(frozen=True, slots=True)
class Avg(Aggregate):
    """AVG: SUM / COUNT in the arithmetic of SPARQL; a decimal for integers.  0 of nothing."""

    def fold(self, terms: Sequence[Term]) -> Term:
        if not terms:
            return _count(0)
        return to_term(divide(_sum(terms), Number(len(terms), XSD.integer)))


def _sum(terms: Sequence[Term]) -> Number:
    return exact_sum(NUMBER.convert(term) for term in terms)


@dataclass(frozen=True, slots=True)
class Min(Aggregate):
    """MIN: the first in the order of ORDER BY; among equal values the least term."""

    def fold(self, terms: Sequence[Term]) -> Term:
        return min(_some(terms), key=term_key)


@dataclass(frozen=True, slots=True)
class Max(Aggregate):
    """MAX: the last in the order of ORDER BY; among equal values the greatest term."""

    def fold(self, terms: Sequence[Term]) -> Term:
        return max(_some(terms), key=term_key)


@dataclass(frozen=True, slots=True)
class Sample(Aggregate):
    """SAMPLE: the least term that is no error, so that every run samples the same."""

    def apply(self, group: Sequence[Scope]) -> Term:
        assert self.expression is not None
        return self.fold(_evaluated(self.expression, group))

    def fold(self, terms: Sequence[Term]) -> Term:
        return min(_some(terms), key=term_key)


def _some(terms: Sequence[Term]) -> Sequence[Term]:
    if not terms:
        raise ExpressionError("an aggregate of nothing")
    return terms


@dataclass(frozen=True, slots=True)
class GroupConcat(Aggregate):
    """GROUP_CONCAT: the texts in term order, with a separator between.  "" of nothing."""

    separator: str = field(default=" ", kw_only=True)

    def __post_init__(self) -> None:
        Aggregate.__post_init__(self)
        require_text(self.separator, "GroupConcat: separator")

    def fold(self, terms: Sequence[Term]) -> Term:
        if any(isinstance(term, BNode) for term in terms):
            raise ExpressionError("a blank node has no text")
        return Literal(self.separator.join(str(term) for term in sorted(terms, key=term_key)))

    def text(self, names: Names) -> str:
        assert self.expression is not None
        inner = f"{'DISTINCT ' * self.distinct}{self.expression.text(names)}"
        return f"GROUP_CONCAT({inner}; SEPARATOR={n3(Literal(self.separator))})"
