"""Columnar operators on validity intervals, and how a plan becomes stages of them."""

from askos.physical.batch import Batch
from askos.physical.build import build
from askos.physical.coalesce import coalesce
from askos.physical.coder import Coder, decode
from askos.physical.cut import Cut
from askos.physical.dictionary import Dictionary
from askos.physical.fragment import Fragment, Line, feed
from askos.physical.ingest import Ingested, ingest
from askos.physical.operator import Operator
from askos.physical.plan import Exchange, Feed, PhysicalPlan, Port, Stage

__all__ = [
    "Batch",
    "Coder",
    "Cut",
    "Dictionary",
    "Exchange",
    "Feed",
    "Fragment",
    "Ingested",
    "Line",
    "Operator",
    "PhysicalPlan",
    "Port",
    "Stage",
    "build",
    "coalesce",
    "decode",
    "feed",
    "ingest",
]
