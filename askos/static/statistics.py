"""Statistics of static graphs, read off their indexes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from askos.algebra import Distinct, EmptyGraph, GraphAccess, Path, Pattern, Union
from askos.static.graph import StaticGraph
from askos.static.interning import Scratch, Terms
from askos.static.leaves import Leaf, PatternLeaf
from askos.static.pathleaf import PathLeaf
from askos.static.walks import Walks
from askos.terms import URIRef, Variable


class GraphStatistics:
    """What the indexes of some graphs say about patterns over them; see
    `askos.algebra.statistics.Statistics`.

    Exact for patterns alone, in constant time; bound variables are taken to be spread evenly.
    A path is a guess.  Of graphs merged, triples in several count several times.
    """

    def __init__(self, graphs: Mapping[URIRef, StaticGraph]) -> None:
        self._graphs = graphs

    def count(self, leaf: Pattern | Path, bound: frozenset[Variable] = frozenset()) -> float | None:
        """How many solutions of `leaf` to expect for one binding of the variables `bound`."""
        expected = 0.0
        for graph in self._read(leaf):
            if graph is None:
                return None
            expected += _leaf(leaf, graph).estimate(bound)
        return expected

    def _read(self, leaf: Pattern | Path) -> Iterator[StaticGraph | None]:
        """The graphs that `leaf` reads; None for what is no graph, or not known."""
        for node in leaf.input.walk():
            match node:
                case GraphAccess(source):
                    yield self._graphs.get(source)
                case Union() | Distinct() | EmptyGraph():
                    continue
                case _:
                    yield None


def _leaf(plan: Pattern | Path, graph: StaticGraph) -> Leaf:
    # A scratch dictionary, so that asking about a term does not put it into the graph's.
    terms = Scratch(graph.terms) if isinstance(graph.terms, Terms) else graph.terms
    if isinstance(plan, Pattern):
        return PatternLeaf(plan.positions, (graph,), terms)
    walks = Walks(plan.path, (graph,), terms)
    ends = (plan.subject, plan.object)
    return PathLeaf(ends, (graph,), terms, walks=walks, anchored=False)
