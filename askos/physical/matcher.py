"""Which patterns a triple is given to: all of them, or those that have its constant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Protocol, TypeAlias

import numpy as np

from askos.algebra import Pattern
from askos.algebra.placement import TRIPLE
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.columns.ids import Ids
from askos.physical.fragment import Line
from askos.physical.plan import Feed
from askos.sweeparea import key_hash
from askos.terms import Term, Variable

Constants: TypeAlias = dict[Variable, Term]
"""Those of a pattern, by their place in a triple."""


class Matcher(Protocol):
    """Gives arrivals of a stream to the lines that read it."""

    def feed(self, triples: Batch) -> Iterator[tuple[Line, Batch]]:
        """What arrivals become in each line, if anything."""
        ...


class SimpleMatcher:
    """Every line looks at every triple.

    Groppe et al., section 5.1, the simple pattern matcher.  Cost: patterns times triples.
    """

    def __init__(self, lines: Iterable[Line]) -> None:
        self._lines = tuple(lines)

    def feed(self, triples: Batch) -> Iterator[tuple[Line, Batch]]:
        return _entering(self._lines, triples)


class HashMatcher:
    """A triple is looked up among the constants of all patterns, and given to those that have them.

    Groppe et al., section 5.1, the hash pattern matcher: all constants of a pattern are hashed
    together, and a triple is looked up once for each combination of places at which some pattern
    has constants, so that a thousand patterns of one predicate are told apart by their subjects.
    Departure: it takes a batch at a time, and looks ids up in a sorted column of the constants.

    Cost: a binary search among the constants for each triple and combination, seven at most, and
    what matches.
    """

    def __init__(self, lines: Iterable[Line], coder: Coder) -> None:
        found: dict[tuple[Variable, ...], list[tuple[Constants, Line]]] = {}
        for line in lines:
            constants = _constants(line.feed)
            found.setdefault(tuple(constants), []).append((constants, line))
        self._others = [line for _, line in found.pop((), [])]  # whose patterns have no constant
        self._places = [_Places(places, terms, coder) for places, terms in found.items()]

    def feed(self, triples: Batch) -> Iterator[tuple[Line, Batch]]:
        yield from _entering(self._others, triples)
        for known in self._places:
            for lines, rows in known.found(triples):
                yield from _entering(lines, triples.take(rows))


class _Places:
    """The constants of patterns that have them at the same places, and the lines of each: by hash,
    so that lines whose constants share one both look at a triple, and tell."""

    def __init__(
        self,
        places: tuple[Variable, ...],
        lines: Sequence[tuple[Constants, Line]],
        coder: Coder,
    ) -> None:
        self._places = places
        columns = [coder.terms([terms[place] for terms, _ in lines])[0] for place in places]
        self._hashes, numbers = np.unique(_hashed(columns), return_inverse=True)
        self._narrow = np.min_scalar_type(len(self._hashes))  # numpy sorts these by radix
        self._lines: list[list[Line]] = [[] for _ in self._hashes]
        for number, (_, line) in zip(numbers.tolist(), lines, strict=True):
            self._lines[number].append(line)

    def found(self, triples: Batch) -> Iterator[tuple[Sequence[Line], Ids]]:
        """The lines that look for some of the triples, and the rows of these, in their order."""
        hashes = _hashed([triples.column(place) for place in self._places])
        numbers = self._hashes.searchsorted(hashes)
        rows = np.flatnonzero(self._hashes.take(numbers, mode="clip") == hashes)
        numbers = numbers[rows].astype(self._narrow)
        order = np.argsort(numbers, kind="stable")
        numbers, rows = numbers[order], rows[order]
        begins = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])[: len(rows)])
        for begin, end in pairwise([*begins.tolist(), len(rows)]):
            yield self._lines[int(numbers[begin])], rows[begin:end]


def _hashed(columns: Sequence[Ids]) -> Ids:
    """Ids at one place are hashes as they are."""
    return columns[0] if len(columns) == 1 else key_hash(columns, len(columns[0]))


def _constants(feed: Feed) -> Constants:
    """The constants of the pattern of a line."""
    pattern = next((node for node in feed.line if isinstance(node, Pattern)), None)
    positions = pattern.positions if pattern is not None else ()
    places = zip(TRIPLE, positions, strict=False)
    return {place: term for place, term in places if not isinstance(term, Variable)}


def _entering(lines: Iterable[Line], triples: Batch) -> Iterator[tuple[Line, Batch]]:
    for line in lines:
        batch = line.process(triples)
        if len(batch):
            yield line, batch


def matcher(lines: Iterable[Line], coder: Coder, *, hashed: bool) -> Matcher:
    """As a plan has chosen."""
    return HashMatcher(lines, coder) if hashed else SimpleMatcher(lines)
