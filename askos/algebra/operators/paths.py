"""Property path expressions (SPARQL 1.1, 9.1) as values."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.chains import WIDE, members
from askos.algebra.names import Names
from askos.algebra.node import Node
from askos.errors import QueryError, require
from askos.terms import URIRef


@dataclass(frozen=True, slots=True)
class PathExpression(Node):
    """A path through a graph: a relation between nodes."""

    def __post_init__(self) -> None:
        for part in ("path", "left", "right"):
            value = getattr(self, part, self)
            if not isinstance(value, PathExpression):  # only then spelt: a path may be long
                message = f"{type(self).__name__}: {part} must be a path, not {value!r}"
                raise QueryError(message, hint="wrap an IRI in Link")

    @property
    def nullable(self) -> bool:
        """Whether it may have length zero, and so relate every node to itself."""
        return False

    @property
    def power(self) -> int:
        """How tightly the text of this path binds."""
        return 4

    def text(self, names: Names) -> str:
        """The path as SPARQL writes it."""
        raise TypeError(f"{type(self).__name__} has no text")

    def inside(self, names: Names, power: int) -> str:
        """The text as a part of another path, in parentheses where needed."""
        return self.text(names) if self.power >= power else f"({self.text(names)})"


@dataclass(frozen=True, slots=True)
class _Pair(PathExpression):
    """Two paths."""

    left: PathExpression
    right: PathExpression

    def _infix(self, names: Names, symbol: str) -> str:
        """Left-associative text; a wide chain, which is balanced, as it was written."""
        parts = members(self, type(self))
        if len(parts) > WIDE:
            return symbol.join(part.inside(names, self.power + 1) for part in parts)
        left, right = self.left.inside(names, self.power), self.right.inside(names, self.power + 1)
        return f"{left}{symbol}{right}"


@dataclass(frozen=True, slots=True)
class Link(PathExpression):
    """:p, one triple; a bag."""

    predicate: URIRef

    def __post_init__(self) -> None:
        ok = isinstance(self.predicate, URIRef)
        require(ok, f"Link: predicate must be an IRI, not {self.predicate!r}")

    def text(self, names: Names) -> str:
        return names.text(self.predicate)


@dataclass(frozen=True, slots=True)
class Inverse(PathExpression):
    """^path: from object to subject."""

    path: PathExpression

    @property
    def nullable(self) -> bool:
        return self.path.nullable

    @property
    def power(self) -> int:
        return 3

    def text(self, names: Names) -> str:
        return f"^{self.path.inside(names, 4)}"


@dataclass(frozen=True, slots=True)
class Sequence(_Pair):
    """left / right: a join, so a bag."""

    @property
    def nullable(self) -> bool:
        return self.left.nullable and self.right.nullable

    @property
    def power(self) -> int:
        return 2

    def text(self, names: Names) -> str:
        return self._infix(names, "/")


@dataclass(frozen=True, slots=True)
class Alternative(_Pair):
    """left | right: a union, so a bag."""

    @property
    def nullable(self) -> bool:
        return self.left.nullable or self.right.nullable

    @property
    def power(self) -> int:
        return 1

    def text(self, names: Names) -> str:
        return self._infix(names, "|")


@dataclass(frozen=True, slots=True)
class ZeroOrMore(PathExpression):
    """path*: a set."""

    path: PathExpression

    @property
    def nullable(self) -> bool:
        return True

    def text(self, names: Names) -> str:
        return f"{_atom(self.path, names)}*"


@dataclass(frozen=True, slots=True)
class OneOrMore(PathExpression):
    """path+: a set."""

    path: PathExpression

    @property
    def nullable(self) -> bool:
        return self.path.nullable

    def text(self, names: Names) -> str:
        return f"{_atom(self.path, names)}+"


@dataclass(frozen=True, slots=True)
class ZeroOrOne(PathExpression):
    """path?: a set."""

    path: PathExpression

    @property
    def nullable(self) -> bool:
        return True

    def text(self, names: Names) -> str:
        return f"{_atom(self.path, names)}?"


@dataclass(frozen=True, slots=True)
class Negated(PathExpression):
    """!(:p | ^:q): one triple whose predicate is none of these; a bag.

    Forward triples take part if `forward` was written or nothing was, backward ones if
    `backward` was.
    """

    forward: tuple[URIRef, ...] = ()
    backward: tuple[URIRef, ...] = ()

    def __post_init__(self) -> None:
        for part in ("forward", "backward"):
            iris = getattr(self, part)
            ok = isinstance(iris, tuple) and all(isinstance(iri, URIRef) for iri in iris)
            require(ok, f"Negated: {part} must be a tuple of IRIs, not {iris!r}")

    def text(self, names: Names) -> str:
        links = [names.text(iri) for iri in self.forward]
        links += [f"^{names.text(iri)}" for iri in self.backward]
        return f"!({'|'.join(links)})"


def followed(path: PathExpression) -> frozenset[URIRef] | None:
    """The predicates of the triples that decide where `path` leads; None: any may.

    A path that may have zero length relates every node to itself, so all triples count.
    """
    parts = list(path.walk())
    if path.nullable or any(isinstance(part, Negated) for part in parts):
        return None
    return frozenset(part.predicate for part in parts if isinstance(part, Link))


def _atom(path: PathExpression, names: Names) -> str:
    """The text of what a modifier applies to: `:p*`, but `(:p*)*`."""
    simple = isinstance(path, Link | Negated)
    return path.text(names) if simple else f"({path.text(names)})"
