"""RDFS on one snapshot: what its triples entail with a schema, by looking at every pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from rdflib.namespace import RDFS

from askos.terms import RDF, Literal, Term, Triple, URIRef


def entailed(bag: Counter[Triple], schema: Iterable[Triple]) -> Counter[Triple]:
    """The closure of a snapshot under a schema (docs/semantics.md, "Reasoning").

    A copy of x p y is a copy of x q y for every q above p.  What follows of types, subclasses and
    subproperties is there once, unless it is said.

    >>> power, tag, turbine = URIRef("power"), URIRef("tag"), URIRef("Turbine")
    >>> schema = [Triple(tag, RDFS.subPropertyOf, power), Triple(power, RDFS.domain, turbine)]
    >>> reading = Triple(URIRef("T1"), tag, Literal("7"))
    >>> closed = entailed(Counter({reading: 2}), schema)
    >>> for triple, copies in sorted(closed.items(), key=str):
    ...     print(copies, triple)
    1 <T1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <Turbine>
    2 <T1> <power> "7"
    2 <T1> <tag> "7"
    """
    known = set(schema)
    said: Counter[Triple] = Counter()
    for triple, copies in bag.items():
        for verb in _above(triple.predicate, RDFS.subPropertyOf, known):
            if isinstance(verb, URIRef):
                said[Triple(triple.subject, verb, triple.object)] += copies
    concluded = {new for triple in said for new in _concluded(triple, known)}
    return said + Counter(concluded - said.keys())


def _concluded(triple: Triple, schema: set[Triple]) -> Iterator[Triple]:
    """What a triple, under whatever property it is said, makes of its ends."""
    x, p, y = triple.subject, triple.predicate, triple.object
    for means, node in ((RDFS.domain, x), (RDFS.range, y)):
        kinds = {s.object for s in schema if s.subject == p and s.predicate == means}
        for kind in (above for c in kinds for above in _above(c, RDFS.subClassOf, schema)):
            if not isinstance(node, Literal):
                yield Triple(node, RDF.type, kind)
    if p in (RDF.type, RDFS.subClassOf):
        yield from (Triple(x, p, c) for c in _above(y, RDFS.subClassOf, schema))
    if p == RDFS.subPropertyOf:
        yield from (Triple(x, p, q) for q in _above(y, RDFS.subPropertyOf, schema))


def _above(term: Term, predicate: URIRef, schema: set[Triple]) -> set[Term]:
    """The term, and whatever is above it."""
    reached: set[Term] = {term}
    while True:
        found = {s.object for s in schema if s.predicate == predicate and s.subject in reached}
        if found <= reached:
            return reached
        reached |= found
