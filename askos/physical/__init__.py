"""Columnar operators on validity intervals, and how a plan becomes stages of them."""

from askos.physical.building import build
from askos.physical.cut import Cut
from askos.physical.fragment import Fragment, Line, feed, lines
from askos.physical.ingest import Ingested, ingest
from askos.physical.operator import Operator
from askos.physical.plan import Feed, PhysicalPlan, Port, Stage
from askos.physical.tree import Exchange, tree

__all__ = [
    "Cut",
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
    "feed",
    "ingest",
    "lines",
    "tree",
]
