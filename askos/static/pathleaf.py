"""A property path as a leaf of a join."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from askos.static.leaves import At, Is, Leaf, Place, getter
from askos.static.table import Row
from askos.static.walks import Step, Walks
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class PathLeaf(Leaf):
    """`subject path object`, walked from whichever end is known.

    Of zero length between two variables it relates the nodes of the graph alone; from a term
    that is given (`anchored`), in the query or by EXISTS, it may start anywhere.
    """

    walks: Walks = field(kw_only=True)
    anchored: bool = field(kw_only=True)

    def extend(self, rows: Sequence[Row], places: Sequence[Place]) -> list[Row]:
        match places:
            case None, None:
                starts = ((start, self.walks.forward(start)) for start in self.walks.starts)
                pairs = [(start, end) for start, ends in starts for end in ends]
                return [row + pair for row in rows for pair in pairs]
            case (Is() | At() as start, None):
                return self._found(rows, start, self.walks.forward)
            case (None, Is() | At() as end):
                return self._found(rows, end, self.walks.backward)
            case (_, Is()):
                return self._connected(rows, places[1], places[0], self.walks.backward)
        return self._connected(rows, places[0], places[1], self.walks.forward)

    def _found(self, rows: Sequence[Row], known: Place, step: Step) -> list[Row]:
        """The rows with each other end of a walk from the one that is known."""
        return [
            (*row, other)
            for node, group in self._by_node(rows, known).items()
            for other in step(node)
            for row in group
        ]

    def _connected(self, rows: Sequence[Row], known: Place, other: Place, step: Step) -> list[Row]:
        """The rows whose one end leads to their other, once for each way."""
        found, of_other = list[Row](), getter(other)
        for node, group in self._by_node(rows, known).items():
            ways = Counter(step(node))
            found += [row for row in group for _ in range(ways[of_other(row)])]
        return found

    def _by_node(self, rows: Sequence[Row], place: Place) -> dict[int, list[Row]]:
        """The rows by where a walk begins, so that none is walked twice."""
        groups: dict[int, list[Row]] = {}
        of = getter(place)
        for row in rows:
            groups.setdefault(of(row), []).append(row)
        if self.anchored:
            return groups
        return {node: group for node, group in groups.items() if node in self.walks.nodes}

    def estimate(self, bound: frozenset[Variable] = frozenset()) -> float:
        """A guess: a closure reaches about as far as the graph has triples for a node."""
        size = float(sum(len(graph) for graph in self.graphs))
        known = sum(not isinstance(p, Variable) or p in bound for p in self.positions)
        reach = size / max(1, sum(len(graph.index("spo")) for graph in self.graphs))
        return (size * reach, 4 * reach, 0.5)[known]
