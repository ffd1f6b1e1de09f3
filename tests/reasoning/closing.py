"""Two judges of reasoning: the closure by its rules, and a query over closed snapshots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from rdflib.namespace import RDFS

from askos.algebra import (
    Bag,
    Describe,
    EmptyGraph,
    GraphAccess,
    Operator,
    Path,
    Pattern,
    Payload,
    Union,
    Window,
)
from askos.algebra.reference import Streams, entailed, evaluate
from askos.terms import RDF, Literal, Triple, URIRef

TYPE, SUBCLASS, SUBPROPERTY = RDF.type, RDFS.subClassOf, RDFS.subPropertyOf
DOMAIN, RANGE = RDFS.domain, RDFS.range


# ---- the rules, until nothing is new ---------------------------------------------------------


def fixpoint(graph: Iterable[Triple], schema: Collection[Triple]) -> set[Triple]:
    """The least set that has `graph` and obeys rdfs2, 3, 5, 7, 9 and 11, each with one premise
    in the set and one in the schema, which is transitive first."""
    known = {t for t in schema if t.predicate in (SUBCLASS, SUBPROPERTY, DOMAIN, RANGE)}
    while not (new := set(_transitive(known))) <= known:
        known |= new
    closed = set(graph)
    while not (new := set(_derived(closed, known))) <= closed:
        closed |= new
    return closed


def _transitive(schema: set[Triple]) -> Iterator[Triple]:
    for one in schema:
        for other in schema:
            chained = one.predicate == other.predicate and one.object == other.subject
            if chained and one.predicate in (SUBCLASS, SUBPROPERTY):
                yield replace_object(one, other)


def _derived(graph: set[Triple], schema: set[Triple]) -> Iterator[Triple]:
    for t in graph:
        for s in schema:
            match s.predicate:
                case RDFS.subPropertyOf if t.predicate == s.subject:
                    if isinstance(s.object, URIRef):
                        yield Triple(t.subject, s.object, t.object)
                case RDFS.domain if t.predicate == s.subject:
                    yield Triple(t.subject, TYPE, s.object)
                case RDFS.range if t.predicate == s.subject:
                    if not isinstance(t.object, Literal):
                        yield Triple(t.object, TYPE, s.object)
            if t.object == s.subject:
                lifted = s.predicate == SUBCLASS and t.predicate in (TYPE, SUBCLASS)
                if lifted or s.predicate == t.predicate == SUBPROPERTY:
                    yield replace_object(t, s)


def replace_object(triple: Triple, other: Triple) -> Triple:
    return Triple(triple.subject, triple.predicate, other.object)


# ---- a query over closed snapshots -----------------------------------------------------------


def over_closure(plan: Operator, streams: Streams, schema: Collection[Triple], at: int) -> Bag:
    """What `plan`, made without reasoning, says at an instant, if all that its patterns read is
    closed first; what its paths and DESCRIBE read, as a set."""
    closing = _Closing(streams, schema, at)
    return evaluate(plan.transform(_lowered).transform(closing), closing.data, at)


def _lowered(plan: Operator) -> Operator:
    """ω(ν(A)) = ν(ω(A)), for windows on time."""
    match plan:
        case Window(input=Pattern(input=raw) as matched):
            return replace(matched, input=replace(plan, input=raw))
    return plan


@dataclass
class _Closing:
    """Puts graphs of closed triples where patterns and paths read; a bag is several graphs."""

    streams: Streams
    schema: Collection[Triple]
    at: int
    graphs: dict[URIRef, list[Triple]] = field(default_factory=dict)

    @property
    def data(self) -> Streams:
        return {**self.streams, **self.graphs}

    def __call__(self, plan: Operator) -> Operator:
        match plan:
            case Pattern(input=graph):
                return replace(plan, input=self._graph(self._closed(graph)))
            case Path(input=graph):
                return replace(plan, input=self._graph(Counter({*self._closed(graph)})))
            case Describe(graph=graph):
                return replace(plan, graph=self._graph(Counter({*self._closed(graph)})))
        return plan

    def _closed(self, graph: Operator) -> Counter[Triple]:
        assert graph.payload is Payload.TRIPLE
        content = evaluate(graph, self.streams, self.at)
        found = Counter({t: n for t, n in content.items() if isinstance(t, Triple)})
        return entailed(found, self.schema)

    def _graph(self, triples: Counter[Triple]) -> Operator:
        whole: Operator = EmptyGraph()
        for copy in range(max(triples.values(), default=0)):
            name = URIRef(f"urn:closed:{len(self.graphs)}")
            self.graphs[name] = [triple for triple, copies in triples.items() if copies > copy]
            whole = Union(whole, GraphAccess(name))
        return whole
