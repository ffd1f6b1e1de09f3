"""Drawing a D-Graph, vertex by vertex: which variable is which, and where it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from askos.algebra.names import Names
from askos.explaining.graph import Box, Edge, Graph, Line, Role, Vertex
from askos.terms import Term, Variable, n3


@dataclass(slots=True)
class Sketch:
    """A D-Graph in the making.  A vertex in the patterns of one box lies inside it; one that
    links two boxes lies outside both."""

    names: Names
    nodes: dict[str, Vertex] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    boxes: dict[object, Box] = field(default_factory=dict)
    terms: dict[Term, str] = field(default_factory=dict)
    inside: dict[str, set[str]] = field(default_factory=dict)

    def vertex(self, role: Role, title: str, text: str = "", notes: tuple[str, ...] = ()) -> str:
        """A new vertex."""
        name = f"v{len(self.nodes) + 1}"
        self.nodes[name] = Vertex(name, role, title, text, notes)
        return name

    def term(self, term: Term) -> str:
        """The vertex of a term: one, wherever it stands."""
        if term not in self.terms:
            self.terms[term] = self.vertex(Role.TERM, self.names.text(term))
        return self.terms[term]

    def note(self, name: str, note: str) -> None:
        """Annotate a vertex, once."""
        node = self.nodes[name]
        if note not in node.notes:
            self.nodes[name] = replace(node, notes=(*node.notes, note))

    def link(self, start: str, end: str, line: Line, label: str = "") -> None:
        """An edge."""
        self.edges.append(Edge(start, end, line, label))

    def box(self, role: Role, label: str, key: object = None) -> str:
        """The box of a key, which is its label if not said otherwise."""
        name = f"b{len(self.boxes) + 1}"
        return self.boxes.setdefault(key or label, Box(name, role, label)).id

    def put(self, name: str, box: str) -> None:
        """A vertex emerges from what a box stands for."""
        self.inside.setdefault(name, set()).add(box)

    def graph(self) -> Graph:
        """What has been drawn."""
        nodes = (
            replace(node, box=min(boxes)) if len(boxes) == 1 else node
            for node in self.nodes.values()
            for boxes in [self.inside.get(node.id, set())]
        )
        title, boxes = "D-Graph", tuple(self.boxes.values())
        return Graph("dgraph", title, tuple(nodes), tuple(self.edges), boxes, upward=False)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which vertex a variable is, here: a sub-select's own variables are not its neighbours'."""

    sketch: Sketch
    outer: Scope | None = None
    shared: frozenset[Variable] = frozenset()
    known: dict[Variable, str] = field(default_factory=dict)

    def of(self, variable: Variable, role: Role = Role.VARIABLE) -> str:
        """The vertex of a variable, new if it was not yet seen here."""
        if variable not in self.known:
            above = self.outer if variable in self.shared else None
            self.known[variable] = (
                above.of(variable, role) if above else self.sketch.vertex(role, n3(variable))
            )
        return self.known[variable]

    def narrowed(self, shared: Iterable[Variable]) -> Scope:
        """The scope below this one where only `shared` are the same variables."""
        return Scope(self.sketch, self, frozenset(shared))

    def note(self, variables: Iterable[Variable], note: str) -> None:
        """Annotate variables."""
        for variable in sorted(variables):
            self.sketch.note(self.of(variable), note)
