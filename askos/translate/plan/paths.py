"""Property paths as the algebra writes them."""

from __future__ import annotations

from askos.algebra.chains import chained
from askos.algebra.operators.paths import (
    Alternative,
    Inverse,
    Link,
    Negated,
    OneOrMore,
    PathExpression,
    Sequence,
    ZeroOrMore,
    ZeroOrOne,
)
from askos.terms import URIRef
from askos.translate import ast

_REPEATS = {"*": ZeroOrMore, "+": OneOrMore, "?": ZeroOrOne}


def path_expression(path: ast.Path) -> PathExpression:
    """The path as the algebra writes it (SPARQL 1.1, 18.2.2.3)."""
    match path:
        case ast.Term(URIRef() as iri):
            return Link(iri)
        case ast.PathInverse(inner):
            return Inverse(path_expression(inner))
        case ast.PathSequence(steps):
            return chained(Sequence, map(path_expression, steps))
        case ast.PathAlternative(choices):
            return chained(Alternative, map(path_expression, choices))
        case ast.PathRepeat(inner, sign):
            return _REPEATS[sign](path_expression(inner))
        case ast.PathNegated(excluded):
            return Negated(_links(excluded, inverse=False), _links(excluded, inverse=True))
    raise TypeError(f"{type(path).__name__} is no path")


def _links(excluded: tuple[ast.Path, ...], inverse: bool) -> tuple[URIRef, ...]:
    found = []
    for path in excluded:
        link = path.path if isinstance(path, ast.PathInverse) else path
        assert isinstance(link, ast.Term)
        assert isinstance(link.value, URIRef)
        if isinstance(path, ast.PathInverse) is inverse:
            found.append(link.value)
    return tuple(found)
