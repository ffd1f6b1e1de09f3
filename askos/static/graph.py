"""A static graph in memory: a set of triples as sorted numbers, in the orders queries ask for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, TypeAlias
from weakref import WeakKeyDictionary, ref

import numpy as np

from askos.columns.keys import Keys, Known, searched
from askos.columns.segments import changes, numbered
from askos.static.interning import UNBOUND, Scratch, Terms
from askos.static.table import Ids
from askos.terms import Term, Triple

Numbered: TypeAlias = tuple[int, int, int]
"""A triple of term ids."""

Links: TypeAlias = Mapping[int, list[int]]
"""From a node to its neighbours."""

NO_TRIPLES: Final = np.zeros((0, 3), np.int64)
_ORDERS: Final = {"spo": (0, 1, 2), "pos": (1, 2, 0), "osp": (2, 0, 1)}
_BEST: Final = {
    (): "spo",
    (0,): "spo",
    (0, 1): "spo",
    (0, 1, 2): "spo",
    (1,): "pos",
    (1, 2): "pos",
    (2,): "osp",
    (0, 2): "osp",
}
"""By the positions known, the order that begins with them."""


class StaticGraph:
    """A set of triples that does not change, with terms numbered.

    Triples are sorted numbers (`askos.columns.keys`): by subject, predicate and object from the
    beginning, in two more orders once they are asked for.  Then whatever is known of a triple is
    the beginning of it in one of them, so that matches lie side by side.  Space: 8 bytes for a
    triple and order.

    >>> from askos.terms import URIRef
    >>> graph = StaticGraph([Triple(URIRef("T1"), URIRef("site"), URIRef("north"))])
    >>> [str(triple) for triple in graph.triples(object=URIRef("north"))]
    ['<T1> <site> <north>']
    """

    __slots__ = ("__weakref__", "_links", "_nodes", "_sorted", "_terms", "_values")

    def __init__(
        self,
        triples: Iterable[Triple | tuple[Term, Term, Term]] = (),
        terms: Terms | None = None,
    ) -> None:
        dictionary = Terms() if terms is None else terms
        intern = dictionary.intern
        # Triple refuses what is no statement, such as a literal as subject.
        checked = (t if isinstance(t, Triple) else Triple(*t) for t in triples)  # type: ignore[arg-type]
        self._set(
            as_rows((intern(t.subject), intern(t.predicate), intern(t.object)) for t in checked),
            dictionary,
        )

    @classmethod
    def numbered(cls, rows: Ids, terms: Terms | Scratch) -> StaticGraph:
        """A graph of triples whose terms have ids in `terms` already: the rows of an array."""
        graph = cls.__new__(cls)
        graph._set(rows, terms)
        return graph

    def _set(self, rows: Ids, terms: Terms | Scratch) -> None:
        keys, numbers = Keys.of(list(rows.T), len(rows))
        numbers.sort()
        self._terms = terms
        self._sorted = {"spo": (keys, numbers[changes(numbers)])}
        self._values: dict[tuple[int, int], int] = {}
        self._links: dict[object, Links] = {}
        self._nodes: frozenset[int] | None = None

    # ---- terms --------------------------------------------------------------------------

    @property
    def terms(self) -> Terms | Scratch:
        """The dictionary of this graph's terms."""
        return self._terms

    def translated(self, terms: Scratch) -> StaticGraph:
        """The same graph with the ids of `terms`; itself where they are the same already."""
        if self._terms is terms or self._terms is terms.base:
            return self
        return StaticGraph.numbered(self.ids_in(terms), terms)

    def ids_in(self, terms: Terms | Scratch) -> Ids:
        """The triples with the ids of `terms`."""
        rows = self.ids
        if self._terms is terms:
            return rows
        used, places = np.unique(rows, return_inverse=True)
        ids = np.array([terms.intern(self._terms[number]) for number in used.tolist()], np.int64)
        return ids[places].reshape(rows.shape)

    def __len__(self) -> int:
        return len(self._sorted["spo"][1])

    def __iter__(self) -> Iterator[Triple]:
        return map(self._triple, self.ids.tolist())

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
        return iter(()) if known is None else map(self._triple, self._matching(*known).tolist())

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

    def _triple(self, triple: Sequence[int]) -> Triple:
        s, p, o = (self._terms[number] for number in triple)
        return Triple(s, p, o)  # type: ignore[arg-type]

    def _matching(self, s: int, p: int, o: int) -> Ids:
        """The triples with the ids given, UNBOUND being any, as rows."""
        known = [number or None for number in (s, p, o)]
        rows, found = self.match(known)
        free = iter(found)
        columns = [next(free) if x is None else np.full(len(rows), x) for x in known]
        return np.stack(columns, axis=1)

    # ---- numbers ------------------------------------------------------------------------

    @property
    def ids(self) -> Ids:
        """The triples as rows of three ids, in order."""
        keys, numbers = self._sorted["spo"]
        return np.stack(keys.columns(numbers), axis=1)

    @property
    def nodes(self) -> frozenset[int]:
        """Every subject and object."""
        if self._nodes is None:
            self._nodes = frozenset(np.unique(self.ids[:, [0, 2]]).tolist())
        return self._nodes

    def match(
        self, known: Sequence[Known | None], count: int = 1, within: slice | None = None
    ) -> tuple[Ids, list[Ids]]:
        """For `count` rows, of which subject, predicate and object are known or None: a row for
        each triple that matches one, and what was found at the positions not known.  Of what
        matches one row for all, only those `within` some places."""
        keys, numbers, places = self._order(known)
        fixed = [value for place in places if (value := known[place]) is not None]
        first, last = searched(numbers, keys, fixed)
        if np.ndim(first):
            rows, offset = numbered(last - first)
            matching = numbers[first[rows] + offset]
        else:  # the same for all rows
            matching = numbers[first:last][within or slice(None)]
            rows = np.repeat(np.arange(count), len(matching))
            matching = matching if count == 1 else np.tile(matching, count)
        found = keys.columns(matching, skip=len(fixed))
        free = sorted(zip(places[len(fixed) :], found, strict=True), key=lambda pair: pair[0])
        return rows, [column for _, column in free]

    def count(self, s: int = UNBOUND, p: int = UNBOUND, o: int = UNBOUND) -> int:
        """How many triples have the ids given, UNBOUND being any, without looking at them."""
        known = [number or None for number in (s, p, o)]
        keys, numbers, places = self._order(known)
        fixed = [value for place in places if (value := known[place]) is not None]
        first, last = searched(numbers, keys, fixed)
        return int(last - first)

    def values(self, position: int, predicate: int = UNBOUND) -> int:
        """How many terms occur as subject (0), predicate (1) or object (2), beside a predicate if
        one is given."""
        found = self._values.get((position, predicate))
        if found is None:
            column = np.sort(self._matching(UNBOUND, predicate, UNBOUND)[:, position])
            found = self._values[position, predicate] = int(np.count_nonzero(changes(column)))
        return found

    def links(self, predicates: Iterable[int], *, turned: bool, but: bool = False) -> Links:
        """From subjects to their objects along triples with one of these predicates, or with any
        other (`but`); from objects to subjects if `turned`."""
        chosen = frozenset(predicates)
        if (chosen, turned, but) not in self._links:
            self._links[chosen, turned, but] = self._linked(chosen, turned, but)
        return self._links[chosen, turned, but]

    def _linked(self, predicates: frozenset[int], turned: bool, but: bool) -> Links:
        if but:
            s, p, o = self.ids.T
            chosen = np.isin(p, list(predicates), invert=True)
            s, o = s[chosen], o[chosen]
        else:
            found = [self.match((None, p, None))[1] for p in predicates]
            s, o = (np.concatenate(columns) for columns in zip(*found, strict=True))
        return _grouped(o, s) if turned else _grouped(s, o)

    def _order(self, known: Sequence[Known | None]) -> tuple[Keys, Ids, tuple[int, ...]]:
        """The order that begins with the positions known: its keys, its numbers, its positions."""
        name = _BEST[tuple(place for place, value in enumerate(known) if value is not None)]
        places = _ORDERS[name]
        if name not in self._sorted:
            columns = self.ids.T
            keys, numbers = Keys.of([columns[place] for place in places], len(self))
            numbers.sort()
            self._sorted[name] = keys, numbers
        return *self._sorted[name], places


def as_rows(triples: Iterable[Numbered]) -> Ids:
    """Triples of ids as rows of an array."""
    return np.fromiter(chain.from_iterable(triples), np.int64).reshape(-1, 3)


def _grouped(nodes: Ids, others: Ids) -> Links:
    order = np.argsort(nodes, kind="stable")
    nodes, neighbours = nodes[order], others[order].tolist()
    starts = np.flatnonzero(changes(nodes)) if len(nodes) else np.zeros(0, np.int64)
    ends = [*starts[1:].tolist(), len(nodes)]
    spans = zip(starts.tolist(), ends, strict=False)
    return {n: neighbours[a:b] for n, (a, b) in zip(nodes[starts].tolist(), spans, strict=False)}


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
    return StaticGraph.numbered(np.concatenate([graph.ids_in(terms) for graph in graphs]), terms)
