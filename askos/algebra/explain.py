"""Plans as text: stable, so that a plan is reviewed as a diff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from askos.algebra.expressions.exists import Exists
from askos.algebra.names import Names
from askos.algebra.node import Node
from askos.algebra.operator import Operator


def explain(plan: Operator, prefixes: Mapping[str, str] | None = None) -> str:
    """One operator a line, inputs indented below it; `prefixes` shorten IRIs.

    >>> from askos.algebra import Join, Pattern, StreamAccess, SlidingWindow
    >>> from askos.terms import URIRef, Variable
    >>> wind = SlidingWindow(StreamAccess(URIRef("http://wind.example/")), 600_000, 60_000)
    >>> power = Pattern(Variable("t"), URIRef("http://wind.example/power"), Variable("p"), wind)
    >>> print(explain(power, {"": "http://wind.example/"}))
    Pattern ?t :power ?p
      SlidingWindow RANGE 10 MINUTE SLIDE 1 MINUTE
        StreamAccess <http://wind.example/>
    """
    return "\n".join(_lines(plan, Names(prefixes or {}), ""))


def _lines(plan: Operator, names: Names, margin: str) -> Iterator[str]:
    yield f"{margin}{type(plan).__name__} {plan.label(names)}".rstrip()
    for child in plan.inputs:
        yield from _lines(child, names, margin + "  ")
    for pattern in own_patterns(plan):
        yield f"{margin}  EXISTS"
        yield from _lines(pattern, names, margin + "    ")


def own_patterns(plan: Operator) -> Iterator[Operator]:
    """The patterns of the EXISTS in this operator's own expressions, left to right."""

    def within(node: Node) -> Iterator[Operator]:
        for child in node.children:
            if isinstance(child, Exists):
                yield child.pattern
            elif not isinstance(child, Operator):
                yield from within(child)

    return within(plan)
