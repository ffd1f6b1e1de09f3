"""Access: where triples enter a plan."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.names import Names
from askos.algebra.operator import Operator, Payload
from askos.errors import require
from askos.terms import URIRef


@dataclass(frozen=True, slots=True)
class Access(Operator):
    """A leaf that yields the triples of a source."""

    source: URIRef

    def __post_init__(self) -> None:
        require(
            isinstance(self.source, URIRef),
            f"{type(self).__name__}: source must be an IRI, not {self.source!r}",
        )

    @property
    def payload(self) -> Payload:
        return Payload.TRIPLE

    def label(self, names: Names) -> str:
        return names.text(self.source)


@dataclass(frozen=True, slots=True)
class StreamAccess(Access):
    """The triples of a stream, each valid at the one instant of its arrival.

    Streaming SPARQL, Def. 2: the logical stream before any window.
    """

    @property
    def raw(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class GraphAccess(Access):
    """The triples of a static graph: a set, valid always.

    Departure: the paper lets a query read graphs (Table 1), but gives their triples no
    validity.  A graph may be `reloadable`; then a triple is valid from the load that brought it
    to the one that dropped it, and none is known to hold for ever.
    """

    reloadable: bool = False

    def label(self, names: Names) -> str:
        return names.text(self.source) + " RELOADABLE" * self.reloadable


@dataclass(frozen=True, slots=True)
class EmptyGraph(Operator):
    """No triples at any time: GRAPH of an unknown name, a default graph without sources.

    Not the same as no solutions: a path of zero length has one from any constant.
    """

    @property
    def payload(self) -> Payload:
        return Payload.TRIPLE
