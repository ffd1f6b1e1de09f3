"""Union."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operator import Operator, Payload, check_input
from askos.terms import Variable


@dataclass(frozen=True, slots=True)
class Union(Operator):
    """A ∪₊ B: everything of both; multiplicities add.

    Streaming SPARQL, Def. 9.  Departure: also of triples, to merge the sources of one graph.
    """

    left: Operator
    right: Operator

    def __post_init__(self) -> None:
        check_input(self, "left", None)
        check_input(self, "right", self.left.payload)

    @property
    def payload(self) -> Payload:
        return self.left.payload

    @property
    def bound(self) -> frozenset[Variable]:
        return self.left.bound & self.right.bound

    @property
    def raw(self) -> bool:
        return self.left.raw and self.right.raw
