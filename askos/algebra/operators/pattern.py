"""Triple pattern matching ν: from triples to solutions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from askos.algebra.names import Names
from askos.algebra.node import check_variables
from askos.algebra.operator import Operator, Payload, check_input
from askos.errors import require
from askos.terms import RDF, Literal, Solution, Term, Triple, Variable, canonical, n3

Position: TypeAlias = Term | Variable


@dataclass(frozen=True, slots=True)
class Pattern(Operator):
    """ν_(s,p,o): one solution for each triple that matches; multiplicities stay.

    Streaming SPARQL, Def. 7 and Alg. 3.  Departures: a variable used twice must bind equal
    terms, and every triple gets a solution of its own (Alg. 3 does neither as printed).  Blank
    nodes of a query come here as `anonymous` variables (for Def. 6's σ_ext); a BNode is the
    blank node of the data itself, as EXISTS substitutes it.  Constants match by term identity.

    `stamps` names the variables whose arrival time is kept for timestamp(), in a hidden column.
    """

    subject: Position
    predicate: Position
    object: Position
    input: Operator
    stamps: tuple[Variable, ...] = ()

    def __post_init__(self) -> None:
        check_input(self, "input", Payload.TRIPLE)
        canonical_positions(self, ("subject", "predicate", "object"))
        require(
            not isinstance(self.predicate, Literal),
            f"Pattern: predicate {n3(self.predicate)} is a literal, which no triple has",
        )
        stray = set(check_variables(self, "stamps")) - self.variables
        require(
            not stray,
            f"Pattern: stamps names ?{min(stray, default='')}, which the pattern does not bind",
        )

    @property
    def positions(self) -> tuple[Position, Position, Position]:
        """Subject, predicate and object."""
        return self.subject, self.predicate, self.object

    @property
    def variables(self) -> frozenset[Variable]:
        return frozenset(p for p in self.positions if isinstance(p, Variable))

    @property
    def bound(self) -> frozenset[Variable]:
        return self.variables

    @property
    def raw(self) -> bool:
        return self.input.raw

    def match(self, triple: Triple) -> Solution | None:
        """μ with μ(pattern) = triple, or None."""
        bindings: dict[Variable, Term] = {}
        for position, term in zip(self.positions, triple, strict=True):
            if isinstance(position, Variable):
                if bindings.setdefault(position, term) != term:
                    return None
            elif position != term:
                return None
        return Solution(bindings)

    def label(self, names: Names) -> str:
        text = " ".join(predicate_or_term(names, p, i) for i, p in enumerate(self.positions))
        stamps = " ".join(n3(v) for v in self.stamps)
        return f"{text} STAMPS {stamps}" if stamps else text


def predicate_or_term(names: Names, position: Position, index: int) -> str:
    """The text of a position; rdf:type as a predicate reads `a`, as in SPARQL."""
    if index == 1 and position == RDF.type:
        return "a"
    return names.text(position)


def canonical_positions(operator: Operator, parts: tuple[str, ...]) -> None:
    """Make the terms among the fields `parts` canonical; refuse what is neither term nor
    variable."""
    for part in parts:
        position = getattr(operator, part)
        if not isinstance(position, Variable):
            require(
                isinstance(position, Term),
                f"{type(operator).__name__}: {part} must be a term or variable, not {position!r}",
            )
            object.__setattr__(operator, part, canonical(position))
