"""What is no error in a query, but probably not meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches
from typing import Final

from askos.algebra.windows.predicate import OBJECT, PREDICATE, SUBJECT
from askos.terms import URIRef, Variable
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.manners import streams_no_triples
from askos.translate.scope import Names, in_scope


def remarks(query: ast.Query) -> Iterator[ast.Remark]:
    """A stream that has no triples, what nothing reads, and what never has a value."""
    yield from _no_streams(query)
    yield from _unread(query)
    yield from _unbound(query)
    yield from _unstamped(query)
    yield from _undecided(query)


# ---- streams ----------------------------------------------------------------------------------


def _no_streams(query: ast.Query) -> Iterator[ast.Remark]:
    """C-SPARQL 2010, section 2.7, and its engine's examples register a SELECT as STREAM."""
    if query.register is not None and streams_no_triples(query):
        word = type(query.form).__name__.upper()
        yield ast.Remark(
            f"{word} yields no triples, so this registers a query, and no stream that others read",
            "write REGISTER QUERY; or CONSTRUCT triples",
            at=query.register.at,
        )


def _unread(query: ast.Query) -> Iterator[ast.Remark]:
    """Streams and windows that are declared, but read by no pattern."""
    streams = (ast.FromWindow, ast.FromStream)
    if not any(isinstance(clause, streams) for clause in query.dataset):
        return
    read = set(_read(query))
    for clause in query.dataset:
        match clause:
            case ast.FromWindow(name, at=at) if name.value not in read:
                yield _unused(f"window <{name.value}>", f"WINDOW <{name.value}> {{..}}", at)
            case ast.FromStream(source, named, at=at):
                key = source.value if named and query.dialect is Dialect.STREAMING else None
                if key not in read and source.value not in read:
                    hint = f"GRAPH <{source.value}> {{..}}" if named else "a triple pattern"
                    yield _unused(f"stream <{source.value}>", hint, at)


def _unused(what: str, hint: str, at: ast.Position) -> ast.Remark:
    return ast.Remark(f"{what} is declared, but nothing reads it", f"read it by {hint}", at=at)


def _read(query: ast.Query) -> Iterator[object]:
    """The names that patterns read, all of them for a variable; None is the default graph."""
    declared = [c.source.value for c in query.dataset if isinstance(c, ast.FromStream)]
    declared += [c.name.value for c in query.dataset if isinstance(c, ast.FromWindow)]
    todo: list[ast.Node] = [query.where] if query.where else [ast.Block(())]
    while todo:
        node = todo.pop()
        match node:
            case ast.Block():
                yield None
            case ast.Graph(name) | ast.StreamPattern(name) | ast.WindowPattern(name):
                yield from declared if isinstance(name.value, Variable) else [name.value]
        # Inside GRAPH <g> the default graph is not read, but a stream of that name is.
        inner = node.parts() if not isinstance(node, ast.Graph) else _named_inside(node)
        todo.extend(inner)


def _named_inside(graph: ast.Graph) -> Iterator[ast.Node]:
    kinds = ast.Graph | ast.StreamPattern | ast.WindowPattern
    inside = graph.group.walk()
    return (node for node in inside if isinstance(node, kinds))


# ---- variables without a value ----------------------------------------------------------------


def _unbound(query: ast.Query) -> Iterator[ast.Remark]:
    """Variables that SELECT names and nothing binds."""
    if isinstance(query.form, ast.Select):
        made = frozenset(Variable(clause.variable.value) for clause in query.aggregates)
        where = query.where or ast.Group()
        yield from _unprojected(query.form, where, query.modifiers, query.values, made)
    for node in query.walk():
        if isinstance(node, ast.SubSelect):
            yield from _unprojected(node.select, node.where, node.modifiers, node.values)


def _unprojected(
    select: ast.Select,
    where: ast.Group,
    modifiers: ast.Modifiers,
    values: ast.Values | None,
    made: Names = frozenset(),
) -> Iterator[ast.Remark]:
    known = {*in_scope(where), *made, *(in_scope(values) if values else ())}
    known |= {Variable(key.variable.value) for key in modifiers.group_by if key.variable}
    for projection in select.projections:
        name = Variable(projection.variable.value)
        if projection.expression is None and name not in known:
            near = get_close_matches(name, sorted(known), n=1)
            hint = f"did you mean ?{near[0]}?" if near else "bind it in WHERE, or leave it out"
            yield ast.Remark(f"nothing binds ?{name}: it has no value", hint, at=projection.at)
        known.add(name)


