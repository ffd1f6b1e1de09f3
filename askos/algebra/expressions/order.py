"""Two orders on terms: by value for ORDER BY, and a total one that breaks its ties.

ORDER BY (SPARQL 1.1, 15.1): unbound < blank nodes < IRIs < literals.  Among literals the
specification leaves much open; we order numbers, booleans, strings, strings with a language
tag, dates and times, durations, the rest, in that sequence, and within each by value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from askos.algebra.expressions.durations import Duration
from askos.algebra.expressions.moments import Moment
from askos.algebra.expressions.numbers import Number
from askos.algebra.expressions.values import LangString, Opaque, value
from askos.terms import BNode, Literal, Solution, Term, Triple, URIRef, Variable

Key: TypeAlias = tuple[Any, ...]


def value_key(term: Term | None) -> Key:
    """Sorts as ORDER BY ASC does: terms of equal value have equal keys."""
    match term:
        case None:
            return (0,)
        case BNode():
            return (1, str(term))
        case URIRef():
            return (2, str(term))
    return (3, *_literal_key(term))


def _literal_key(literal: Literal) -> Key:
    match value(literal):
        case Number(number):
            # NaN sorts before all numbers, so that the order is total.
            if isinstance(number, float) and not math.isfinite(number):
                return (0, 0) if math.isnan(number) else (0, 1, number)
            return (0, 1, Fraction(number))
        case bool() as truth:
            return (1, truth)
        case str() as text:
            return (2, text)
        case LangString(text, language):
            return (3, text, language)
        case Moment(seconds, datatype):
            return (4, str(datatype), seconds)
        case Duration(months, seconds):
            return (5, months, seconds)
        case Opaque():
            return (6, str(literal.datatype), str(literal))


def term_key(term: Term | None) -> Key:
    """A total order that refines `value_key`: only one and the same term has an equal key."""
    if not isinstance(term, Literal):
        return value_key(term)
    return (*value_key(term), str(term.datatype or ""), str(term))


def solution_key(solution: Solution, variables: Sequence[Variable]) -> Key:
    """A total order on solutions over `variables`: column by column, unbound first."""
    return tuple(term_key(solution.get(v)) for v in variables)


def item_key(item: Triple | Solution | bool, variables: Sequence[Variable]) -> Any:
    """Where nothing else says, the rows of a report come in the total order on solutions, over
    the variables by name; triples by their text."""
    return solution_key(item, sorted(variables)) if isinstance(item, Solution) else str(item)
