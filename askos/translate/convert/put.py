"""Putting a query together again, in the words of another dialect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from askos.terms import URIRef
from askos.translate import ast
from askos.translate.convert.difference import default_patterns, is_ambient
from askos.translate.convert.reads import Read, refuse, rewrite
from askos.translate.dialect import Dialect


def put_together(
    reads: tuple[Read, ...], body: ast.Query, source: Dialect, dialect: Dialect
) -> ast.Query:
    """The query that reads the same, in the structure of `dialect`."""
    match dialect:
        case Dialect.SPARQL:
            for read in reads:
                raise refuse("SPARQL 1.1 has no streams", read.stream)
            return body
        case Dialect.CQELS if not is_ambient(source) and _is_about_one(reads, body):
            return _cqels(*_named(reads, body))
        case Dialect.CQELS:
            return _cqels(reads, body)
        case Dialect.RSPQL:
            return _rspql(reads, body)
    return _by_stream(reads, body, dialect)


def _cqels(reads: tuple[Read, ...], body: ast.Query) -> ast.Query:
    """STREAM <s> [w] {..}; a stream that the default graph reads gets its window from FROM."""
    by_name = {read.name: read for read in reads}

    def rule(node: ast.Node) -> ast.Node:
        if not isinstance(node, ast.WindowPattern):
            return node
        read = by_name[URIRef(node.name.value)]
        window = None if read.default else read.window
        return ast.StreamPattern(read.stream, node.group, window, at=node.at)

    _check_once([read for read in reads if read.default], Dialect.CQELS)
    clauses = [ast.FromStream(r.stream, False, r.window) for r in reads if r.default]
    return _with_dataset(rewrite(body, rule), clauses)


def _by_stream(reads: tuple[Read, ...], body: ast.Query, dialect: Dialect) -> ast.Query:
    """FROM [NAMED] STREAM, and GRAPH <s> {..}: a stream has one window, and is its own name."""
    _check_once(reads, dialect)
    by_name = {read.name: read for read in reads}

    def rule(node: ast.Node) -> ast.Node:
        if not isinstance(node, ast.WindowPattern):
            return node
        return ast.Graph(by_name[URIRef(node.name.value)].stream, node.group, at=node.at)

    if not any(read.default for read in reads):
        _check_default(reads, body, dialect)
    named = {URIRef(n.name.value) for n in body.walk() if isinstance(n, ast.WindowPattern)}
    _check_bare(body, [read for read in reads if read.name in named])
    clauses = [
        ast.FromStream(read.stream, is_named, read.window)
        for read in reads
        for is_named in _declared_as(read, reads, read.name in named, dialect)
    ]
    return _with_dataset(rewrite(body, rule), clauses)


def _declared_as(
    read: Read, reads: tuple[Read, ...], named: bool, dialect: Dialect
) -> Iterable[bool]:
    """Whether a FROM STREAM is NAMED; a stream read as the default graph and by name is declared
    as both, unless one says both."""
    if dialect is Dialect.CSPARQL:
        return (not read.default,)
    if dialect is Dialect.SPARQLSTREAM and all(read.default for read in reads):
        return (True,)
    return (False, True) if read.default and named else (not read.default,)


def _check_bare(body: ast.Query, reads: Iterable[Read]) -> None:
    """CQELS calls streams by words, too, which no base changes; GRAPH takes an IRI."""
    for read in reads:
        if body.base is not None and ":" not in str(read.stream.value):
            message = f"GRAPH cannot name the stream {read.stream.value}, since there is a base IRI"
            raise refuse(message, read.stream, f"write <{read.stream.value}>")


def _check_once(reads: Iterable[Read], dialect: Dialect) -> None:
    seen: set[object] = set()
    for read in reads:
        if read.stream.value in seen:
            message = (
                f"{dialect.title} gives a stream one window, but <{read.stream.value}> has two"
            )
            raise refuse(message, read.stream, "split the query")
        seen.add(read.stream.value)


def _check_default(reads: tuple[Read, ...], body: ast.Query, dialect: Dialect) -> None:
    """In C-SPARQL and SPARQLstream, patterns outside of GRAPH read streams that are all NAMED; in
    Streaming SPARQL they read the graphs of FROM, and are refused where there are none."""
    message = f"in {dialect.title} this would read the streams too, not static graphs only"
    if dialect is Dialect.STREAMING:
        if _graphs(body):
            return
        message = f"{dialect.title} reads static graphs here only if FROM names them"
    for part in default_patterns(body) if reads else ():
        raise refuse(message, part, "put it in GRAPH <g> {..}, if it is about one graph")


def _rspql(reads: tuple[Read, ...], body: ast.Query) -> ast.Query:
    """FROM NAMED WINDOW; if the default graph is one stream and nothing else, all of WHERE is
    about its window."""
    if not any(read.default for read in reads):
        return _with_windows(reads, body)
    for part in [*_graphs(body), *(read.stream for read in reads[1:])]:
        raise refuse("in RSP-QL a pattern reads one window, and no static graph beside it", part)
    if isinstance(body.form, ast.Describe):
        raise refuse("RSP-QL describes from static graphs, not from a window", body.form)
    for pattern in default_patterns(replace(body, where=None)):
        raise refuse("in RSP-QL a pattern outside of WHERE reads no window", pattern)
    return _with_windows(*_named(reads, body))


def _graphs(body: ast.Query) -> list[ast.Dataset]:
    """The static graphs that FROM puts into the default graph."""
    return [c for c in body.dataset if isinstance(c, ast.From) and not c.named]


def _is_about_one(reads: tuple[Read, ...], body: ast.Query) -> bool:
    """Whether the default graph is one stream, and only WHERE reads it."""
    default = [read for read in reads if read.default]
    outside = any(default_patterns(replace(body, where=None)))
    return len(default) == 1 and not _graphs(body) and not outside


def _named(reads: tuple[Read, ...], body: ast.Query) -> tuple[tuple[Read, ...], ast.Query]:
    """All of WHERE as a pattern over the one stream that is the default graph."""
    where = body.where or ast.Group()
    (name,) = (ast.Term(read.name) for read in reads if read.default)
    whole = replace(body, form=_spelled_out(body.form, where))
    inside = ast.Group((ast.WindowPattern(name, where, at=where.at),), at=where.at)
    return tuple(replace(r, default=False) for r in reads), replace(whole, where=inside)


def _spelled_out(form: ast.Form, where: ast.Group) -> ast.Form:
    if not (isinstance(form, ast.Construct) and form.template is None):
        return form
    blocks = (member for member in where.members if isinstance(member, ast.Block))
    return replace(form, template=tuple(t for block in blocks for t in block.triples))


def _with_windows(reads: tuple[Read, ...], body: ast.Query) -> ast.Query:
    """A window that is called like its stream gets a name of its own."""
    names = {
        read.name: URIRef(f"urn:window:{number}") if read.name == read.stream.value else read.name
        for number, read in enumerate(reads, 1)
    }

    def rule(node: ast.Node) -> ast.Node:
        if not isinstance(node, ast.WindowPattern):
            return node
        return replace(node, name=ast.Term(names[URIRef(node.name.value)], at=node.name.at))

    clauses = [ast.FromWindow(ast.Term(names[r.name]), r.stream, r.window) for r in reads]
    return _with_dataset(rewrite(body, rule), clauses)


def _with_dataset(query: ast.Query, clauses: Iterable[ast.Dataset]) -> ast.Query:
    return replace(query, dataset=(*query.dataset, *clauses))
