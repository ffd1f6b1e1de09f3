"""A static graph in memory: a set of triples, indexed as queries ask for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary, ref

from askos.static.interning import UNBOUND, Scratch, Terms
from askos.terms import Term, Triple

Row: TypeAlias = tuple[int, ...]
Numbered: TypeAlias = tuple[int, int, int]
"""A triple of term ids."""

Index: TypeAlias = Mapping[int, Mapping[int, list[int]]]
"""First term, second term, and the third terms beside them."""

_ORDERS: Final = {"spo": (0, 1, 2), "pso": (1, 0, 2), "pos": (1, 2, 0), "osp": (2, 0, 1)}


class StaticGraph:
    """A set of triples that does not change, with terms numbered and indexes built when needed.

    An index is built on first use, in one pass; after that a match costs what it yields, and a
    count costs two look-ups.

    >>> from askos.terms import URIRef
    >>> graph = StaticGraph([Triple(URIRef("T1"), URIRef("site"), URIRef("north"))])
    >>> [str(triple) for triple in graph.triples(object=URIRef("north"))]
    ['<T1> <site> <north>']
    """

    __slots__ = ("__weakref__", "_indexes", "_nodes", "_sizes", "_terms", "_triples")

    def __init__(
        self,
        triples: Iterable[Triple | tuple[Term, Term, Term]] = (),
        terms: Terms | None = None,
    ) -> None:
        self._terms: Terms | Scratch = Terms() if terms is None else terms
        intern = self._terms.intern
        # Triple refuses what is no statement, such as a literal as subject.
        checked = (t if isinstance(t, Triple) else Triple(*t) for t in triples)  # type: ignore[arg-type]
        self._triples: frozenset[Numbered] = frozenset(
            (intern(t.subject), intern(t.predicate), intern(t.object)) for t in checked
        )
        self._indexes: dict[str, Index] = {}
        self._sizes: dict[str, Mapping[int, int]] = {}
        self._nodes: frozenset[int] | None = None

    @classmethod
    def numbered(cls, triples: Iterable[Numbered], terms: Terms | Scratch) -> StaticGraph:
        """A graph of triples whose terms have ids in `terms` already."""
        graph = cls()
        graph._terms = terms
        graph._triples = frozenset(triples)
        return graph

    # ---- terms --------------------------------------------------------------------------

    @property
    def terms(self) -> Terms | Scratch:
        """The dictionary of this graph's terms."""
        return self._terms

    def translated(self, terms: Scratch) -> StaticGraph:
        """The same graph with the ids of `terms`; itself where they are the same already."""
        if self._terms is terms or self._terms is terms.base:
            return self
        used = {number for triple in self._triples for number in triple}
        ids = {number: terms.intern(self._terms[number]) for number in used}
        return StaticGraph.numbered(((ids[s], ids[p], ids[o]) for s, p, o in self._triples), terms)

    def __len__(self) -> int:
        return len(self._triples)

    def __iter__(self) -> Iterator[Triple]:
        return map(self._triple, self._triples)

    def __contains__(self, triple: object) -> bool:
        return isinstance(triple, Triple) and any(self.triples(*triple))

    def __repr__(self) -> str:
        return f"StaticGraph of {len(self)} triples"

    def triples(
        self,
        subject: Term | None = None,
        predicate: Term | None = None,
        object: Term | None = None,
    ) -> Iterator[Triple]:
        """The triples with the terms given; None is any."""
        known = self._known(subject, predicate, object)
        return iter(()) if known is None else map(self._triple, self.match(*known))

    def size(
        self,
        subject: Term | None = None,
        predicate: Term | None = None,
        object: Term | None = None,
    ) -> int:
        """How many triples have the terms given, without looking at them."""
        known = self._known(subject, predicate, object)
        return 0 if known is None else self.count(*known)

    def _known(self, *terms: Term | None) -> list[int] | None:
        """The ids of terms; None where one of them has none."""
        known = [UNBOUND if term is None else self._find(term) for term in terms]
        return None if None in known else [number or UNBOUND for number in known]

    def _find(self, term: Term) -> int | None:
        if isinstance(self._terms, Scratch):
            return self._terms.intern(term)
        return self._terms.find(term) or None

    def _triple(self, triple: Numbered) -> Triple:
        s, p, o = (self._terms[number] for number in triple)
        return Triple(s, p, o)  # type: ignore[arg-type]

    # ---- numbers ------------------------------------------------------------------------

    @property
    def ids(self) -> frozenset[Numbered]:
        """The triples as ids."""
        return self._triples

    @property
    def nodes(self) -> frozenset[int]:
        """Every subject and object."""
        if self._nodes is None:
            self._nodes = frozenset(self.index("spo")) | frozenset(self.index("osp"))
        return self._nodes

    def index(self, order: str) -> Index:
        """The triples by first, then second term of `order`: spo, pso, pos or osp."""
        built = self._indexes.get(order)
        if built is None:
            built = self._indexes[order] = _nested(self._triples, *_ORDERS[order])
        return built

    def match(self, s: int = UNBOUND, p: int = UNBOUND, o: int = UNBOUND) -> Iterable[Numbered]:
        """The triples with the ids given; UNBOUND is any."""
        match bool(s), bool(p), bool(o):
            case True, True, True:
                return [(s, p, o)] if (s, p, o) in self._triples else []
            case True, True, False:
                return [(s, p, x) for x in self.index("pso").get(p, {}).get(s, ())]
            case False, True, True:
                return [(x, p, o) for x in self.index("pos").get(p, {}).get(o, ())]
            case True, False, True:
                return [(s, x, o) for x in self.index("osp").get(o, {}).get(s, ())]
            case True, False, False:
                return [(s, x, y) for x, ys in self.index("spo").get(s, {}).items() for y in ys]
            case False, True, False:
                return [(x, p, y) for x, ys in self.index("pso").get(p, {}).items() for y in ys]
            case False, False, True:
                return [(x, y, o) for x, ys in self.index("osp").get(o, {}).items() for y in ys]
        return self._triples

    def count(self, s: int = UNBOUND, p: int = UNBOUND, o: int = UNBOUND) -> int:
        """How many triples `match` yields, without looking at them."""
        match bool(s), bool(p), bool(o):
            case True, True, True:
                return int((s, p, o) in self._triples)
            case True, True, False:
                return len(self.index("pso").get(p, {}).get(s, ()))
            case False, True, True:
                return len(self.index("pos").get(p, {}).get(o, ()))
            case True, False, True:
                return len(self.index("osp").get(o, {}).get(s, ()))
            case True, False, False:
                return self._size("spo").get(s, 0)
            case False, True, False:
                return self._size("pso").get(p, 0)
            case False, False, True:
                return self._size("osp").get(o, 0)
        return len(self._triples)

    def _size(self, order: str) -> Mapping[int, int]:
        """Per first term of an index, how many triples have it."""
        sizes = self._sizes.get(order)
        if sizes is None:
            index = self.index(order)
            sizes = {first: sum(map(len, inner.values())) for first, inner in index.items()}
            self._sizes[order] = sizes
        return sizes


