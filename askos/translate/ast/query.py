"""Whole queries: declarations, forms, the dataset, and what comes after WHERE."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import askos.terms as rdf
from askos.algebra.report import Kind
from askos.translate.ast.node import Node
from askos.translate.dialect import Dialect

if TYPE_CHECKING:
    from askos.translate.ast.expressions import Aggregate, Expression
    from askos.translate.ast.patterns import Group, Values
    from askos.translate.ast.triples import Term, Triples
    from askos.translate.ast.windows import Window


@dataclass(frozen=True, slots=True)
class Base(Node):
    """BASE <iri>"""

    iri: rdf.URIRef


@dataclass(frozen=True, slots=True)
class Prefix(Node):
    """PREFIX name: <iri>"""

    name: str
    iri: rdf.URIRef


Declaration: TypeAlias = Base | Prefix


@dataclass(frozen=True, slots=True)
class Register(Node):
    """REGISTER QUERY n COMPUTED EVERY 5m AS (C-SPARQL), REGISTER RSTREAM <o> AS (RSP-QL).

    `stream`: it publishes a stream; `report` is what of the answer RSP-QL tells.
    """

    name: Term | str
    stream: bool = False
    every: int | None = None
    report: Kind | None = None


@dataclass(frozen=True, slots=True)
class Projection(Node):
    """?x, or (e AS ?x)."""

    variable: Term
    expression: Expression | None = None


@dataclass(frozen=True, slots=True)
class Select(Node):
    """SELECT; no projections is SELECT *.  `report` is SPARQLstream's SELECT RSTREAM."""

    projections: tuple[Projection, ...]
    distinct: bool = False
    reduced: bool = False
    report: Kind | None = None


@dataclass(frozen=True, slots=True)
class Construct(Node):
    """CONSTRUCT { template }; None is CONSTRUCT WHERE {..}, whose pattern is the template."""

    template: tuple[Triples, ...] | None
    report: Kind | None = None


@dataclass(frozen=True, slots=True)
class Describe(Node):
    """DESCRIBE <iri> ?x ..; no resources is DESCRIBE *."""

    resources: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Ask(Node):
    """ASK"""


Form: TypeAlias = Select | Construct | Describe | Ask


@dataclass(frozen=True, slots=True)
class From(Node):
    """FROM <g> or FROM NAMED <g>: a static graph."""

    source: Term
    named: bool = False


@dataclass(frozen=True, slots=True)
class FromStream(Node):
    """FROM [NAMED] STREAM <s>, with the window that holds unless a group has its own."""

    source: Term
    named: bool = False
    window: Window | None = None


@dataclass(frozen=True, slots=True)
class FromWindow(Node):
    """RSP-QL FROM NAMED WINDOW <w> ON <s> [..]"""

    name: Term
    source: Term
    window: Window


Dataset: TypeAlias = From | FromStream | FromWindow


@dataclass(frozen=True, slots=True)
class GroupKey(Node):
    """GROUP BY e, or (e AS ?x)."""

    expression: Expression
    variable: Term | None = None


@dataclass(frozen=True, slots=True)
class SortKey(Node):
    """ORDER BY e, or DESC(e)."""

    expression: Expression
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Modifiers(Node):
    """What comes after WHERE."""

    group_by: tuple[GroupKey, ...] = ()
    having: tuple[Expression, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    limit: int | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class AggregateClause(Node):
    """C-SPARQL AGGREGATE { (?v, COUNT(?x), {?g ..}) FILTER (..) }"""

    variable: Term
    aggregate: Aggregate
    by: tuple[Term, ...]
    filters: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Remark(Node):
    """Something about the query that is no error, but probably not meant."""

    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Query(Node):
    """A whole query, and the dialect it is written in.

    `text`, the `given` base and `remarks` are about how it was read: they do not count when
    queries are compared.
    """

    dialect: Dialect
    form: Form
    where: Group | None
    dataset: tuple[Dataset, ...] = ()
    modifiers: Modifiers = field(default_factory=Modifiers)
    values: Values | None = None
    aggregates: tuple[AggregateClause, ...] = ()
    declarations: tuple[Declaration, ...] = ()
    register: Register | None = None
    text: str = field(default="", compare=False, repr=False)
    given: str | None = field(default=None, compare=False, repr=False)
    remarks: tuple[Remark, ...] = field(default=(), compare=False, repr=False)

    @property
    def prefixes(self) -> dict[str, str]:
        """The namespaces by prefix, as they stand at the end of the declarations."""
        return {d.name: str(d.iri) for d in self.declarations if isinstance(d, Prefix)}

    @property
    def base(self) -> str | None:
        """The base IRI: the one declared last, else the one the caller gave."""
        bases = [str(d.iri) for d in self.declarations if isinstance(d, Base)]
        return bases[-1] if bases else self.given
