"""Graph patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from askos.translate.ast.node import Node

if TYPE_CHECKING:
    from askos.translate.ast.expressions import Expression
    from askos.translate.ast.query import Modifiers, Select
    from askos.translate.ast.triples import Term, Triples
    from askos.translate.ast.windows import Window


@dataclass(frozen=True, slots=True)
class Group(Node):
    """{ .. }, and in Streaming SPARQL a window that holds for all of it."""

    members: tuple[Member, ...] = ()
    window: Window | None = None


@dataclass(frozen=True, slots=True)
class Block(Node):
    """Triples with nothing in between."""

    triples: tuple[Triples, ...]


@dataclass(frozen=True, slots=True)
class Filter(Node):
    """FILTER e"""

    condition: Expression


@dataclass(frozen=True, slots=True)
class Optional(Node):
    """OPTIONAL {..}"""

    group: Group


@dataclass(frozen=True, slots=True)
class Union(Node):
    """{..} UNION {..} .."""

    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Minus(Node):
    """MINUS {..}"""

    group: Group


@dataclass(frozen=True, slots=True)
class Bind(Node):
    """BIND(e AS ?x)"""

    expression: Expression
    variable: Term


@dataclass(frozen=True, slots=True)
class Values(Node):
    """VALUES (?x ?y) { (1 UNDEF) .. }; None is UNDEF."""

    variables: tuple[Term, ...]
    rows: tuple[tuple[Term | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Graph(Node):
    """GRAPH <iri> {..} or GRAPH ?g {..}"""

    name: Term
    group: Group


@dataclass(frozen=True, slots=True)
class Service(Node):
    """SERVICE [SILENT] <endpoint> {..}"""

    endpoint: Term
    group: Group
    silent: bool = False


@dataclass(frozen=True, slots=True)
class StreamPattern(Node):
    """CQELS STREAM <s> [w] {..}; no window is the one that FROM STREAM gives the stream."""

    name: Term
    group: Group
    window: Window | None = None


@dataclass(frozen=True, slots=True)
class WindowPattern(Node):
    """RSP-QL WINDOW <w> {..} or WINDOW ?w {..}"""

    name: Term
    group: Group


@dataclass(frozen=True, slots=True)
class SubSelect(Node):
    """{ SELECT .. }"""

    select: Select
    where: Group
    modifiers: Modifiers
    values: Values | None = None


Member: TypeAlias = (
    "Block | Filter | Optional | Union | Minus | Bind | Values | Graph | Service | StreamPattern"
    " | WindowPattern | SubSelect | Group"
)
