"""Versions of static data: what a reload tells, and when it counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, TypeAlias

from askos.errors import StreamError
from askos.interval import check_instant, moment
from askos.physical.tables import FIRST
from askos.terms import URIRef

Contents: TypeAlias = Mapping[URIRef, str]
"""Graphs, and the name that each one's triples are kept by."""
Evaluate: TypeAlias = Callable[[Contents], Mapping[int, str]]
"""Makes the tables that read the graph which is reloaded, and gives their names, by number."""


@dataclass(frozen=True, slots=True)
class Version:
    """All that may be reloaded, as it is from the instant `at` on: the triples of graphs, and the
    tables that follow from them.  Names stand for what never changes."""

    at: int
    graphs: Contents
    tables: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Reload:
    """What a bucket hears: the versions in force from the first one's instant on.

    Numbers grow.  One that is heard after a later one is no news: the later one says all.
    """

    number: int
    graph: URIRef
    versions: tuple[Version, ...]

    def plain(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "number": self.number,
            "graph": str(self.graph),
            "versions": [
                {"at": each.at, "graphs": dict(each.graphs), "tables": dict(each.tables)}
                for each in self.versions
            ],
        }

    @classmethod
    def read(cls, data: Any) -> Reload:
        """What `plain` wrote; StreamError where it cannot have."""
        match data:
            case {"number": int(number), "graph": str(graph), "versions": [_, *_] as versions}:
                return cls(number, URIRef(graph), tuple(map(_version, versions)))
        raise StreamError("this tells of no reload")


def _version(data: Any) -> Version:
    match data:
        case {"at": int(at), "graphs": dict(graphs), "tables": dict(tables)}:
            named = {URIRef(iri): _name(name) for iri, name in graphs.items()}
            numbered = {_number(n): _name(name) for n, name in tables.items()}
            return Version(check_instant(at), named, numbered)
    raise StreamError("this is no version of static data")


def _number(text: str) -> int:
    if not (text.isdecimal() and len(text) < 10):
        raise StreamError(f"{text[:20]!r} is no number of a table")
    return int(text)


def _name(name: Any) -> str:
    """A name that cannot be a path to somewhere else."""
    if not isinstance(name, str) or not (name.isalnum() or name == FIRST):
        raise StreamError(f"{name!r} names no version of static data")
    return name


@dataclass(frozen=True, slots=True)
class Reloaded:
    """What is told of a reload: it counts from `at` on, an instant of the streams."""

    number: int
    graph: URIRef
    at: int

    def __str__(self) -> str:
        return f"graph <{self.graph}>, reload {self.number}: counts from {moment(self.at)} on"


@dataclass(frozen=True, slots=True)
class Schedule:
    """The versions that were told so far, in the order of their instants; the first is what the
    query began with.

    A reload takes the place of its graph in the version that is in force at its instant and in all
    that come later, so that graphs are reloaded independently of each other.
    """

    versions: tuple[Version, ...]
    number: int = 0

    def latest(self, graph: URIRef) -> Version:
        """The version that brought the triples that `graph` has in the end."""
        last = self.versions[-1].graphs[graph]
        since = takewhile(lambda each: each.graphs[graph] == last, reversed(self.versions))
        return list(since)[-1]  # a graph may have had the same triples before others

    def check(self, graph: URIRef, at: int | None) -> int:
        """From when on a reload can count: as soon as it may if nothing is said, but after what
        was told of the graph before; StreamError where it would be earlier."""
        before = self.latest(graph).at
        if at is not None and at < before:
            raise StreamError(
                f"the graph <{graph}> has been reloaded for {moment(before)}: a reload for"
                f" {moment(at)} would go back",
                hint="versions of a graph follow each other: say a later instant, or none",
            )
        return before if at is None else at

    def reload(self, graph: URIRef, content: str, at: int, evaluate: Evaluate) -> Reload:
        """`graph` has the triples kept as `content`, from the instant `at` on."""
        before = [version for version in self.versions if version.at <= at][-1]
        later = [version for version in self.versions if version.at > at]
        every = (replace(before, at=at), *later)
        made = tuple(_changed(version, graph, content, evaluate) for version in every)
        return Reload(self.number + 1, graph, made)

    def after(self, told: Reload) -> Schedule:
        """With what was told."""
        kept = (version for version in self.versions if version.at < told.versions[0].at)
        return Schedule((*kept, *told.versions), told.number)


def _changed(version: Version, graph: URIRef, content: str, evaluate: Evaluate) -> Version:
    graphs = {**version.graphs, graph: content}
    return replace(version, graphs=graphs, tables={**version.tables, **evaluate(graphs)})


@dataclass(slots=True)
class Reloads:
    """The reloads that a bucket has heard of; all buckets of all stages conclude the same."""

    number: int = 0
    told: list[Reloaded] = field(default_factory=list)

    def note(self, heard: Sequence[Reload], promised: int) -> list[tuple[int, Version]]:
        """The versions that follow from what is new, each with the instant from which it counts:
        as was asked for, but not before `promised`, up to which any stage may have told answers.
        """
        news = sorted((r for r in heard if r.number > self.number), key=lambda r: r.number)
        self.told = []
        following: list[tuple[int, Version]] = []
        for reload in news:
            first = max(reload.versions[0].at, promised)
            following = [(start, version) for start, version in following if start < first]
            following += [(max(version.at, first), version) for version in reload.versions]
            self.number = reload.number
            self.told.append(Reloaded(reload.number, reload.graph, first))
        return following
