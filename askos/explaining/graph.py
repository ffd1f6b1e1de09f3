"""Pictures before they are drawn: nodes, edges and boxes, the same for every view and format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """What a node or a box stands for; formats choose shape and colour by it."""

    STREAM = "stream"
    GRAPH = "static graph"
    TABLE = "inline data"
    WINDOW = "window"
    PATTERN = "pattern"
    OPERATOR = "operator"
    RESULT = "result"
    VARIABLE = "variable"
    PROJECTED = "variable of the result"
    TERM = "term"
    PREDICATE = "predicate"
    AGGREGATION = "aggregation"
    FUNCTION = "aggregate function"
    GROUPING = "group"


class Line(Enum):
    """What an edge stands for."""

    FLOW = "flow"
    EXISTS = "exists"
    TRIPLE = "triple"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Vertex:
    """A node: its title and text together are what `explain` prints of it.

    `notes` are said beside it; `variables` and `bound` are those of an operator's solutions,
    as they are written in a query.
    """

    id: str
    role: Role
    title: str
    text: str = ""
    notes: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    box: str | None = None

    @property
    def line(self) -> str:
        """Title and text as one line."""
        return f"{self.title} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow; `label` is what it carries."""

    start: str
    end: str
    line: Line = Line.FLOW
    label: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A frame around nodes."""

    id: str
    role: Role
    label: str


@dataclass(frozen=True, slots=True)
class Graph:
    """One view of a plan.  `upward`: edges are drawn from the bottom to the top.

    The order of nodes, edges and boxes is that of the query, so equal plans give equal pictures.
    """

    view: str
    title: str
    nodes: tuple[Vertex, ...]
    edges: tuple[Edge, ...]
    boxes: tuple[Box, ...] = ()
    upward: bool = True

    def within(self, box: str | None) -> Iterator[Vertex]:
        """The nodes inside a box; None is those in no box."""
        return (node for node in self.nodes if node.box == box)
