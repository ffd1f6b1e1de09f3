"""The columns of an answer."""

from __future__ import annotations

from askos.algebra.operator import Operator, Payload
from askos.algebra.operators import Distinct, Filter, OrderBy, Project, Reduced, Slice
from askos.algebra.placement import ANSWER, TRIPLE
from askos.terms import Variable, is_anonymous


def answer_columns(plan: Operator) -> tuple[Variable, ...]:
    """What a plan tells, in order: s, p, o of triples; what ASK says; else what the projection on
    top keeps, and where there is none all variables by name, but those of blank nodes.

    >>> from askos.algebra import StreamAccess
    >>> from askos.terms import URIRef
    >>> [str(v) for v in answer_columns(StreamAccess(URIRef("http://wind.example/scada")))]
    ['s', 'p', 'o']
    """
    match plan.payload:
        case Payload.TRIPLE:
            return TRIPLE
        case Payload.BOOLEAN:
            return (ANSWER,)
    top = plan
    while isinstance(top, Slice | Distinct | Reduced | OrderBy | Filter):
        top = top.input
    if isinstance(top, Project):
        return top.columns
    return tuple(sorted(v for v in plan.variables if not is_anonymous(v)))
