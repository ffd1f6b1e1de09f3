"""Queries that differ in constants only: one plan for all of them.

A thousand engineers ask the same about a thousand turbines.  What they ask is one plan, joined with
a table of their constants, in which every solution carries whose it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Final, TypeAlias
from urllib.parse import quote

from askos.algebra import (
    AggregateClauses,
    Constant,
    CountWindow,
    Exists,
    GraphAccess,
    Group,
    Join,
    Node,
    Operator,
    Pattern,
    Payload,
    PredicateWindow,
    Project,
    Ref,
)
from askos.algebra.answer import answer_columns
from askos.algebra.operators.pattern import Position
from askos.terms import BNode, Literal, Term, Triple, URIRef, Variable, anonymous
from askos.translate.rules.number_exists import Numbering, Outer
from askos.translate.rules.properties import keeps_stamps
from askos.translate.rules.unnesting import Fresh

Constants: TypeAlias = tuple[Term, ...]
"""What a query has in the places of its shape."""

WHOSE: Final = anonymous("#whose")
"""The name of the query that a solution belongs to."""
_CONSTANT: Final = "#constant"
_ROW: Final = anonymous("#row")
_NAME: Final = URIRef("urn:askos:name")


def is_own(variable: Variable) -> bool:
    """Whether a query of a kind would have the variable if it ran alone."""
    return variable != WHOSE and not variable.startswith(anonymous(_CONSTANT))


@dataclass(frozen=True, slots=True)
class Shape:
    """A plan with a variable in the place of every constant that may differ."""

    plan: Operator
    places: tuple[Variable, ...]

    @classmethod
    def of(cls, plan: Operator) -> tuple[Shape, Constants] | None:
        """The shape of a plan, and what is in its places; None where one plan for several would
        mean something else: solutions must be told apart by whose they are, so triples and ASK
        cannot be shared, nor can arrival times."""
        if plan.payload is not Payload.SOLUTION or keeps_stamps(plan):
            return None
        found: dict[Variable, Term] = {}
        kept = {id(node) for part in _kept(plan) for node in part.walk()}

        def place(term: Term) -> Variable:
            variable = anonymous(f"{_CONSTANT}{len(found) + 1}")
            found[variable] = term
            return variable

        def emptied(node: Node) -> Node:
            return node if id(node) in kept else _without_constants(node, place)

        shape = plan.rewrite(Node, emptied)
        assert isinstance(shape, Operator)
        return cls(shape, tuple(found)), tuple(found.values())

    def filled(self, terms: Mapping[Variable, Term | Variable]) -> Operator:
        """The plan with terms, or other variables, in some of its places."""

        def put(node: Node) -> Node:
            match node:
                case Pattern():
                    return _moved(node, lambda p: terms.get(p, p) if isinstance(p, Variable) else p)
                case Ref(variable) if variable in terms:
                    term = terms[variable]
                    return Ref(term) if isinstance(term, Variable) else Constant(term)
            return node

        plan = self.plan.rewrite(Node, put)
        assert isinstance(plan, Operator)
        return plan


def _kept(plan: Operator) -> Iterator[Node]:
    """Where constants stay: a count or predicate window looks at what else matches below it, and
    nothing of an outer solution is let into a sub-select of EXISTS."""
    for node in plan.walk():
        match node:
            case CountWindow() | PredicateWindow():
                yield node
            case Exists(pattern):
                if any(isinstance(n, Project | Group | AggregateClauses) for n in pattern.walk()):
                    yield pattern


def _without_constants(node: Node, place: Callable[[Term], Variable]) -> Node:
    match node:
        case Constant(term):
            return Ref(place(term))
        case Pattern():
            return _moved(node, lambda p: p if isinstance(p, Variable | BNode) else place(p))
    return node


def _moved(pattern: Pattern, change: Callable[[Position], Position]) -> Pattern:
    s, p, o = map(change, pattern.positions)
    return replace(pattern, subject=s, predicate=p, object=o)


@dataclass(frozen=True)
class Kind:
    """A shape of which some places have the same constant in all queries; the others differ.

    `fixed` are the constants, `parameters` of each other place the variable for it: places that
    have equal constants in every query share one.
    """

    shape: Shape
    fixed: Mapping[Variable, Term]
    parameters: Mapping[Variable, Variable]
    graph: URIRef

    @classmethod
    def of(cls, shape: Shape, rows: Sequence[Constants], graph: URIRef) -> Kind:
        """Of queries of one shape."""
        fixed, parameters = dict[Variable, Term](), dict[Variable, Variable]()
        columns = dict[Constants, Variable]()
        for place, column in zip(shape.places, zip(*rows, strict=True), strict=True):
            if len(set(column)) == 1:
                fixed[place] = column[0]
            else:
                parameters[place] = columns.setdefault(column, place)
        return cls(shape, fixed, parameters, graph)

    @cached_property
    def _columns(self) -> tuple[Variable, ...]:
        return tuple(dict.fromkeys(self.parameters.values()))

    @cached_property
    def plan(self) -> Operator:
        """What all its queries ask, with whose each solution is."""
        template = self.shape.filled({**self.fixed, **self.parameters})
        everybody = Outer((WHOSE,), frozenset(self._columns), self._table(), everywhere=True)
        plan = Numbering(Fresh(template)).solutions(template, everybody)
        return Project((*answer_columns(template), WHOSE), plan)

    def _table(self) -> Operator:
        graph = GraphAccess(self.graph)
        parts: list[Operator] = [Pattern(_ROW, _NAME, WHOSE, graph)]
        parts += [Pattern(_ROW, _column(n), v, graph) for n, v in enumerate(self._columns)]
        return reduce(Join, parts)

    def triples(self, name: str, constants: Constants) -> list[Triple] | None:
        """What the graph of the kind says of a query; None if it is not of the kind."""
        given = dict(zip(self.shape.places, constants, strict=True))
        if any(given[place] != term for place, term in self.fixed.items()):
            return None
        row, terms = URIRef(f"urn:askos:query:{quote(name)}"), dict[Variable, Term]()
        for place, parameter in self.parameters.items():
            if terms.setdefault(parameter, given[place]) != given[place]:
                return None
        columns = ((row, _column(n), terms[v]) for n, v in enumerate(self._columns))
        return [Triple(*each) for each in ((row, _NAME, Literal(name)), *columns)]


def _column(number: int) -> URIRef:
    return URIRef(f"urn:askos:constant:{number}")
