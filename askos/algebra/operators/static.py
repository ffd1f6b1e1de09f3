"""The mark of a sub-plan that reads no stream."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operator import Operator, check_input
from askos.algebra.operators.access import StreamAccess
from askos.errors import require


@dataclass(frozen=True, slots=True)
class Static(Operator):
    """The solutions of its input, which depend on static graphs alone: the identity.

    C-SPARQL 2010, section 4, splits a query into a static and a streaming part; CQELS 2011,
    section 4.3, materialises sub-queries over data sets when a query is registered.  A host may
    take the node as a leaf: evaluate it once, and again only when one of its graphs is
    reloaded.  Whatever else reads a plan may look through it.
    """

    input: Operator

    def __post_init__(self) -> None:
        check_input(self, "input")
        streams = [node.source for node in self.input.walk() if isinstance(node, StreamAccess)]
        require(
            not streams,
            f"Static: the input reads the stream <{min(streams, default='')}>",
            "mark only what depends on static graphs alone",
        )
