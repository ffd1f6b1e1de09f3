"""Bags of solutions, and the small steps the operators make of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from askos.algebra.expressions import Aggregate, Expression, ExpressionError, Scope
from askos.algebra.expressions.order import Key, term_key
from askos.algebra.operators import Binding
from askos.terms import Solution, Term, Triple, URIRef, Variable

Solutions: TypeAlias = Counter[Solution]
Occurrence: TypeAlias = tuple[Triple, tuple[tuple[URIRef, int], ...]]
"""A triple, and from which streams it came when; static triples came from none."""


def summed(counted: Iterable[tuple[Solution, int]]) -> Solutions:
    """A bag from pieces: multiplicities of equal solutions add."""
    bag: Solutions = Counter()
    for solution, n in counted:
        bag[solution] += n
    return bag


def merged(left: Solutions, right: Solutions, keep: Callable[[Solution], bool]) -> Solutions:
    """Each compatible pair merged, if `keep` agrees; multiplicities multiply."""
    return summed(
        (mu | nu, n * m)
        for mu, n in left.items()
        for nu, m in right.items()
        if mu.compatible(nu) and keep(mu | nu)
    )


def latest(occurrences: Iterable[Occurrence]) -> list[Occurrence]:
    """Every triple once, with its latest arrival from each stream."""
    times: dict[Triple, dict[URIRef, int]] = {}
    for triple, stamps in occurrences:
        known = times.setdefault(triple, {})
        for source, at in stamps:
            known[source] = max(at, known.get(source, at))
    return [(triple, tuple(known.items())) for triple, known in times.items()]


def without(solution: Solution, times: Collection[Variable]) -> Solution:
    """The solution without arrival times, be they hidden or in columns."""
    return solution.project(v for v in solution if v not in times)


def later(one: Solution, other: Solution, times: Iterable[Variable]) -> Solution:
    """Of two solutions that differ in arrival times alone, the one with the later of each."""
    latest = {
        v: max((mu[v] for mu in (one, other) if v in mu), key=term_key)
        for v in times
        if v in one or v in other
    }
    stamps = {
        stamp: max(mu.stamps[stamp] for mu in (one, other) if stamp in mu.stamps)
        for stamp in (*one.stamps, *other.stamps)
    }
    return Solution({**one, **latest}, stamps)


def by_time(bag: Iterable[Solution], times: Sequence[Variable]) -> Callable[[Solution], Any]:
    """A sort key for solutions that differ in arrival times alone: variable by variable, stream
    by stream; who has none comes first."""
    known = sorted({stamp for mu in bag for stamp in mu.stamps})

    def key(mu: Solution) -> Any:
        return [mu.stamps.get(stamp, -1) for stamp in known], [term_key(mu.get(v)) for v in times]

    return key


def bind(solution: Solution, bindings: Iterable[Binding], group: Sequence[Scope]) -> Solution:
    """`solution` with every binding that is no error: aggregates see the whole group,
    expressions its one member."""
    new: dict[Variable, Term] = {}
    for binding in bindings:
        try:
            new[binding.variable] = _value(binding.value, group)
        except ExpressionError:
            continue
    return Solution({**solution, **new}, solution.stamps)


def _value(value: Expression | Aggregate, group: Sequence[Scope]) -> Term:
    return value.apply(group) if isinstance(value, Aggregate) else value.evaluate(group[0])


@dataclass(frozen=True, slots=True)
class Descending:
    """A sort key the other way round."""

    key: Key

    def __lt__(self, other: Descending) -> bool:
        return other.key < self.key
