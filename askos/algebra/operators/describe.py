"""DESCRIBE."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.operator import Operator, Payload, check_input
from askos.errors import require
from askos.terms import URIRef, Variable


@dataclass(frozen=True, slots=True)
class Describe(Operator):
    """The triples about each resource, and about the blank nodes they lead to; a set.

    Streaming SPARQL, section 4, "describe".  Resources are IRIs, and what the input binds to
    variables; without WHERE the input is UNIT.  IRIs named in the query are described whether
    or not WHERE has a solution.  `graph` yields the default graph's triples valid at the time.
    """

    resources: tuple[URIRef | Variable, ...]
    input: Operator
    graph: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")
        check_input(self, "graph", Payload.TRIPLE)
        ok = isinstance(self.resources, tuple) and all(
            isinstance(r, URIRef | Variable) for r in self.resources
        )
        require(ok, f"Describe: {self.resources!r} are not all IRIs or variables")

    @property
    def payload(self) -> Payload:
        return Payload.TRIPLE

    def label(self, names: Names) -> str:
        return " ".join(names.text(resource) for resource in self.resources)
