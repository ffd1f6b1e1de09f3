"""What the builder's methods share: picking out parts by token or by node, and faults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

from askos.algebra.report import Kind
from askos.errors import QueryError
from askos.terms import RDF, URIRef, Variable
from askos.translate import ast
from askos.translate.lexer import Token

Parts: TypeAlias = list[Any]
"""What the parts of a rule became: tokens, nodes, or lists of them."""

N = TypeVar("N", bound=ast.Node)
WINDOWS: Final = (ast.TimeWindow, ast.CountWindow, ast.PredicateWindow)
"""The windows that may stand in a group."""


@dataclass(frozen=True, slots=True)
class Span:
    """A duration in milliseconds, and one of its unit."""

    length: int
    unit: int
    at: ast.Position


def fault(message: str, at: ast.Position, hint: str = "") -> QueryError:
    """An error at a position; `parse` adds the text."""
    return QueryError(message, "", at.line, at.column, hint)


def tokens(parts: Parts, *types: str) -> list[Token]:
    """The parts that are tokens of these types."""
    return [part for part in parts if isinstance(part, Token) and part.type in types]


def has(parts: Parts, *types: str) -> bool:
    """Whether a part is a token of one of these types."""
    return bool(tokens(parts, *types))


def every(parts: Parts, *kinds: type[N]) -> tuple[N, ...]:
    """The parts that are nodes of these kinds."""
    return tuple(part for part in parts if isinstance(part, kinds))


def first(parts: Parts, *kinds: type[N]) -> N | None:
    """The first part that is a node of one of these kinds."""
    return next(iter(every(parts, *kinds)), None)


def term(part: Any) -> Any:
    """A token that is a term, as a node; nodes as they are."""
    if not isinstance(part, Token):
        return part
    match part.type:
        case "A":
            return ast.Term(RDF.type, at=part.at)
        case "NIL":
            return ast.Term(RDF.nil, at=part.at)
        case "ANON":
            return ast.Bracketed(at=part.at)
        case "WORD":
            return ast.Term(URIRef(part.value), at=part.at)
    return ast.Term(part.value, at=part.at)


def whole(token: Token) -> int:
    """The number that a token writes; refused if 64 bits cannot hold it."""
    digits = str(token.value).lstrip("0") or "0"
    if len(digits) > 19 or int(digits) >= 2**63:
        raise fault("this number is too large", token.at, f"the largest is {2**63 - 1}")
    return int(digits)


def report(parts: Parts) -> Kind | None:
    """RSTREAM, ISTREAM or DSTREAM, if it is among the parts."""
    words = tokens(parts, "REPORT")
    return Kind(words[0].value.upper()) if words else None


def is_variable(node: ast.Node) -> bool:
    """Whether a node is a variable alone."""
    return isinstance(node, ast.Term) and isinstance(node.value, Variable)


def source(token: Token) -> Any:
    """The name of a stream or graph; a bare name is a relative IRI."""
    if token.type == "VAR":
        raise fault("a source is named by an IRI", token.at, "variables stand in GRAPH ?g {..}")
    return term(token)


def window(parts: Parts) -> Any:
    """The window among the parts, if there is one."""
    return first(parts, *WINDOWS, ast.NowWindow, ast.AllWindow, ast.PastWindow)
