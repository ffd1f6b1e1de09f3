"""ASK."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operator import Operator, Payload, check_input


@dataclass(frozen=True, slots=True)
class Ask(Operator):
    """At every instant, whether there is a solution.

    Streaming SPARQL, section 4, "ask".  Departure: false is an answer too.
    """

    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")

    @property
    def payload(self) -> Payload:
        return Payload.BOOLEAN
