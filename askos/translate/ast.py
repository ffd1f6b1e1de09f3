"""The syntax tree of a query: frozen values, each with the position where it stands.

Close to the text: `;` and `,` lists, `[ ]` and `( )` nodes, and the stream clauses of every
dialect are kept, while names are resolved, durations are milliseconds, and parentheses that
change nothing are gone.  Trees are equal by content; positions do not count.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Final, NamedTuple, TypeAlias

import askos.terms as rdf
from askos.algebra.report import Kind
from askos.translate.dialect import Dialect


class Position(NamedTuple):
    """Line and column, both from 1."""

    line: int
    column: int


NOWHERE: Final = Position(0, 0)


@dataclass(frozen=True, slots=True)
class Node:
    """A part of a query."""

    at: Position = field(default=NOWHERE, compare=False, repr=False, kw_only=True)

    def parts(self) -> Iterator[Node]:
        """The nodes directly below, in the order of the text."""
        for entry in fields(self):
            value = getattr(self, entry.name)
            if isinstance(value, Node):
                yield value
            elif isinstance(value, tuple):
                yield from _nodes(value)

    def walk(self) -> Iterator[Node]:
        """This node and all below, without recursion, in the order of the text."""
        todo = [self]
        while todo:
            node = todo.pop()
            yield node
            todo.extend(reversed(tuple(node.parts())))


def _nodes(value: tuple[object, ...]) -> Iterator[Node]:
    for member in value:
        if isinstance(member, Node):
            yield member
        elif isinstance(member, tuple):
            yield from _nodes(member)


# ---- terms and triples ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Term(Node):
    """An RDF term, a blank node of the query, or a variable."""

    value: rdf.Term | rdf.Variable


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


# ---- expressions ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Or(Node):
    """a || b || .."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class And(Node):
    """a && b && .."""

    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """!a, +a or -a"""

    sign: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """a = b, and != < > <= >="""

    sign: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class In(Node):
    """a IN (b, ..) or a NOT IN (b, ..)"""

    operand: Expression
    choices: tuple[Expression, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Arithmetic(Node):
    """a + b - c, or a * b / c: operators of one strength, applied from the left."""

    operands: tuple[Expression, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A built-in call, BOUND, IF and COALESCE among them; the name is in upper case."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall(Node):
    """A call of a function named by an IRI, casts among them."""

    function: Term
    arguments: tuple[Expression, ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate(Node):
    """COUNT(DISTINCT ?x), ..; no expression is COUNT(*)."""

    name: str
    expression: Expression | None
    distinct: bool = False
    separator: str | None = None


@dataclass(frozen=True, slots=True)
class Exists(Node):
    """EXISTS {..} or NOT EXISTS {..}"""

    pattern: Group
    negated: bool = False


Expression: TypeAlias = (
    "Term | Or | And | Unary | Compare | In | Arithmetic | Call | FunctionCall | Aggregate | Exists"
)


# ---- windows ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TimeWindow(Node):
    """RANGE w SLIDE δ; no slide is CQELS's [RANGE w], which moves with every instant.

    FIXED and TUMBLING are δ = w.
    """

    range: int
    slide: int | None = None


@dataclass(frozen=True, slots=True)
class CountWindow(Node):
    """ELEMS c, TRIPLES n or ELEMENTS n, as of every `step`-th arrival."""

    count: int
    step: int = 1


@dataclass(frozen=True, slots=True)
class NowWindow(Node):
    """CQELS [NOW]"""


@dataclass(frozen=True, slots=True)
class AllWindow(Node):
    """CQELS [ALL]"""


@dataclass(frozen=True, slots=True)
class PastWindow(Node):
    """SPARQLstream [NOW - w TO NOW - v SLIDE δ]; without SLIDE it moves with every instant."""

    start: int
    end: int
    slide: int | None = None


@dataclass(frozen=True, slots=True)
class PredicateWindow(Node):
    """WINDOW START WHEN (e1) END WHEN (e2) WITHIN w"""

    start: Expression
    end: Expression
    within: int | None = None


Window: TypeAlias = (
    "TimeWindow | CountWindow | NowWindow | AllWindow | PastWindow | PredicateWindow"
)


# ---- graph patterns ---------------------------------------------------------------------------


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


# ---- the query --------------------------------------------------------------------------------


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

    `text` and `remarks` are about the text it was read from, and do not count in comparisons.
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
    remarks: tuple[Remark, ...] = field(default=(), compare=False, repr=False)

    @property
    def prefixes(self) -> dict[str, str]:
        """The namespaces by prefix, as they stand at the end of the declarations."""
        return {d.name: str(d.iri) for d in self.declarations if isinstance(d, Prefix)}

    @property
    def base(self) -> str | None:
        """The base IRI, as it stands at the end of the declarations."""
        bases = [str(d.iri) for d in self.declarations if isinstance(d, Base)]
        return bases[-1] if bases else None
