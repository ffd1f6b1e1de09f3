"""One matcher for all who read a stream: a triple finds the patterns of many queries at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeAlias, TypeVar

from askos.algebra import Periodic
from askos.columns.batch import Batch
from askos.columns.coder import Coder
from askos.physical.fragment import Line
from askos.physical.matcher import Matcher, matcher
from askos.physical.plan import Based, Feed
from askos.physical.tables import Tables, no_tables
from askos.terms import URIRef

_R = TypeVar("_R", bound=Hashable)
Entrance: TypeAlias = tuple[_R, int]
"""Who reads, and the port through which it enters there."""
_MANY: Final = 8  # lines of a stream that are sooner looked up than asked one by one


@dataclass(frozen=True, slots=True)
class Reading:
    """What a query reads: its feeds, on which grid, and the tables that these look up.  `hashed`
    if its plan has chosen to look triples up among the constants of its patterns."""

    feeds: tuple[Feed, ...]
    grid: Periodic | None = None
    tables: Tables = no_tables
    hashed: bool = False


@dataclass(slots=True)
class _Read(Generic[_R]):
    """A line, and where what it gives enters."""

    line: Line
    entrances: list[Entrance[_R]] = field(default_factory=list)


class Dispatch(Generic[_R]):
    """Readers of streams, which come and go; equal lines of theirs are one.

    Lines are equal if their operators are, on one grid; those that look up a table, only if it is
    the same reader's.  The matcher of a stream is made again when it is next asked, after readers
    have come or gone; the lines of the others stay.

    Cost: that of the stream's matcher, and what matches.
    """

    def __init__(self, coder: Coder) -> None:
        self._coder = coder
        self._read: dict[Hashable, _Read[_R]] = {}
        self._hashed: dict[_R, bool] = {}
        self._matchers: dict[URIRef, tuple[Matcher, dict[Line, list[Entrance[_R]]]]] = {}

    def add(self, reader: _R, reading: Reading) -> None:
        """One more who reads."""
        self._hashed[reader] = reading.hashed
        for feed in reading.feeds:
            looks_up = any(isinstance(node, Based) for node in feed.plan.walk())
            tables = reading.tables if looks_up else no_tables
            same = replace(feed, port=0)
            name = (same, reading.grid, reader if looks_up else None)
            if name not in self._read:
                self._read[name] = _Read(Line(same, (), self._coder, reading.grid, tables))
            self._read[name].entrances.append((reader, feed.port))
            self._matchers.pop(feed.source, None)

    def remove(self, reader: _R) -> None:
        """One who reads no more."""
        del self._hashed[reader]
        for name, read in list(self._read.items()):
            left = [entrance for entrance in read.entrances if entrance[0] != reader]
            if len(left) < len(read.entrances):
                self._matchers.pop(read.line.source, None)
                read.entrances = left
            if not left:
                del self._read[name]

    def feed(self, source: URIRef, triples: Batch) -> Iterator[tuple[list[Entrance[_R]], Batch]]:
        """What arrivals of a stream become, if anything, and where that enters."""
        if source not in self._matchers:
            self._matchers[source] = self._made(source)
        found, entrances = self._matchers[source]
        return ((entrances[line], batch) for line, batch in found.feed(triples))

    def _made(self, source: URIRef) -> tuple[Matcher, dict[Line, list[Entrance[_R]]]]:
        read = [each for each in self._read.values() if each.line.source == source]
        readers = {reader for each in read for reader, _ in each.entrances}
        many = len(read) > _MANY and len(readers) > 1
        hashed = many or any(self._hashed[reader] for reader in readers)
        lines = {each.line: each.entrances for each in read}
        return matcher(lines, self._coder, hashed=hashed), lines


def dispatch(readings: Iterable[Reading], coder: Coder) -> Dispatch[int]:
    """To readers that stay, each called by its place."""
    made = Dispatch[int](coder)
    for place, reading in enumerate(readings):
        made.add(place, reading)
    return made
