"""Property paths as joins, unions and closures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from askos.algebra.chains import chained, members
from askos.algebra.expressions import Call, Constant, Expression, In, Not, Ref
from askos.algebra.operator import Operator
from askos.algebra.operators import (
    Distinct,
    Extend,
    Filter,
    Join,
    Path,
    Pattern,
    Project,
    Union,
    Values,
)
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
from askos.algebra.operators.pattern import Position
from askos.algebra.placement import streaming
from askos.terms import BNode, Literal, Term, URIRef, Variable, anonymous

Verbs: TypeAlias = Callable[[Expression], Expression]
"""Which predicates are wanted."""

_FEW: Final = 8  # alternatives that are patterns of their own: of those, a source can send less


def expanded(plan: Path) -> Operator:
    """What the path abbreviates (SPARQL 1.1, 18.4); a Path that is left is `p+`, from a term or
    between two variables.

    a/b is a join, a|b a union, !a a filter, a? and a* the union of a and a+ with the nodes of the
    graph.  A term at an end is such a node too, whether or not it is in the graph; inside of a+ it
    need not be, for there is no step from or to it if it is not.
    """
    ends = (plan.subject, plan.object)
    known = next((end for end in ends if not isinstance(end, Variable)), None)
    return _Expansion(plan.input, known).pairs(plan.subject, plan.path, plan.object)


def without_paths(plan: Operator) -> Operator:
    """A path over a stream as what it abbreviates; everything else as it is."""
    return expanded(plan) if isinstance(plan, Path) and streaming(plan) else plan


def steps(plan: Path) -> tuple[Operator, Variable, Variable]:
    """What one step of `p+` leads from and to, and where these are told."""
    assert isinstance(plan.path, OneOrMore)
    start, end = anonymous("#path.from"), anonymous("#path.to")
    return _Expansion(plan.input, None).pairs(start, plan.path.path, end), start, end


@dataclass(slots=True)
class _Expansion:
    """One path over one graph."""

    graph: Operator
    term: Term | None  # a node, even where the graph does not have it
    fresh: int = 0

    def pairs(self, start: Position, path: PathExpression, end: Position) -> Operator:
        """The solutions of `start path end`."""
        match path:
            case Link(predicate):
                return Pattern(start, predicate, end, self.graph)
            case Inverse(inner):
                return self.pairs(end, inner, start)
            case Sequence(left, right):
                middle = self._variable()
                steps = Join(self.pairs(start, left, middle), self.pairs(middle, right, end))
                return Project(_named(start, end), steps)
            case Alternative():
                return self._alternatives(start, path, end)
            case Negated():
                return self._negated(start, path, end)
            case ZeroOrOne(inner):
                return Distinct(Union(self.pairs(start, inner, end), self._same(start, end)))
            case ZeroOrMore(inner):
                return Distinct(Union(self._closure(start, inner, end), self._same(start, end)))
            case OneOrMore(inner) if inner.nullable:
                return self.pairs(start, ZeroOrMore(inner), end)
            case OneOrMore(inner):
                return self._closure(start, inner, end)
        raise TypeError(f"{type(path).__name__} has no expansion")

    def _variable(self) -> Variable:
        self.fresh += 1
        return anonymous(f"#path.{self.fresh}")

    # ---- one triple --------------------------------------------------------------------------

    def _alternatives(self, start: Position, path: Alternative, end: Position) -> Operator:
        """A union; of many predicates, one pattern with a filter."""
        parts = members(path, Alternative)
        links = dict.fromkeys(part.predicate for part in parts if isinstance(part, Link))
        if len(links) <= _FEW:
            return chained(Union, [self.pairs(start, part, end) for part in parts])
        once = self._by_verb(start, end, lambda verb: In(verb, _constants(links)))
        for predicate in links:
            parts.remove(Link(predicate))
        return chained(Union, [once, *(self.pairs(start, part, end) for part in parts)])

    def _negated(self, start: Position, path: Negated, end: Position) -> Operator:
        parts = []
        if path.forward or not path.backward:
            parts.append((start, end, path.forward))
        if path.backward:
            parts.append((end, start, path.backward))
        made = [self._by_verb(one, other, _unlike(no)) for one, other, no in parts]
        return Project(_named(start, end), chained(Union, made))

    def _by_verb(self, start: Position, end: Position, wanted: Verbs) -> Operator:
        verb = self._variable()
        triples = Pattern(start, verb, end, self.graph)
        return Project(_named(start, end), Filter(wanted(Ref(verb)), triples))

    # ---- no triple, and any number -----------------------------------------------------------

    def _same(self, start: Position, end: Position) -> Operator:
        """Paths of length zero: every node to itself."""
        match start, end:
            case Variable(), Variable():
                nodes = self._nodes(start)
                return nodes if start == end else Extend(end, Ref(start), nodes)
            case (Variable() as free, (URIRef() | BNode() | Literal()) as term) | (
                (URIRef() | BNode() | Literal()) as term,
                Variable() as free,
            ):
                return Values((free,), ((term,),))
        return Values((), ((),) if start == end else ())

    def _nodes(self, node: Variable) -> Operator:
        """Subjects and objects, and the term at the end."""
        verb, other = self._variable(), self._variable()
        places = [(node, verb, other), (other, verb, node)]
        parts: list[Operator] = [Project((node,), Pattern(*p, self.graph)) for p in places]
        if self.term is not None:
            parts.append(Values((node,), ((self.term,),)))
        return Distinct(chained(Union, parts))

    def _closure(self, start: Position, path: PathExpression, end: Position) -> Operator:
        """path+, from a term where one is given."""
        if isinstance(start, Variable) and not isinstance(end, Variable):
            return self._closure(end, Inverse(path), start)
        if isinstance(end, Variable) and start != end:
            return Path(start, OneOrMore(path), end, self.graph)
        reached = self._variable()
        value = Ref(end) if isinstance(end, Variable) else Constant(end)
        again = Call("SAMETERM", (Ref(reached), value))
        pairs = Path(start, OneOrMore(path), reached, self.graph)
        return Project(_named(start, end), Filter(again, pairs))


def _named(*positions: Position) -> tuple[Variable, ...]:
    return tuple(dict.fromkeys(p for p in positions if isinstance(p, Variable)))


def _unlike(predicates: Iterable[URIRef]) -> Verbs:
    return lambda verb: Not(In(verb, _constants(predicates)))


def _constants(predicates: Iterable[URIRef]) -> tuple[Expression, ...]:
    return tuple(Constant(predicate) for predicate in predicates)
