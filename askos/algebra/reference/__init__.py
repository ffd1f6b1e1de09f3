"""The reference evaluation: the semantics, stated literally, slowly and beyond doubt.

It knows nothing physical.  Plan rewrites and both hosts are tested against it.
"""

from askos.algebra.reference.arrivals import Arrival, Streams, arrivals
from askos.algebra.reference.entail import entailed
from askos.algebra.reference.evaluate import evaluate, sequence
from askos.algebra.reference.reports import (
    Published,
    change_instants,
    intervals,
    publish,
    reports,
)
from askos.algebra.reference.substitute import substitute
from askos.algebra.reference.windows import content
from askos.algebra.report import Answer
from askos.algebra.streams import equivalent, first_difference, snapshot, to_logical

__all__ = [
    "Answer",
    "Arrival",
    "Published",
    "Streams",
    "arrivals",
    "change_instants",
    "content",
    "entailed",
    "equivalent",
    "evaluate",
    "first_difference",
    "intervals",
    "publish",
    "reports",
    "sequence",
    "snapshot",
    "substitute",
    "to_logical",
]
