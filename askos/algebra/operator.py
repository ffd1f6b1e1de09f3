"""The common ground of all logical operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from askos.algebra.names import Names
from askos.algebra.node import Node
from askos.errors import QueryError, require
from askos.terms import URIRef, Variable


class Payload(Enum):
    """What a stream carries: the paper's S_RDF and S_μ, and the answer of ASK."""

    TRIPLE = "triples"
    SOLUTION = "solutions"
    BOOLEAN = "a boolean"


@dataclass(frozen=True, slots=True)
class Operator(Node):
    """A node of the logical algebra: immutable, equal by content.

    An operator denotes a function from logical streams to a logical stream.  Constructors
    refuse parts that do not fit, with a QueryError that names the part.
    """

    def transform(self, rule: Callable[[Operator], Operator]) -> Operator:
        """Apply `rule` bottom-up to every operator, also to those inside EXISTS; an unchanged
        subtree stays the same object."""
        result = self.rewrite(Operator, rule)
        assert isinstance(result, Operator)
        return result

    @property
    def inputs(self) -> tuple[Operator, ...]:
        """The operators this one reads, in order; patterns of EXISTS are not among them."""
        return tuple(child for child in self.children if isinstance(child, Operator))

    @property
    def payload(self) -> Payload:
        """What this operator yields."""
        return Payload.SOLUTION

    @property
    def variables(self) -> frozenset[Variable]:
        """Variables that some solution may bind; none where there are no solutions."""
        children = self.inputs if self.payload is Payload.SOLUTION else ()
        return frozenset().union(*(child.variables for child in children))

    @property
    def bound(self) -> frozenset[Variable]:
        """Variables that every solution binds."""
        children = self.inputs if self.payload is Payload.SOLUTION else ()
        return frozenset().union(*(child.bound for child in children))

    @property
    def raw(self) -> bool:
        """Whether elements pass as they arrived, before any window: what a window can take."""
        return False

    @property
    def sources(self) -> Iterator[URIRef]:
        """The IRIs of all streams and graphs read, EXISTS included, in textual order."""
        for node in self.walk():
            source = getattr(node, "source", None)
            if isinstance(node, Operator) and isinstance(source, URIRef):
                yield source

    def label(self, names: Names) -> str:
        """The parameters of this operator as one line of `explain`, without its name."""
        return ""


def check_input(owner: Node, part: str, wanted: Payload | None = Payload.SOLUTION) -> Operator:
    """The input named `part`, refused unless it is an operator yielding what is `wanted`;
    None is triples or solutions."""
    name, child = type(owner).__name__, getattr(owner, part)
    if not isinstance(child, Operator):
        raise QueryError(f"{name}: {part} must be an operator, not {child!r}")
    if wanted is None:
        require(
            child.payload is not Payload.BOOLEAN, f"{name}: {part} must not be the answer of ASK"
        )
        return child
    hint = {
        Payload.SOLUTION: "match triples with a Pattern or Path first",
        Payload.TRIPLE: "an access operator, a window over one, or CONSTRUCT yields triples",
    }.get(wanted, "")
    require(
        child.payload is wanted,
        f"{name}: {part} must yield {wanted.value}, but {type(child).__name__}"
        f" yields {child.payload.value}",
        hint,
    )
    return child
