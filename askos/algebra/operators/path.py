"""Property paths over a graph that changes with time."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.operator import Operator, Payload, check_input
from askos.algebra.operators.paths import PathExpression
from askos.algebra.operators.pattern import Position, canonical_positions
from askos.errors import require
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Path(Operator):
    """subject path object, evaluated on each snapshot of the input's triples.

    SPARQL 1.1, 18.4 and 18.5; the paper has none.  Windows sit below.  `*`, `+` and `?` yield
    sets; of zero length between two variables they relate every node of the graph to itself.
    A path keeps no arrival times: timestamp() of a variable that only paths bind is unbound.
    """

    subject: Position
    path: PathExpression
    object: Position
    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input", Payload.TRIPLE)
        canonical_positions(self, ("subject", "object"))
        ok = isinstance(self.path, PathExpression)
        require(ok, f"Path: path must be a path, not {self.path!r}", "wrap an IRI in Link")

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(p for p in (self.subject, self.object) if isinstance(p, Variable))

    @property
    def bound(self) -> frozenset[Variable]:
        return self.variables

    def label(self, names: Names) -> str:
        start, end = names.text(self.subject), names.text(self.object)
        return f"{start} {self.path.text(names)} {end}"
