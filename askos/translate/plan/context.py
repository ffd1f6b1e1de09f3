"""What Algorithm 1 hands down: the active graph, the named ones, the window."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from askos.algebra import Boundary, GraphAccess, Operator, Union
from askos.algebra.chains import chained
from askos.sources import Catalogue
from askos.terms import Term, URIRef, Variable, anonymous
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.plan.dataset import Dataset, Sources, dataset, schema_graphs
from askos.translate.plan.errors import not_offered

KEYED: Final = frozenset({"RAND", "UUID", "STRUUID", "BNODE"})
_TRIPLE_STAMP: Final = "#stamp"
_SETS: Final = frozenset({Dialect.SPARQL, Dialect.CSPARQL, Dialect.CQELS, Dialect.RSPQL})


@dataclass(frozen=True, slots=True)
class Grouped:
    """How expressions over groups read: aggregates and variables that are no keys, each by the
    variable that holds it."""

    aggregates: Mapping[ast.Aggregate, Variable] = field(default_factory=dict)
    samples: Mapping[Variable, Variable] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """The parameters of Algorithm 1: `active` is actStream, `dataset` has namedStreams, `window`
    is win.  graphVar is not handed down: GRAPH joins it from outside (semantics, section 4).

    `stamps` are the variables of timestamp(); `branch` tells the instances of one clause under
    GRAPH ?g apart; `numbers` counts the nodes that need a name of their own.  `boundary` and
    `origin` are the caller's, for all time windows: None is each dialect's own boundary.
    `schema` are the triples that say what others entail, None where none do.
    """

    query: ast.Query
    dataset: Dataset
    active: Sources
    window: ast.Window | None = None
    stamps: frozenset[Variable] = frozenset()
    branch: str = ""
    inside_graph: bool = False
    grouped: Grouped | None = None
    numbers: Mapping[int, int] = field(default_factory=dict)
    boundary: Boundary | None = None
    origin: int = 0
    schema: Operator | None = None

    @classmethod
    def of(
        cls,
        query: ast.Query,
        catalogue: Catalogue | None,
        boundary: Boundary | None = None,
        origin: int = 0,
        reasoning: bool = False,
    ) -> Context:
        """The context in which the WHERE clause stands."""
        known = dataset(query, catalogue)
        return cls(
            query,
            known,
            known.default,
            stamps=_stamps(query),
            numbers=_numbers(query),
            boundary=boundary,
            origin=origin,
            schema=_schema(query, known, catalogue) if reasoning else None,
        )

    @property
    def sets(self) -> bool:
        """Whether windows hold sets of triples (semantics, section 1)."""
        return self.query.dialect in _SETS

    def within(self, group: ast.Group) -> Context:
        """Inside `group`: `win := clause.window or win`.

        Departure: Algorithm 1 resets win in a nested group, so that a window around UNION or
        OPTIONAL would have no effect.
        """
        return replace(self, window=group.window or self.window)

    def reading(self, active: Sources, name: URIRef | None = None) -> Context:
        """Inside GRAPH; with a name, in its branch of GRAPH ?g."""
        branch = self.branch if name is None else f"{self.branch}<{name}>"
        return replace(self, active=active, branch=branch, inside_graph=True)

    def over_groups(self, grouped: Grouped | None) -> Context:
        """In SELECT, HAVING and ORDER BY of a query that groups."""
        return replace(self, grouped=grouped)

    def number(self, node: ast.Node) -> int:
        """The place of `node` among those that need a name, in the order of the text."""
        return self.numbers[id(node)]

    def fresh(self, node: ast.Node, *parts: int) -> Variable:
        """A variable that stands for a blank node without a label; no label begins with #."""
        return anonymous(".".join([f"#{self.number(node)}", *map(str, parts)]))

    def triple_stamp(self, call: ast.Node) -> Variable:
        """The column of what a timestamp(?s, ?p, ?o) says."""
        return anonymous(f"{_TRIPLE_STAMP}{self.number(call)}")

    def site(self, node: ast.Node) -> str:
        """The query and the call site of a keyed function, as one text.

        Calls of BNODE("label") share theirs: equal labels of one solution are one node.
        """
        shared = isinstance(node, ast.Call) and node.name == "BNODE" and node.arguments
        place = "BNODE" if shared else str(self.number(node))
        return f"{fingerprint(self.query)}/{place}{self.branch}"


def fingerprint(query: ast.Query) -> str:
    """A short name of the query: equal for equal syntax trees, however they are written."""
    return hashlib.blake2b(repr(query).encode(), digest_size=4).hexdigest()


def name(term: ast.Term) -> Variable:
    """The variable that the grammar makes sure `term` is."""
    assert isinstance(term.value, Variable)
    return term.value


def constant(term: ast.Term) -> Term:
    """The RDF term that the grammar makes sure `term` is."""
    assert isinstance(term.value, Term)
    return term.value


def is_keyed(node: ast.Node) -> bool:
    """Whether `node` is a call of RAND(), UUID(), STRUUID() or BNODE()."""
    return isinstance(node, ast.Call) and node.name in KEYED


def is_triple_stamp(node: ast.Node) -> bool:
    """Whether `node` is a call of timestamp(?s, ?p, ?o)."""
    return isinstance(node, ast.Call) and node.name == "TIMESTAMP" and len(node.arguments) > 2


def is_stamp_column(variable: Variable) -> bool:
    """Whether `variable` holds what a timestamp(?s, ?p, ?o) says, or stands for its triple."""
    return variable.startswith(anonymous(_TRIPLE_STAMP))


def _numbers(query: ast.Query) -> dict[int, int]:
    """By identity: equal nodes in two places are two."""
    named = (ast.Bracketed, ast.Collection, ast.PathSequence)
    calls = (is_keyed, is_triple_stamp)
    found = (n for n in query.walk() if isinstance(n, named) or any(is_it(n) for is_it in calls))
    return {id(node): number for number, node in enumerate(found, 1)}


def _schema(query: ast.Query, known: Dataset, catalogue: Catalogue | None) -> Operator | None:
    graphs: list[Operator] = [
        GraphAccess(g.iri, g.reloadable) for g in schema_graphs(known, catalogue)
    ]
    for call in _timestamps(query) if graphs else ():
        hint = "say when something was observed in the data, or ask without reasoning"
        raise not_offered(query, call, "timestamp() is not offered with reasoning", hint)
    return chained(Union, graphs) if graphs else None


def _timestamps(query: ast.Query) -> Iterator[ast.Call]:
    return (n for n in query.walk() if isinstance(n, ast.Call) and n.name == "TIMESTAMP")


def _stamps(query: ast.Query) -> frozenset[Variable]:
    terms = (call.arguments[0] for call in _timestamps(query) if not is_triple_stamp(call))
    values = (term.value for term in terms if isinstance(term, ast.Term))
    return frozenset(value for value in values if isinstance(value, Variable))
