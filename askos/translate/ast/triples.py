"""Terms, triples and property paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import askos.terms as rdf
from askos.translate.ast.node import Node


@dataclass(frozen=True, slots=True)
class Term(Node):
    """An RDF term, a blank node of the query, or a variable."""

    value: rdf.Term | rdf.Variable

    def parts(self) -> list[Node]:
        return []


@dataclass(frozen=True, slots=True)
class Bracketed(Node):
    """[ :p ?o ]: a blank node and what is said of it; [] says nothing."""

    properties: tuple[Property, ...] = ()


@dataclass(frozen=True, slots=True)
class Collection(Node):
    """( ?a ?b ): an RDF list."""

    items: tuple[Object, ...]


Object: TypeAlias = "Term | Bracketed | Collection"


@dataclass(frozen=True, slots=True)
class Property(Node):
    """A verb, which may be a property path, and its objects."""

    verb: Path
    objects: tuple[Object, ...]


@dataclass(frozen=True, slots=True)
class Triples(Node):
    """Triples of one subject."""

    subject: Object
    properties: tuple[Property, ...]


# ---- property paths ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PathSequence(Node):
    """a / b"""

    steps: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class PathAlternative(Node):
    """a | b"""

    choices: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class PathInverse(Node):
    """^a"""

    path: Path


@dataclass(frozen=True, slots=True)
class PathRepeat(Node):
    """a*, a+ or a?"""

    path: Path
    sign: str


@dataclass(frozen=True, slots=True)
class PathNegated(Node):
    """!(a | ^b)"""

    excluded: tuple[Path, ...]


Path: TypeAlias = "Term | PathSequence | PathAlternative | PathInverse | PathRepeat | PathNegated"
