"""How many solutions to expect: guesses that choose an order; no result depends on them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from askos.algebra import (
    Call,
    Expression,
    Filter,
    Group,
    Join,
    Operator,
    Path,
    Pattern,
    Slice,
    Union,
    Values,
)
from askos.algebra.operators.access import Access
from askos.sources import Catalogue
from askos.terms import Term, URIRef, Variable


class Statistics(Protocol):
    """What is known of the sources."""

    def count(
        self, source: URIRef, subject: Term | None, predicate: Term | None, object: Term | None
    ) -> float | None:
        """How many triples of a source match, None standing for any term; None if unknown."""


@dataclass(frozen=True, slots=True)
class DeclaredPredicates:
    """What a catalogue declares, as statistics: predicates that a source does not carry."""

    catalogue: Catalogue

    def count(
        self, source: URIRef, subject: Term | None, predicate: Term | None, object: Term | None
    ) -> float | None:
        """0 for a predicate that is not among those declared; unknown otherwise."""
        known = self.catalogue.get(source)
        if known is None or known.predicates is None or predicate is None:
            return None
        return None if predicate in known.predicates else 0.0


# Groppe et al. 2007, section 4.1, has only relative sizes to go by, and so have we: a subject
# has few triples, a value is shared by more subjects, a predicate by most.
_SIZES: Final = {
    (True, True, True): 1.0,
    (True, True, False): 4.0,
    (True, False, True): 4.0,
    (True, False, False): 16.0,
    (False, True, True): 64.0,
    (False, False, True): 256.0,
    (False, True, False): 4096.0,
    (False, False, False): 65536.0,
}


def cardinality(plan: Operator, statistics: Statistics | None = None) -> float:
    """The number of solutions to expect at an instant, relative to that of other plans."""
    match plan:
        case Pattern():
            return _matches(plan, statistics)
        case Path(subject, _, object):
            ends = not isinstance(subject, Variable), not isinstance(object, Variable)
            return 4 * _SIZES[ends[0], True, ends[1]]
        case Values(_, rows):
            return len(rows)
        case Filter(condition, input):
            return cardinality(input, statistics) * _selectivity(condition)
        case Union(left, right):
            return cardinality(left, statistics) + cardinality(right, statistics)
        case Join(left, right):
            return min(cardinality(left, statistics), cardinality(right, statistics))
        case Group(keys, _, input):
            return cardinality(input, statistics) / 4 if keys else 1.0
        case Slice(_, int() as limit, input, by=()):
            return min(limit, cardinality(input, statistics))
    first = next(iter(plan.inputs), None)
    return 1.0 if first is None else cardinality(first, statistics)


def _matches(plan: Pattern, statistics: Statistics | None) -> float:
    s, p, o = (None if isinstance(term, Variable) else term for term in plan.positions)
    guess = _SIZES[s is not None, p is not None, o is not None]
    if statistics is None:
        return guess
    counts = [statistics.count(source, s, p, o) for source in _sources(plan.input)]
    return sum(guess if count is None else count for count in counts)


def _sources(plan: Operator) -> Iterator[URIRef]:
    for node in plan.walk():
        if isinstance(node, Access):
            yield node.source


def _selectivity(condition: Expression) -> float:
    match condition:
        case Call("=" | "SAMETERM"):
            return 0.1
    return 0.5