def merge(*graphs: StaticGraph) -> StaticGraph:
    """The union of graphs as one set of triples, in the dictionary of the first.

    The last union that begins with a graph is kept as long as that graph: the same graphs merged
    again are the same union, with the indexes it has by then.

    >>> one, two = StaticGraph(), StaticGraph()
    >>> merge(one, two) is merge(one, two)
    True
    """
    if not graphs:
        return StaticGraph()
    first, *others = graphs
    if not others:
        return first
    beside = tuple(map(ref, others))
    known, union = _UNIONS.get(first, ((), first))
    if known != beside:
        union = _merged(graphs)
        _UNIONS[first] = beside, union
    return union


_UNIONS: Final[WeakKeyDictionary[StaticGraph, tuple[tuple[ref[StaticGraph], ...], StaticGraph]]] = (
    WeakKeyDictionary()
)


def _merged(graphs: Sequence[StaticGraph]) -> StaticGraph:
    terms = graphs[0].terms
    triples = set[Numbered]()
    for graph in graphs:
        if graph.terms is terms:
            triples |= graph.ids
        else:
            triples.update(tuple(terms.intern(term) for term in triple) for triple in graph)  # type: ignore[misc]
    return StaticGraph.numbered(triples, terms)


def _nested(triples: Iterable[Numbered], first: int, second: int, third: int) -> Index:
    index: dict[int, dict[int, list[int]]] = {}
    for triple in triples:
        inner = index.get(triple[first])
        if inner is None:
            index[triple[first]] = {triple[second]: [triple[third]]}
        elif triple[second] in inner:
            inner[triple[second]].append(triple[third])
        else:
            inner[triple[second]] = [triple[third]]
    return index
