"""Plain SPARQL over a graph that arrives: a file as a finite stream.

Groppe et al., "A SPARQL Engine for Streaming RDF Data": triples come one after the other, each
stays, and a solution is told as soon as no later triple can take it back.  In our algebra a
graph that arrives is δ(ω(stream)), with a window ω that never lets go: once all is read, every
snapshot is the graph.  So any operator over it means, at the end, what SPARQL says, whichever of
two windows an access has: `ALL`, from its place on, or `at_end`, which waits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Final, TypeAlias

from askos.algebra import (
    AntiJoin,
    Construct,
    Describe,
    Distinct,
    EmptyGraph,
    Exists,
    Extend,
    Filter,
    GraphAccess,
    Join,
    LeftJoin,
    Node,
    Operator,
    Path,
    Pattern,
    Project,
    Reduced,
    SlidingWindow,
    SteppedWindow,
    StreamAccess,
    Union,
    Values,
    Window,
)
from askos.algebra.operators.paths import followed
from askos.terms import Term, URIRef, n3

END: Final = 2**62
"""The instant from which `at_end` shows what arrived before it: later than any place in a file."""

_Windowed: TypeAlias = Callable[[Operator], Window]
_OPTIONALS: Final = 3
"""How many OPTIONALs are split, since each makes the plan bigger by what is below it."""


def at_end(input: Operator) -> Window:
    """The window that holds all, but shows it at the end alone: [END, FOREVER)."""
    return SteppedWindow(input, END, END)


def arriving(plan: Operator, graphs: Collection[URIRef] | None = None) -> Operator:
    """`plan` with graphs, all of them or those named, as streams whose triples stay.

    >>> from askos.explaining import explain
    >>> from askos.terms import Variable
    >>> s, p, o = map(Variable, "spo")
    >>> print(explain(arriving(Pattern(s, p, o, GraphAccess(URIRef("park"))))))
    Pattern ?s ?p ?o
      Distinct
        SlidingWindow ALL
          StreamAccess <park>
    """
    return plan.transform(lambda node: _stream(node, graphs, SlidingWindow.all))


def early(plan: Operator, graphs: Collection[URIRef]) -> Operator:
    """`plan` over graphs that arrive, so that what no later triple can take back comes at once.

    Below patterns, joins, unions, filters, projections, BIND and DISTINCT more triples only make
    more solutions: there a graph is as it has arrived.  Below everything else (MINUS, EXISTS, ORDER
    BY, LIMIT, groups, closures of paths) it is what it is at the end, so that they do their work
    once.  An OPTIONAL is split by Def. 13 of Streaming SPARQL, A ⟕ B = σ(A ⋈ B) ∪₊ (A ▷ B): what
    has a partner will always have it.
    """
    few = sum(isinstance(node, LeftJoin) for node in plan.walk()) <= _OPTIONALS

    def late(node: Operator) -> Operator:
        return node.transform(lambda part: _stream(part, graphs, at_end))

    def now(node: Node) -> Node:
        if not isinstance(node, Operator):
            return node
        match node:
            case GraphAccess():
                return _stream(node, graphs, SlidingWindow.all)
            case LeftJoin(a, b, condition) if few and not decides_by_exists(node):
                joined = Join(_operator(now(a)), _operator(now(b)))
                return Union(Filter(condition, joined), AntiJoin(late(a), late(b), condition))
        return node.map_children(now) if _only_grows(node) else late(node)

    return _operator(now(plan))


def _operator(node: Node) -> Operator:
    assert isinstance(node, Operator)
    return node


def _stream(plan: Operator, graphs: Collection[URIRef] | None, window: _Windowed) -> Operator:
    if isinstance(plan, GraphAccess) and (graphs is None or plan.source in graphs):
        return Distinct(window(StreamAccess(plan.source)))
    return plan


def _only_grows(plan: Operator) -> bool:
    """Whether more of its input never means less of its output, and each part of it is enough by
    itself."""
    match plan:
        case Pattern() | Join() | Union() | Project() | Reduced() | Values() | EmptyGraph():
            return True
        case Distinct():
            return not plan.times
        case Filter() | Extend():
            return not decides_by_exists(plan)
        case Construct():
            return not plan.blanks  # they differ by copy, which only the end can number
    return False


def decides_by_exists(plan: Operator) -> bool:
    """Whether an expression of the operator itself has an EXISTS."""
    own = (child for child in plan.children if not isinstance(child, Operator))
    return any(isinstance(part, Exists) for child in own for part in child.walk())


# ---- what is needed of a graph -------------------------------------------------------------------


def wanted(plan: Operator) -> tuple[frozenset[Term], ...] | None:
    """What triples of streams `plan` can match: those that have all terms of one of these sets;
    None if any triple may matter.

    >>> from askos.terms import Variable
    >>> site = Pattern(Variable("t"), URIRef("site"), Variable("s"), StreamAccess(URIRef("park")))
    >>> wanted(site)
    (frozenset({rdflib.term.URIRef('site')}),)
    """
    found = set(_wanted(plan))
    return (
        None
        if frozenset() in found
        else tuple(sorted(found, key=lambda terms: sorted(map(n3, terms))))
    )


def _wanted(node: Node) -> Iterator[frozenset[Term]]:
    match node:
        case Pattern() if _reads(node.input):
            yield frozenset(p for p in node.positions if isinstance(p, Term))
        case Path() if _reads(node.input):
            predicates = followed(node.path)
            yield from [frozenset()] if predicates is None else map(_alone, predicates)
        case StreamAccess() | Describe() if _reads(node):
            yield frozenset()
        case _:
            for child in node.children:
                yield from _wanted(child)


def _alone(term: Term) -> frozenset[Term]:
    return frozenset({term})


def _reads(plan: Operator) -> bool:
    return any(isinstance(node, StreamAccess) for node in plan.walk())
