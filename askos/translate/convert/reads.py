"""How a query gets at its streams, without the words of its dialect.

Every dialect gives a stream a window, and lets either the default graph read it, or patterns
that name it.  Taken apart, such patterns are all `WindowPattern`s, whose names are those of the
reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from askos.errors import UnsupportedError
from askos.terms import URIRef, Variable
from askos.translate import ast
from askos.translate.convert.difference import default_patterns
from askos.translate.dialect import Dialect

_LENIENT: Final = frozenset((Dialect.CSPARQL, Dialect.SPARQLSTREAM))


@dataclass(frozen=True, slots=True)
class Read:
    """A window over a stream: `name` is what patterns call it if it is `named`; those that name
    nothing read it if it is `default`."""

    name: URIRef
    stream: ast.Term
    window: ast.Window
    default: bool = False
    named: bool = True


def refuse(message: str, part: ast.Node, hint: str = "") -> UnsupportedError:
    """Why a query cannot be said in another dialect, and which part of it."""
    return UnsupportedError(message, "", part.at.line, part.at.column, hint)


def rewrite(value: Any, rule: Callable[[ast.Node], ast.Node]) -> Any:
    """Apply `rule` to all nodes, from the bottom up."""
    if isinstance(value, tuple) and not isinstance(value, ast.Position):
        return tuple(rewrite(member, rule) for member in value)
    if not isinstance(value, ast.Node):
        return value
    parts = {entry.name: getattr(value, entry.name) for entry in fields(value)}
    new = {name: rewrite(part, rule) for name, part in parts.items()}
    changed = {name: part for name, part in new.items() if part != parts[name]}
    return rule(replace(value, **changed) if changed else value)


def take_apart(query: ast.Query) -> tuple[tuple[Read, ...], ast.Query]:
    """The reads of a query, and the query with patterns over them and static graphs only."""
    reads = list(_declared(query))
    body: ast.Query = rewrite(query, lambda node: _pattern(node, query.dialect, reads))
    static = tuple(clause for clause in query.dataset if isinstance(clause, ast.From))
    _check_names(reads)
    _check_graphs(body, reads)
    return _needed(reads, body), replace(body, dataset=static)


def _needed(reads: list[Read], body: ast.Query) -> tuple[Read, ...]:
    """Where all patterns have a name, a stream that is read need not be of the default graph."""
    if any(default_patterns(body)):
        return tuple(reads)
    named = {node.name.value for node in body.walk() if isinstance(node, ast.WindowPattern)}
    return tuple(replace(r, default=r.default and r.name not in named) for r in reads)


def _declared(query: ast.Query) -> list[Read]:
    reads: list[Read] = []
    for clause in query.dataset:
        match clause:
            case ast.FromWindow(name, source, window):
                reads.append(Read(URIRef(name.value), source, window))
            case ast.FromStream(source, named, window):
                if window is None:
                    raise refuse("the windows of this stream are those of groups", clause)
                _declare(Read(URIRef(source.value), source, window, named=named), query, reads)
    return reads


def _declare(read: Read, query: ast.Query, reads: list[Read]) -> None:
    """Add a FROM STREAM.

    One that is not NAMED is of the default graph, and in C-SPARQL has a name too.  Where all are
    NAMED, C-SPARQL and SPARQLstream let the default graph read them.  CQELS names any.
    """
    clauses = [clause for clause in query.dataset if isinstance(clause, ast.FromStream)]
    lenient = query.dialect in _LENIENT and all(clause.named for clause in clauses)
    own = query.dialect in (Dialect.CSPARQL, Dialect.CQELS)
    read = replace(read, default=not read.named or lenient, named=read.named or own)
    for place, other in enumerate(reads):
        if (other.name, other.window) == (read.name, read.window):
            default, named = other.default or read.default, other.named or read.named
            reads[place] = replace(other, default=default, named=named)
            return
    reads.append(read)


def _pattern(node: ast.Node, dialect: Dialect, reads: list[Read]) -> ast.Node:
    match node:
        case ast.StreamPattern(ast.Term(Variable())) | ast.WindowPattern(ast.Term(Variable())):
            raise refuse("a variable for the streams to read", node, "name the streams")
        case ast.StreamPattern(name, group, None):
            if not any(read.name == name.value for read in reads):
                raise refuse("this stream has no window", node, "[ALL] is the explicit way")
            return ast.WindowPattern(name, group, at=node.at)
        case ast.StreamPattern(name, group, ast.Node() as window):
            read = _own(name, window, reads)
            return ast.WindowPattern(ast.Term(read.name, at=name.at), group, at=node.at)
        case ast.Graph(name, group) if _is_stream(name, dialect, reads):
            return ast.WindowPattern(name, group, at=node.at)
    return node


def _own(stream: ast.Term, window: Any, reads: list[Read]) -> Read:
    """The read of a pattern that has its own window; the same for the same."""
    for read in reads:
        if (read.stream, read.window, read.default) == (stream, window, False):
            return read
    reads.append(Read(URIRef(f"urn:window:{len(reads) + 1}"), stream, window))
    return reads[-1]


def _is_stream(name: ast.Term, dialect: Dialect, reads: list[Read]) -> bool:
    """Whether GRAPH <name> means a stream."""
    if dialect not in (Dialect.STREAMING, Dialect.CSPARQL, Dialect.SPARQLSTREAM):
        return False
    return any(read.named and read.name == name.value for read in reads)


def _check_names(reads: list[Read]) -> None:
    seen: set[URIRef] = set()
    for read in reads:
        if read.name in seen:
            raise refuse(f"<{read.name}> is read through two windows at once", read.stream)
        seen.add(read.name)


def _check_graphs(query: ast.Query, reads: list[Read]) -> None:
    """Whether a GRAPH that means no stream here could mean one there."""
    names = {read.name for read in reads} | {read.stream.value for read in reads}
    for node in query.walk():
        if not (reads and isinstance(node, ast.Graph)):
            continue
        if isinstance(node.name.value, Variable):
            message = f"GRAPH ?{node.name.value} may range over other streams there"
            raise refuse(message, node, "name the graphs")
        if node.name.value in names:
            raise refuse("GRAPH of a stream means something else there", node)
