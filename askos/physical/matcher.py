"""Which patterns a triple is given to: all of them, or those that have its constant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, Protocol

import numpy as np

from askos.algebra import Pattern
from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.ids import Ids
from askos.physical.fragment import Line
from askos.physical.plan import Feed
from askos.terms import Term, Variable

_FIRST: Final = (1, 0, 2)  # the places that tell most patterns apart: predicate, subject, object


class Matcher(Protocol):
    """Gives arrivals of a stream to the lines that read it."""

    def feed(self, triples: Batch) -> Iterator[tuple[int, Batch]]:
        """What arrivals become at each port."""
        ...


class SimpleMatcher:
    """Every line looks at every triple.

    Groppe et al., section 5.1, the simple pattern matcher.  Cost: patterns times triples.
    """

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = tuple(lines)

    def feed(self, triples: Batch) -> Iterator[tuple[int, Batch]]:
        for line in self._lines:
            yield from _entering(line, triples)


class HashMatcher:
    """A triple is looked up among the constants of all patterns, and given to those that have one.

    Groppe et al., section 5.1, the hash pattern matcher.  Departures: they hash all constants of a
    pattern together, and look a triple up once for each combination of places; we take one constant
    a pattern, its predicate if it has one, and the pattern tests the others.  And it takes a batch
    at a time: ids are looked up in a sorted column of the constants.

    Cost: a binary search among the constants for each triple, and what matches.
    """

    def __init__(self, lines: Iterable[Line], coder: Coder) -> None:
        self._others: list[Line] = []  # whose patterns have no constant
        found: dict[Variable, list[tuple[Term, Line]]] = {}
        for line in lines:
            constant = _constant(line.feed)
            if constant is None:
                self._others.append(line)
            else:
                place, term = constant
                found.setdefault(place, []).append((term, line))
        self._places = {place: _Place(terms, coder) for place, terms in found.items()}

    def feed(self, triples: Batch) -> Iterator[tuple[int, Batch]]:
        for line in self._others:
            yield from _entering(line, triples)
        for place, known in self._places.items():
            for lines, rows in known.found(triples.column(place)):
                mine = triples.take(rows)
                for line in lines:
                    yield from _entering(line, mine)


class _Place:
    """The constants at one place of patterns, and the lines of each: by id, so that lines whose
    constants share one both look at a triple, and tell."""

    def __init__(self, lines: Sequence[tuple[Term, Line]], coder: Coder) -> None:
        ids, _ = coder.terms([term for term, _ in lines])
        self._ids, places = np.unique(ids, return_inverse=True)
        self._narrow = np.min_scalar_type(len(self._ids))  # numpy sorts these by radix
        self._lines: list[list[Line]] = [[] for _ in self._ids]
        for place, (_, line) in zip(places.tolist(), lines, strict=True):
            self._lines[place].append(line)

    def found(self, ids: Ids) -> Iterator[tuple[Sequence[Line], Ids]]:
        """The lines that look for some of the ids, and the rows of these, in their order."""
        places = self._ids.searchsorted(ids)
        rows = np.flatnonzero(self._ids.take(places, mode="clip") == ids)
        places = places[rows].astype(self._narrow)
        order = np.argsort(places, kind="stable")
        places, rows = places[order], rows[order]
        begins = np.flatnonzero(np.append(True, places[1:] != places[:-1])[: len(rows)])
        for begin, end in pairwise([*begins.tolist(), len(rows)]):
            yield self._lines[int(places[begin])], rows[begin:end]


def _constant(feed: Feed) -> tuple[Variable, Term] | None:
    """A constant of the pattern of a line, and its place."""
    pattern = next((node for node in feed.line if isinstance(node, Pattern)), None)
    positions = pattern.positions if pattern is not None else ()
    for place in _FIRST if positions else ():
        term = positions[place]
        if not isinstance(term, Variable):
            return TRIPLE[place], term
    return None


def _entering(line: Line, triples: Batch) -> Iterator[tuple[int, Batch]]:
    batch = line.process(triples)
    if len(batch):
        for port in line.ports:
            yield port, batch


def matcher(lines: Iterable[Line], coder: Coder, *, hashed: bool) -> Matcher:
    """As a plan has chosen."""
    return HashMatcher(lines, coder) if hashed else SimpleMatcher(lines)
