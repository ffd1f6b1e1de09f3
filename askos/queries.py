"""Several queries that run together: their names, and who reads the streams that others register.

A query that is registered as a stream publishes the triples of its reports; `Queries` puts every
publisher before its readers, and refuses what cannot be put so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias, Unpack, cast

from askos.algebra import Operator
from askos.errors import QueryError, StreamError, require
from askos.prepared import Options, Prepared, prepare, published
from askos.sources import DEFAULT_GRAPH, Catalogue
from askos.terms import URIRef, n3
from askos.translate import ast, parse

Text: TypeAlias = str | ast.Query | Operator | Prepared
Texts: TypeAlias = Sequence[Text] | Mapping[str, Text]
"""Several queries; a mapping names them."""


@dataclass(frozen=True)
class Queries:
    """Queries with names, each after those whose streams it reads.

    >>> clean = "REGISTER STREAM <clean> AS CONSTRUCT WHERE { ?t <speed> ?v }"
    >>> gusts = "REGISTER QUERY gusts AS SELECT ?t { ?t <speed> ?v FILTER (?v > 20) }"
    >>> both = prepare_all([
    ...     gusts.replace("{", "FROM STREAM <clean> [RANGE 1m STEP 1m] {", 1),
    ...     clean.replace("WHERE", "FROM STREAM <wind> [RANGE 10s STEP 10s] WHERE"),
    ... ])
    >>> both.names, [str(stream) for stream in both.given], both.edges
    (('clean', 'gusts'), ['wind'], (('clean', 'clean', 'gusts'),))
    """

    queries: tuple[Prepared, ...]

    @classmethod
    def of(cls, queries: Iterable[Prepared]) -> Queries:
        """Of queries that have names: refuses two with one name, and circles."""
        found = tuple(queries)
        names, streams = dict[str | None, Prepared](), dict[URIRef, Prepared]()
        for query in found:
            _check_names(names.setdefault(query.name, query), query)
            if query.publishes is not None:
                _check_names(streams.setdefault(query.publishes, query), query)
        return cls(_ordered(found))

    @property
    def names(self) -> tuple[str, ...]:
        """What they are called, in order."""
        return tuple(query.name or "" for query in self.queries)

    @cached_property
    def publishers(self) -> Mapping[URIRef, Prepared]:
        """Of each registered stream the query that registers it."""
        return {query.publishes: query for query in self.queries if query.publishes}

    @property
    def given(self) -> tuple[URIRef, ...]:
        """The streams that are read, and that no query registers."""
        read = dict.fromkeys(stream for query in self.queries for stream in query.streams)
        return tuple(stream for stream in read if stream not in self.publishers)

    @property
    def edges(self) -> tuple[tuple[str, str, str], ...]:
        """Each registered stream that is read, who publishes it, and who reads it."""
        return tuple(
            (str(stream), self.publishers[stream].name or "", query.name or "")
            for query in self.queries
            for stream in query.streams
            if stream in self.publishers
        )


def several(query: Text | Texts) -> bool:
    """Whether queries are given in a list, a tuple or by name; a list of one is several too."""
    return isinstance(query, list | tuple | Mapping)


def listed(query: Text | Texts) -> Texts:
    """One query as a list of one; several as they are."""
    return cast("Texts", query) if several(query) else [cast("Text", query)]


def prepare_all(
    texts: Texts, *, sources: Catalogue | None = None, **options: Unpack[Options]
) -> Queries:
    """What hosts take of several queries; `sources` and `options` are those of `askos.prepare`, and
    hold for all of them.

    A query has the name that the mapping gives it, else the one that it is registered by, else
    `query-1` and so on, by its place.  Whoever reads a stream that another registers need not
    declare it.
    """
    given = list(texts.items()) if isinstance(texts, Mapping) else [(None, text) for text in texts]
    require(bool(given), "there is no query", "give at least one")
    trees = [_parsed(text, options) for _, text in given]
    known = None if sources is None else declared(sources, trees)
    found = [prepare(tree, sources=known, **options) for tree in trees]
    names = [name or query.name for (name, _), query in zip(given, found, strict=True)]
    return Queries.of(
        replace(query, name=name) for query, name in zip(found, _all_named(names), strict=True)
    )


def _parsed(text: Text, options: Options) -> ast.Query | Operator | Prepared:
    if isinstance(text, str):
        return parse(text, dialect=options.get("dialect"), base=options.get("base"))
    return text


def declared(sources: Catalogue, trees: Iterable[Text]) -> Catalogue:
    """The catalogue, and the streams that queries register: whoever reads them need not declare
    them.  What a text registers is not known before it is parsed."""
    for tree in trees:
        match tree:
            case Prepared():
                stream = tree.publishes
            case ast.Query():
                stream = published(tree)
            case _:
                continue
        if stream is not None and sources.get(stream) is None:
            sources = sources.stream(stream)
    return sources


def refuse_unread(
    given: Iterable[URIRef], read: Collection[URIRef], known: Iterable[Catalogue]
) -> None:
    """Refuse streams that no query reads and no catalogue declares: a name may be misspelt."""
    declared = {DEFAULT_GRAPH, *(source.iri for sources in known for source in sources.sources)}
    for stream in given:
        if stream not in read and stream not in declared:
            what = ", ".join(map(n3, read)) or "no stream"
            raise StreamError(f"no query reads {n3(stream)}", hint=f"what is read: {what}")


# ---- names -----------------------------------------------------------------------------------


def _all_named(names: Sequence[str | None]) -> list[str]:
    """Who has no name gets one by its place, unless another query has that."""
    taken = {name for name in names if name}
    new: list[str] = []
    for place, name in enumerate(names, 1):
        new.append(name or fresh_name({*taken, *new}, place))
    return new


def fresh_name(taken: Iterable[str], number: int = 1) -> str:
    """A name for a query that has none.

    >>> fresh_name(["query-1", "gusts"])
    'query-2'
    """
    used = set(taken)
    while f"query-{number}" in used:
        number += 1
    return f"query-{number}"


def _check_names(one: Prepared, other: Prepared) -> None:
    """Two queries must not be called, or publish, the same."""
    if one is other:
        return
    if one.name == other.name:
        what = f"two queries are registered as {one.name!r}"
    elif one.publishes is not None and one.publishes == other.publishes:
        what = f"two queries register the stream {n3(one.publishes)}"
    else:
        return
    texts = [_shown(query) for query in (one, other)]
    hint = "give each a name of its own after REGISTER QUERY or REGISTER STREAM"
    raise QueryError("\n".join([f"{what}:", *texts]), hint=hint)


def _shown(query: Prepared) -> str:
    """The query in a line, or its beginning."""
    text = " ".join((query.text or repr(query.canonical)).split())
    return f"  {text}" if len(text) <= 100 else f"  {text[:99]}…"


# ---- order -----------------------------------------------------------------------------------


def _ordered(queries: Sequence[Prepared]) -> tuple[Prepared, ...]:
    """Publishers before their readers, else as they are given; QueryError for a cycle."""
    place = {query.publishes: number for number, query in enumerate(queries) if query.publishes}
    before = {
        number: [place[stream] for stream in query.streams if stream in place]
        for number, query in enumerate(queries)
    }
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        names = " → ".join(str(queries[number].name) for number in error.args[1])
        raise QueryError(
            f"registered streams are read in a circle: {names}",
            hint="a query must not wait for its own reports: leave out one of these streams",
        ) from None
    order: dict[int, None] = {}

    def put(number: int) -> None:
        if number not in order:
            for publisher in before[number]:
                put(publisher)
            order[number] = None

    for number in before:
        put(number)
    return tuple(queries[number] for number in order)
