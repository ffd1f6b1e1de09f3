"""Short ways to write graphs and ask plans of them."""

from __future__ import annotations

from collections import Counter

from askos.algebra import GraphAccess, Operator, Pattern
from askos.algebra.operators import Path
from askos.algebra.operators.paths import PathExpression
from askos.static import StaticGraph, evaluate
from askos.terms import Variable
from tests.build import G1, pattern, term, triple

GRAPH = GraphAccess(G1)


def graph(*rows: tuple[object, object, object]) -> StaticGraph:
    return StaticGraph(triple(*row) for row in rows)


def match(s: object, p: object, o: object) -> Pattern:
    """A pattern over the one graph."""
    return pattern(s, p, o, GRAPH)


def path(s: object, walk: PathExpression, o: object) -> Path:
    start, end = (x if isinstance(x, Variable) else term(x) for x in (s, o))
    return Path(start, walk, end, GRAPH)


def ask(plan: Operator, data: StaticGraph) -> Counter[object]:
    """The bag a plan yields over the one graph."""
    answer = evaluate(plan, {G1: data})
    return Counter([answer] if isinstance(answer, bool) else answer)
