"""What two dialects may disagree about though a query can be written in both."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

from askos.terms import BNode
from askos.translate import ast
from askos.translate.dialect import Dialect

_AMBIENT: Final = frozenset((Dialect.CSPARQL, Dialect.CQELS))
_BLIND: Final = frozenset(("MIN", "MAX", "SAMPLE"))  # aggregates that cannot notice duplicates
_COPIES: Final = frozenset(("RAND", "UUID", "STRUUID", "BNODE"))  # one value for each copy


class Difference(Enum):
    """A difference that the caller may accept."""

    BOUNDARY = "boundary"
    REPORT = "report"
    DUPLICATES = "duplicates"
    STATIC = "static"


def notices_duplicates(query: ast.Query) -> bool:
    """Whether it could matter to a query if the same triple is in a window twice.

    Not to the *set* of solutions, whatever the pattern; so it takes someone who counts them:
    SELECT without DISTINCT, a slice, an aggregate, or a function with a value for each copy.
    """
    match query.form:
        case ast.Select(distinct=False):
            return True
        case ast.Construct() | ast.Describe() if _slices(query.modifiers):
            return True
        case ast.Construct(template) if template and _has_blanks(template):
            return True
    return any(map(_counts, query.walk()))


def _counts(node: ast.Node) -> bool:
    match node:
        case ast.SubSelect(ast.Select(distinct=False), _, modifiers):
            return _slices(modifiers)
        case ast.Aggregate(name, _, distinct):
            return not distinct and name not in _BLIND
        case ast.Call(name):
            return name in _COPIES
    return False


def _slices(modifiers: ast.Modifiers) -> bool:
    return modifiers.limit is not None or modifiers.offset is not None


def _has_blanks(template: tuple[ast.Triples, ...]) -> bool:
    return any(
        isinstance(node, ast.Bracketed | ast.Collection)
        or (isinstance(node, ast.Term) and isinstance(node.value, BNode))
        for triples in template
        for node in triples.walk()
    )


def default_patterns(query: ast.Query) -> Iterator[ast.Node]:
    """The parts of a query that read the default graph."""
    if isinstance(query.form, ast.Describe):
        yield query.form
    todo: list[ast.Node] = [query.where] if query.where else []
    todo += [query.modifiers, query.form]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Block):
            yield node
        elif not isinstance(node, _ELSEWHERE):
            todo.extend(node.parts())


_ELSEWHERE: Final = (
    ast.Graph,
    ast.Service,
    ast.StreamPattern,
    ast.WindowPattern,
    ast.Construct,
)


def reads_static(query: ast.Query, body: ast.Query) -> ast.Node | None:
    """A part of the query that could read static graphs, if there is one; in its `body` no GRAPH
    is of a stream."""
    for node in default_patterns(query):
        return node
    return next((node for node in body.walk() if isinstance(node, ast.Graph)), None)


def is_ambient(dialect: Dialect) -> bool:
    """Whether the engine's static graphs are in every dataset."""
    return dialect in _AMBIENT
