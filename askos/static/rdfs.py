"""RDFS entailment: what a graph says through its classes and properties.

RDF 1.1 Semantics, 9.2.1, the rules about subclass, subproperty, domain and range:

    rdfs2   p domain c, x p y                   →  x type c
    rdfs3   p range c, x p y                    →  y type c
    rdfs5   p subPropertyOf q, q subPropertyOf r →  p subPropertyOf r
    rdfs7   p subPropertyOf q, x p y            →  x q y
    rdfs9   c subClassOf d, x type c            →  x type d
    rdfs11  c subClassOf d, d subClassOf e      →  c subClassOf e

Neither axioms nor what holds of every term (rdfs1, 4, 6, 8, 10, 12, 13): no query about data
asks for them, and they would drown it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from rdflib.namespace import RDFS

from askos.static.graph import Numbered, StaticGraph, as_rows
from askos.static.interning import Scratch, Terms
from askos.terms import RDF, Literal, URIRef

_Pairs: TypeAlias = defaultdict[int, set[int]]


def rdfs(graph: StaticGraph) -> StaticGraph:
    """`graph` and all that the rules above derive from it, in the same dictionary.

    Semi-naive: each triple, given or derived, meets once those that came before it.  Time and
    space are linear in the result.
    """
    closure = _Closure(graph.terms)
    s, p, o = graph.ids.T.tolist()
    closure.add(zip(s, p, o, strict=True))
    return StaticGraph.numbered(as_rows(closure.triples), graph.terms)


class _Closure:
    """A growing set of triples, closed under the rules whenever `add` returns."""

    def __init__(self, terms: Terms | Scratch) -> None:
        self._terms = terms
        names = (RDF.type, RDFS.subClassOf, RDFS.subPropertyOf, RDFS.domain, RDFS.range)
        self._type, self._subclass, self._subproperty, self._domain, self._range = map(
            terms.intern, names
        )
        self.triples: set[Numbered] = set()
        self._above: dict[int, _Pairs] = {name: defaultdict(set) for name in self._schema}
        self._below: dict[int, _Pairs] = {name: defaultdict(set) for name in self._schema}
        self._uses: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._members: defaultdict[int, list[int]] = defaultdict(list)

    @property
    def _schema(self) -> tuple[int, ...]:
        return self._subclass, self._subproperty, self._domain, self._range

    def add(self, triples: Iterable[Numbered]) -> None:
        """Add triples, and what follows from them and those known."""
        # The schema last on the stack, so first: then most triples meet it complete.
        todo = sorted(triples, key=lambda triple: triple[1] in self._schema)
        while todo:
            triple = todo.pop()
            if triple not in self.triples:
                self.triples.add(triple)
                s, p, o = triple
                self._uses[p].append((s, o))
                todo += self._from_use(s, p, o)
                if p == self._type:
                    self._members[o].append(s)
                    todo += [(s, p, above) for above in self._above[self._subclass][o]]
                elif p in self._schema:
                    self._above[p][s].add(o)
                    self._below[p][o].add(s)
                    todo += self._from_schema(s, p, o)

    def _from_use(self, s: int, p: int, o: int) -> Iterator[Numbered]:
        """rdfs7, rdfs2 and rdfs3 for a triple, by the schema known."""
        for above in self._above[self._subproperty].get(p, ()):
            if self._is_property(above):
                yield s, above, o
        for kind in self._above[self._domain].get(p, ()):
            yield s, self._type, kind
        for kind in self._above[self._range].get(p, ()):
            if not self._is_literal(o):
                yield o, self._type, kind

    def _from_schema(self, s: int, p: int, o: int) -> Iterator[Numbered]:
        """What a new triple of the schema makes of the triples known."""
        if p in (self._subclass, self._subproperty):  # rdfs11, rdfs5
            yield from ((s, p, above) for above in self._above[p].get(o, ()))
            yield from ((below, p, o) for below in self._below[p].get(s, ()))
        if p == self._subclass:  # rdfs9
            yield from ((x, self._type, o) for x in self._members.get(s, ()))
        elif p == self._subproperty and self._is_property(o):  # rdfs7
            yield from ((x, o, y) for x, y in self._uses.get(s, ()))
        elif p == self._domain:  # rdfs2
            yield from ((x, self._type, o) for x, _ in self._uses.get(s, ()))
        elif p == self._range:  # rdfs3
            nodes = (y for _, y in self._uses.get(s, ()))
            yield from ((y, self._type, o) for y in nodes if not self._is_literal(y))

    def _is_property(self, number: int) -> bool:
        """Whether a term can be a predicate; else rdfs7 would make what is no triple."""
        return isinstance(self._terms[number], URIRef)

    def _is_literal(self, number: int) -> bool:
        return isinstance(self._terms[number], Literal)