def _unstamped(query: ast.Query) -> Iterator[ast.Remark]:
    """timestamp(?x) where only a sub-select, BIND or VALUES binds ?x."""
    for level in (query, *(n for n in query.walk() if isinstance(n, ast.SubSelect))):
        own = list(_level(level))
        blocks = (node for node in own if isinstance(node, ast.Block))
        bound: Names = frozenset().union(*map(in_scope, blocks))
        for node in own:
            match node:
                case ast.Call("TIMESTAMP", (ast.Term(Variable() as name), *more)) if (
                    len(more) < 2 and name not in bound  # with 3 arguments it is a triple's
                ):
                    yield ast.Remark(
                        f"timestamp(?{name}) has no value: no triple pattern binds ?{name} here",
                        "times of arrival do not leave a sub-select; compute it inside:"
                        f" SELECT (timestamp(?{name}) AS ?time)",
                        at=node.at,
                    )


def _level(top: ast.Node) -> Iterator[ast.Node]:
    """The nodes of a query, or a sub-select, without those of the sub-selects in it."""
    todo = top.parts()[::-1]
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.SubSelect):
            todo += reversed(node.parts())


# ---- windows that never open or close ---------------------------------------------------------


def _undecided(query: ast.Query) -> Iterator[ast.Remark]:
    """Conditions of predicate windows that use what the element they judge does not have: in FROM
    it is a triple, in a group a match of one triple pattern."""
    streams = {c.source.value for c in query.dataset if isinstance(c, ast.FromStream)}
    for node in query.walk():
        match node:
            case ast.FromStream(source, window=ast.PredicateWindow() as window):
                yield from _judged(window, _TRIPLE, source, _IN_FROM)
            case ast.Group(window=ast.PredicateWindow() as window):
                for triple in _windowed(node, streams):
                    yield from _judged(window, _names(triple), triple[0], _IN_GROUP)


_TRIPLE: Final = frozenset((SUBJECT, PREDICATE, OBJECT))
_IN_FROM: Final = "a triple", "in FROM the conditions see each triple as ?s ?p ?o"
_IN_GROUP: Final = (
    "this pattern",
    "each triple pattern of a group has its own window; use its variables, or move it out",
)


def _judged(
    window: ast.PredicateWindow, known: Names, at: ast.Node, words: tuple[str, str]
) -> Iterator[ast.Remark]:
    element, hint = words
    for name in sorted(_needed(window.start) - known):
        message = f"START WHEN asks for ?{name}, which {element} does not bind: no window opens"
        yield ast.Remark(message, hint, at=at.at)
    for name in sorted(_needed(window.end) - known):
        message = f"END WHEN asks for ?{name}, which {element} does not bind: it ends no window"
        yield ast.Remark(message, hint, at=at.at)


def _needed(condition: ast.Node) -> Names:
    """Variables without which a condition is never true."""
    match condition:
        case ast.Term(Variable() as name):
            return frozenset((name,))
        case ast.Or(operands):
            return frozenset.intersection(*map(_needed, operands))
        case ast.In(operand) | ast.Unary("!", (ast.Compare() | ast.Call()) as operand):
            return _needed(operand)
        case ast.Unary("!") | ast.Exists() | ast.Call("BOUND" | "IF" | "COALESCE"):
            return frozenset()
    return frozenset().union(*map(_needed, condition.parts()))


def _windowed(group: ast.Group, streams: Collection[object]) -> Iterator[tuple[ast.Object, ...]]:
    """Subject, verb and object of the triples that a group's window is about: not those of groups
    with their own, of graphs that are no streams, nor of property paths."""
    todo: list[ast.Node] = [*reversed(group.members)]
    while todo:
        node = todo.pop()
        match node:
            case ast.Triples(subject, properties):
                yield from _listed(subject, properties)
            case ast.Bracketed(properties):
                yield from _listed(node, properties)
            case ast.Group(window=ast.Node()):
                continue
            case ast.Graph(ast.Term(URIRef() as name)) if name not in streams:
                continue
        todo += reversed(node.parts())


def _listed(
    subject: ast.Object, properties: Iterable[ast.Property]
) -> Iterator[tuple[ast.Object, ...]]:
    for entry in properties:
        if isinstance(entry.verb, ast.Term):
            yield from ((subject, entry.verb, each) for each in entry.objects)


def _names(parts: Iterable[ast.Node]) -> Names:
    values = (part.value for part in parts if isinstance(part, ast.Term))
    return frozenset(value for value in values if isinstance(value, Variable))
