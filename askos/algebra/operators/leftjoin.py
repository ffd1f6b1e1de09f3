"""Left join: OPTIONAL."""

from __future__ import annotations

from dataclasses import dataclass

from askos.algebra.operators.conditional import ConditionalJoin


@dataclass(frozen=True, slots=True)
class LeftJoin(ConditionalJoin):
    """A ⟕_p B: joined pairs that satisfy p, and μ of A alone wherever no partner does.

    Streaming SPARQL, Def. 13.  p is the filter directly inside OPTIONAL's braces.  μ stands
    alone on exactly the instants without a partner, not on all or none of its validity.
    """
