"""A property path as a leaf of a join."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from askos.columns.keys import Index, Known
from askos.columns.segments import numbered
from askos.static.leaves import Leaf
from askos.static.table import Ids
from askos.static.walks import Step, Walks
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class PathLeaf(Leaf):
    """`subject path object`, walked from whichever end is known, once for each term there.

    Of zero length between two variables it relates the nodes of the graph alone; from a term
    that is given (`anchored`), in the query or by EXISTS, it may start anywhere.
    """

    walks: Walks = field(kw_only=True)
    anchored: bool = field(kw_only=True)

    def extend(self, known: Sequence[Known | None], count: int) -> tuple[Ids, list[Ids]]:
        match known:
            case None, None:
                return self._everywhere(count)
            case start, None if start is not None:
                return self._found(start, count, self.walks.forward)
            case None, end if end is not None:
                return self._found(end, count, self.walks.backward)
            case start, int(end) if start is not None:
                return self._connected(end, start, count, self.walks.backward)
            case start, end if start is not None and end is not None:
                return self._connected(start, end, count, self.walks.forward)
        raise TypeError("a path has two ends")

    def _everywhere(self, count: int) -> tuple[Ids, list[Ids]]:
        starts = np.array(list(self.walks.starts), np.int64)
        sizes, ends = _walked(self.walks.forward, starts)
        froms, many = np.repeat(starts, sizes), len(ends)
        rows = np.repeat(np.arange(count), many)
        return rows, [np.tile(froms, count), np.tile(ends, count)]

    def _found(self, known: Known, count: int, step: Step) -> tuple[Ids, list[Ids]]:
        """The rows, and each other end of a walk from the one that is known."""
        nodes, of = self._nodes(known, count)
        sizes, ends = _walked(self._from(step), nodes)
        rows, offset = numbered(sizes[of])
        first = np.cumsum(sizes) - sizes
        return rows, [ends[first[of[rows]] + offset]]

    def _connected(
        self, known: Known, other: Known, count: int, step: Step
    ) -> tuple[Ids, list[Ids]]:
        """The rows whose one end leads to their other, once for each way."""
        nodes, of = self._nodes(known, count)
        sizes, ends = _walked(self._from(step), nodes)
        ways = Index.of([np.repeat(np.arange(len(nodes)), sizes), ends], len(ends))
        first, last = ways.find([of, np.broadcast_to(other, count)])
        return np.repeat(np.arange(count), last - first), []

    def _nodes(self, known: Known, count: int) -> tuple[Ids, Ids]:
        """Where walks begin, each node once, and which of them is that of each row."""
        return np.unique(np.broadcast_to(known, count), return_inverse=True)

    def _from(self, step: Step) -> Step:
        if self.anchored:
            return step
        nodes = self.walks.nodes
        return lambda node: step(node) if node in nodes else ()

    def estimate(self, bound: frozenset[Variable] = frozenset()) -> float:
        """A guess: a closure reaches about as far as the graph has triples for a node."""
        size = float(sum(len(graph) for graph in self.graphs))
        known = sum(not isinstance(p, Variable) or p in bound for p in self.positions)
        reach = size / max(1, sum(graph.values(0) for graph in self.graphs))
        return (size * reach, 4 * reach, 0.5)[known]


def _walked(step: Step, nodes: Ids) -> tuple[Ids, Ids]:
    """How many ends the walks from each node have, and the ends, side by side."""
    reached = [list(step(node)) for node in nodes.tolist()]
    sizes = np.array([len(ends) for ends in reached], np.int64)
    flat = [end for ends in reached for end in ends]
    return sizes, np.array(flat, np.int64)
