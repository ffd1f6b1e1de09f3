"""Property paths on one snapshot (SPARQL 1.1, 18.4 and 18.5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from askos.algebra.operators.path import Path
from askos.algebra.operators.paths import (
    Alternative,
    Inverse,
    Link,
    Negated,
    OneOrMore,
    PathExpression,
    Sequence,
    ZeroOrMore,
    ZeroOrOne,
)
from askos.terms import Solution, Term, Triple, Variable


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The bag of triples a path runs over."""

    triples: tuple[Triple, ...]

    @property
    def nodes(self) -> set[Term]:
        """Every subject and object."""
        return {node for triple in self.triples for node in (triple.subject, triple.object)}


def solutions(plan: Path, triples: Iterable[Triple]) -> Counter[Solution]:
    """The bag of solutions of `subject path object`."""
    graph = Snapshot(tuple(triples))
    found: Counter[Solution] = Counter()
    for (start, end), n in _pairs(plan, graph):
        bindings: dict[Variable, Term] = {}
        for position, term in ((plan.subject, start), (plan.object, end)):
            if isinstance(position, Variable):
                bindings.setdefault(position, term)
        if all(
            bindings[p] == term if isinstance(p, Variable) else p == term
            for p, term in ((plan.subject, start), (plan.object, end))
        ):
            found[Solution(bindings)] += n
    return found


def _pairs(plan: Path, graph: Snapshot) -> Iterator[tuple[tuple[Term, Term], int]]:
    """Start and end of each walk, from whichever end is given; else from every node."""
    if isinstance(plan.subject, Variable) and not isinstance(plan.object, Variable):
        for start, n in walk(Inverse(plan.path), plan.object, graph).items():
            yield (start, plan.object), n
        return
    starts = graph.nodes if isinstance(plan.subject, Variable) else {plan.subject}
    for start in starts:
        for end, n in walk(plan.path, start, graph).items():
            yield (start, end), n


def walk(path: PathExpression, start: Term, graph: Snapshot) -> Counter[Term]:
    """Where the path leads from `start`, and in how many ways."""
    match path:
        case Link(predicate):
            return Counter(
                t.object for t in graph.triples if t.subject == start and t.predicate == predicate
            )
        case Inverse(inner):
            return _backwards(inner, start, graph)
        case Sequence(left, right):
            ends: Counter[Term] = Counter()
            for middle, n in walk(left, start, graph).items():
                for end, m in walk(right, middle, graph).items():
                    ends[end] += n * m
            return ends
        case Alternative(left, right):
            return walk(left, start, graph) + walk(right, start, graph)
        case ZeroOrOne(inner):
            return Counter({start} | set(walk(inner, start, graph)))
        case ZeroOrMore(inner):
            return Counter(_closure(inner, {start}, graph))
        case OneOrMore(inner):
            return Counter(_closure(inner, set(walk(inner, start, graph)), graph))
        case Negated():
            return _negated(path, start, graph)
    raise TypeError(f"{type(path).__name__} has no walk")


def _backwards(path: PathExpression, start: Term, graph: Snapshot) -> Counter[Term]:
    """^path, pushed inwards until it turns single triples around."""
    match path:
        case Link(predicate):
            return Counter(
                t.subject for t in graph.triples if t.object == start and t.predicate == predicate
            )
        case Inverse(inner):
            return walk(inner, start, graph)
        case Sequence(left, right):
            return walk(Sequence(Inverse(right), Inverse(left)), start, graph)
        case Alternative(left, right):
            return walk(Alternative(Inverse(left), Inverse(right)), start, graph)
        case ZeroOrOne(inner) | ZeroOrMore(inner) | OneOrMore(inner):
            return walk(type(path)(Inverse(inner)), start, graph)
    assert isinstance(path, Negated)
    forward = [t for t in graph.triples if t.object == start and _goes(path, t)]
    backward = [t for t in graph.triples if t.subject == start and _returns(path, t)]
    return Counter([t.subject for t in forward] + [t.object for t in backward])


def _negated(path: Negated, start: Term, graph: Snapshot) -> Counter[Term]:
    forward = [t for t in graph.triples if t.subject == start and _goes(path, t)]
    backward = [t for t in graph.triples if t.object == start and _returns(path, t)]
    return Counter([t.object for t in forward] + [t.subject for t in backward])


def _goes(path: Negated, triple: Triple) -> bool:
    written = bool(path.forward) or not path.backward
    return written and triple.predicate not in path.forward


def _returns(path: Negated, triple: Triple) -> bool:
    return bool(path.backward) and triple.predicate not in path.backward


def _closure(path: PathExpression, start: set[Term], graph: Snapshot) -> set[Term]:
    """Everything reachable in zero or more steps."""
    reached, frontier = set(start), list(start)
    while frontier:
        for end in walk(path, frontier.pop(), graph):
            if end not in reached:
                reached.add(end)
                frontier.append(end)
    return reached
