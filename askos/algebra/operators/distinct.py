"""Duplicate elimination, and REDUCED."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operator import Operator, Payload, check_input


@dataclass(frozen=True, slots=True)
class Distinct(Operator):
    """δ: every payload once per instant, by term identity.

    Streaming SPARQL, section 4, "duplicate elimination".  Over triples, or right above ν, it
    makes the set semantics of C-SPARQL, CQELS and RSP-QL; of several copies it keeps the latest
    arrival time.
    """

    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input", None)

    @property
    def payload(self) -> Payload:
        return self.input.payload


@dataclass(frozen=True, slots=True)
class Reduced(Operator):
    """REDUCED: permits dropping duplicates; we drop none, so that results are a function.

    Streaming SPARQL, section 4, "duplicate reduction".
    """

    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")
