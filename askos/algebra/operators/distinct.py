"""Duplicate elimination, and REDUCED."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.node import check_variables
from askos.algebra.operator import Operator, Payload, check_input
from askos.terms import Variable, n3


@dataclass(frozen=True, slots=True)
class Distinct(Operator):
    """δ: every payload once per instant, by term identity.

    Streaming SPARQL, section 4, "duplicate elimination".  Over triples, or right above ν, it
    makes the set semantics of C-SPARQL, CQELS and RSP-QL; of several copies it keeps the latest
    arrival time.

    `times` are columns that hold such times, where a host has made columns of them: they are no
    part of what is compared, and the largest of each is kept.
    """

    input: Operator
    times: tuple[Variable, ...] = ()

    def __post_init__(self) -> None:
        check_input(self, "input", None)
        check_variables(self, "times")

    @property
    def payload(self) -> Payload:
        return self.input.payload

    def label(self, names: Names) -> str:
        return latest(self.times)


def latest(times: tuple[Variable, ...]) -> str:
    """How an operator tells which of its columns are arrival times."""
    return " ".join(("LATEST", *map(n3, times))) if times else ""


@dataclass(frozen=True, slots=True)
class Reduced(Operator):
    """REDUCED: permits dropping duplicates; we drop none, so that results are a function.

    Streaming SPARQL, section 4, "duplicate reduction".
    """

    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")
