"""What the triples of a graph entail with a schema that does not change: RDFS by joins.

RDF 1.1 Semantics, 9.2.1, for a triple of the graph and one of the schema:

    rdfs7      x p y, p ⊑ q           →  x q y
    rdfs2, 3   x p y, p domain c      →  x type c;  p range c  →  y type c
    rdfs9      x type c, c ⊑ d        →  x type d
    rdfs11, 5  x ⊑ c, c ⊑ d           →  x ⊑ d

Every conclusion has one premise in the graph, so the closure of a snapshot is what its triples
entail one by one, and a pattern finds it by joins with paths through the schema: hosts need
nothing new, and no window is materialised.  docs/semantics.md, "Reasoning".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from rdflib.namespace import RDFS

from askos.algebra import (
    AntiJoin,
    Call,
    Construct,
    Distinct,
    Filter,
    Join,
    Not,
    Operator,
    Path,
    Pattern,
    Project,
    Ref,
    Template,
    Union,
    Values,
)
from askos.algebra.chains import chained
from askos.algebra.operators.paths import Link, OneOrMore, PathExpression, Sequence, ZeroOrMore
from askos.algebra.operators.pattern import Position
from askos.terms import RDF, Literal, URIRef, Variable, anonymous

_SUBPROPERTY: Final = Link(RDFS.subPropertyOf)
_SUBCLASS: Final = Link(RDFS.subClassOf)
_LIFTED: Final = {
    RDF.type: _SUBCLASS,
    RDFS.subClassOf: _SUBCLASS,
    RDFS.subPropertyOf: _SUBPROPERTY,
}
"""Predicates whose objects stand for all above them, and where these are found."""
# No variable of a query, nor of its blank nodes.
_S, _P, _O, _ANY, _VERB, _CLASS = (anonymous(f"#rdfs.{name}") for name in "spoxvc")


@dataclass(frozen=True, slots=True)
class Entailment:
    """A graph that is closed under a schema; both are triples, the schema of static graphs."""

    triples: Operator
    schema: Operator

    def bag(self, s: Position, p: Position, o: Position) -> Operator:
        """ν over the closure of a bag.

        A copy of x p y is a copy of x q y, for every q above p: it is the same arrival.  What
        rdfs2, 3, 9, 5 and 11 conclude, from however many triples, is there once, unless there
        are copies of it already.
        """
        said = self._said(s, p, o)
        concluded = list(self._concluded(s, p, o))
        if not concluded:
            return said
        return Union(said, AntiJoin(Distinct(_union(concluded)), said))

    def set(self, s: Position, p: Position, o: Position) -> Operator:
        """ν over the closure, every solution once."""
        return Distinct(_union([self._said(s, p, o), *self._concluded(s, p, o)]))

    def graph(self, predicates: Iterable[URIRef] | None = None) -> Operator:
        """The closure as triples, a set: what paths and DESCRIBE walk through; of triples with
        these predicates alone, where no others count."""
        if predicates is not None:
            made = (Construct((Template(_S, p, _O),), self.set(_S, p, _O)) for p in predicates)
            return _union(made)
        derived = _union([self._broader(_S, _P, _O), *self._concluded(_S, _P, _O)])
        return Distinct(Union(self.triples, Construct((Template(_S, _P, _O),), derived)))

    # ---- rdfs7 ------------------------------------------------------------------------------

    def _said(self, s: Position, p: Position, o: Position) -> Operator:
        """Triples as they are, and under broader properties; copies stay copies."""
        if isinstance(p, Variable):
            return Union(Pattern(s, p, o, self.triples), self._broader(s, p, o))
        return _only((s, o), Join(*self._under(s, p, o)))

    def _under(self, s: Position, p: Position, o: Position) -> tuple[Operator, Operator]:
        """x ?v y, and the properties ?v ⊑* p, each once."""
        above = self._walk(_VERB, ZeroOrMore(_SUBPROPERTY), p)
        return Pattern(s, _VERB, o, self.triples), above

    def _broader(self, s: Position, p: Variable, o: Position) -> Operator:
        """x ?v y under every other property ?p above ?v that can be one."""
        other = Not(Call("SAMETERM", (Ref(_VERB), Ref(p))))
        above: Operator = self._walk(_VERB, OneOrMore(_SUBPROPERTY), p)
        above = Filter(Call("ISIRI", (Ref(p),)), Filter(other, above))
        return _only((s, p, o), Join(Pattern(s, _VERB, o, self.triples), above))

    # ---- rdfs2, 3, 9, 5, 11 ---------------------------------------------------------------------

    def _concluded(self, s: Position, p: Position, o: Position) -> Iterator[Operator]:
        """The ways to conclude s p o, which may overlap."""
        if isinstance(p, Variable):
            for verb in _LIFTED:
                said = Values((p,), ((verb,),))
                yield from (Join(way, said) for way in self._concluded(s, verb, o))
            return
        if p not in _LIFTED:
            return
        assert isinstance(p, URIRef)
        lifted = self._walk(_CLASS, OneOrMore(_LIFTED[p]), o)
        yield _only((s, o), Join(Join(*self._under(s, p, _CLASS)), lifted))
        if p == RDF.type:
            yield self._typed(RDFS.domain, Pattern(s, _VERB, _ANY, self.triples), s, o)
        if p == RDF.type and not isinstance(s, Literal):
            uses: Operator = Pattern(_ANY, _VERB, s, self.triples)
            if isinstance(s, Variable):
                uses = Filter(Not(Call("ISLITERAL", (Ref(s),))), uses)
            yield self._typed(RDFS.range, uses, s, o)

    def _typed(self, means: URIRef, uses: Operator, s: Position, o: Position) -> Operator:
        """s type o, since a property above ?v, which it is used with, `means` a class below o."""
        path = Sequence(ZeroOrMore(_SUBPROPERTY), Link(means))
        kinds = self._walk(_VERB, Sequence(path, ZeroOrMore(_SUBCLASS)), o)
        return _only((s, o), Join(uses, kinds))

    def _walk(self, start: Position, path: PathExpression, end: Position) -> Operator:
        return Path(start, path, end, self.schema)


def _only(positions: Iterable[Position], plan: Operator) -> Operator:
    """The solutions of `plan` without what is only there to find them."""
    columns = dict.fromkeys(p for p in positions if isinstance(p, Variable))
    return Project(tuple(columns), plan)


def _union(plans: Iterable[Operator]) -> Operator:
    return chained(Union, plans)
