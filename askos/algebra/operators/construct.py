"""CONSTRUCT."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.node import Node
from askos.algebra.operator import Operator, Payload, check_input
from askos.algebra.operators.pattern import Position, predicate_or_term
from askos.errors import require, require_text
from askos.terms import BNode, Literal, Term, Variable, canonical, n3


@dataclass(frozen=True, slots=True)
class Template(Node):
    """A triple of a CONSTRUCT template; its blank nodes are new in every solution."""

    subject: Position
    predicate: Position
    object: Position

    def __post_init__(self) -> None:
        for part in ("subject", "predicate", "object"):
            position = getattr(self, part)
            if not isinstance(position, Variable):
                ok = isinstance(position, Term)
                require(ok, f"Template: {part} {position!r} is neither term nor variable")
                object.__setattr__(self, part, canonical(position))
        ok = not isinstance(self.subject, Literal)
        require(ok, f"Template: the subject {n3(self.subject)} is a literal")
        ok = not isinstance(self.predicate, Literal | BNode)
        require(ok, f"Template: the predicate {n3(self.predicate)} is not an IRI")

    @property
    def positions(self) -> tuple[Position, Position, Position]:
        """Subject, predicate and object."""
        return self.subject, self.predicate, self.object

    def text(self, names: Names) -> str:
        """The triple as SPARQL writes it."""
        return " ".join(predicate_or_term(names, p, i) for i, p in enumerate(self.positions))


@dataclass(frozen=True, slots=True)
class Construct(Operator):
    """The template's triples for each solution, while it is valid; a set at every instant.

    Streaming SPARQL, section 4, "construct".  A triple with an unbound or impossible part is
    left out.  Blank nodes of the template are keyed hashes of (`site`, label, solution, copy
    number), so that hosts and restarts agree on them.
    """

    template: tuple[Template, ...]
    input: Operator
    site: str = ""

    def __post_init__(self) -> None:
        check_input(self, "input")
        ok = isinstance(self.template, tuple) and all(
            isinstance(t, Template) for t in self.template
        )
        require(ok, f"Construct: template must be a tuple of Template, not {self.template!r}")
        require_text(self.site, "Construct: site")
        require(
            bool(self.site) or not self.blanks,
            "Construct: a template with blank nodes needs a call site",
        )

    @property
    def blanks(self) -> frozenset[BNode]:
        """The blank nodes of the template."""
        terms = (p for triple in self.template for p in triple.positions)
        return frozenset(term for term in terms if isinstance(term, BNode))

    @property
    def payload(self) -> Payload:
        return Payload.TRIPLE

    def label(self, names: Names) -> str:
        triples = " . ".join(triple.text(names) for triple in self.template)
        return f"{{ {triples} }}" + (f" SITE {self.site}" if self.site else "")
