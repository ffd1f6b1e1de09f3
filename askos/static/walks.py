"""Property paths by breadth-first search through the links of graphs (SPARQL 1.1, 18.4 and 18.5).

Node by node, in dictionaries, unlike joins: a walk is as long as it happens to be, and a wave of
a long chain is one node, for which a dictionary takes a tenth of the time of an array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from askos.algebra.chains import members
from askos.algebra.operators import paths
from askos.algebra.operators.paths import (
    Alternative,
    Inverse,
    Link,
    Negated,
    OneOrMore,
    PathExpression,
    ZeroOrMore,
    ZeroOrOne,
)
from askos.static.graph import Links, StaticGraph
from askos.static.interning import Scratch
from askos.terms import URIRef

Step: TypeAlias = Callable[[int], Iterable[int]]
"""From a node to where a path leads, each end as often as there are ways."""

_SMALL: Final = 256
_REMEMBERED: Final = 1_000_000
"""Members of closures kept per path, of small closures only: those of classes, say, are asked
for again and again, while those of a long chain would fill the memory."""


class Walks:
    """A path over some graphs, ready to be walked from either end."""

    def __init__(self, path: PathExpression, graphs: Sequence[StaticGraph], terms: Scratch) -> None:
        self._path = path
        self._graphs = tuple(graphs)
        self._terms = terms

    @cached_property
    def forward(self) -> Step:
        """From a start to the ends."""
        return self._step(self._path, False)

    @cached_property
    def backward(self) -> Step:
        """From an end to the starts."""
        return self._step(self._path, True)

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Every subject and object."""
        return frozenset().union(*(graph.nodes for graph in self._graphs))

    @cached_property
    def starts(self) -> Iterable[int]:
        """The nodes from which the path may lead anywhere."""
        return self._starts(self._path, False)

    def _starts(self, path: PathExpression, turned: bool) -> frozenset[int]:
        match path:
            case Link(predicate):
                tables = self._links(predicate, turned)
                return frozenset().union(*tables)
            case Inverse(inner):
                return self._starts(inner, not turned)
            case paths.Sequence():
                parts = members(path, paths.Sequence)
                return self._starts(parts[-1] if turned else parts[0], turned)
            case Alternative():
                return frozenset().union(
                    *(self._starts(p, turned) for p in members(path, Alternative))
                )
            case OneOrMore(inner):
                return self._starts(inner, turned)
        return self.nodes

    # ---- steps --------------------------------------------------------------------------

    def _step(self, path: PathExpression, turned: bool) -> Step:
        match path:
            case Link(predicate):
                return _union([_lookup(table) for table in self._links(predicate, turned)])
            case Inverse(inner):
                return self._step(inner, not turned)
            case paths.Sequence():
                steps = [self._step(part, turned) for part in members(path, paths.Sequence)]
                return _chain(steps[::-1] if turned else steps)
            case Alternative():
                return _union([self._step(part, turned) for part in members(path, Alternative)])
            case ZeroOrOne(inner):
                once = self._step(inner, turned)
                return lambda node: {node, *once(node)}
            case ZeroOrMore(inner):
                return _closure(self._step(inner, turned), True)
            case OneOrMore(inner):
                return _closure(self._step(inner, turned), False)
            case Negated(forward, backward):
                return self._negated(forward, backward, turned)
        raise TypeError(f"{type(path).__name__} has no walk")

    def _links(self, predicate: URIRef, turned: bool) -> list[Links]:
        number = self._terms.intern(predicate)
        return [graph.links([number], turned=turned) for graph in self._graphs]

    def _negated(self, forward: Iterable[URIRef], backward: Iterable[URIRef], turned: bool) -> Step:
        """Forward triples take part if any was written or nothing was, backward if any was."""
        goes = {self._terms.intern(iri) for iri in forward}
        returns = {self._terms.intern(iri) for iri in backward}
        steps = list[Step]()
        for graph in self._graphs:
            if goes or not returns:
                steps.append(_lookup(graph.links(goes, turned=turned, but=True)))
            if returns:
                steps.append(_lookup(graph.links(returns, turned=not turned, but=True)))
        return _union(steps)


def _lookup(table: Links) -> Step:
    return lambda node: table.get(node, ())


def _union(steps: Sequence[Step]) -> Step:
    if len(steps) == 1:
        return steps[0]
    return lambda node: [end for step in steps for end in step(node)]


def _chain(steps: Sequence[Step]) -> Step:
    def walk(node: int) -> list[int]:
        reached = [node]
        for step in steps:
            reached = [end for middle in reached for end in step(middle)]
        return reached

    return walk


def _closure(step: Step, reflexive: bool) -> Step:
    known: dict[int, set[int]] = {}
    room = _REMEMBERED

    def walk(node: int) -> set[int]:
        nonlocal room
        reached = known.get(node)
        if reached is None:
            reached = _reached(step, {node} if reflexive else set(step(node)))
            if len(reached) <= min(_SMALL, room):
                known[node] = reached
                room -= len(reached)
        return reached

    return walk


def _reached(step: Step, start: set[int]) -> set[int]:
    """Everything reachable in zero or more steps."""
    reached, frontier = set(start), list(start)
    while frontier:
        fresh = set(step(frontier.pop())) - reached
        reached |= fresh
        frontier += fresh
    return reached
