"""Columnar operators on validity intervals, and how a plan becomes stages of them."""

from askos.physical.alternatives import Alternative, alternatives, build
from askos.physical.cut import Cut
from askos.physical.fragment import Fragment, Line, lines
from askos.physical.ingest import Ingested, ingest
from askos.physical.matcher import Matcher, matcher
from askos.physical.operator import Operator
from askos.physical.plan import Feed, PhysicalPlan, Port, Stage
from askos.physical.tree import Exchange, tree

__all__ = [
    "Alternative",
    "Cut",
    "Exchange",
    "Feed",
    "Fragment",
    "Ingested",
    "Line",
    "Matcher",
    "Operator",
    "PhysicalPlan",
    "Port",
    "Stage",
    "alternatives",
    "build",
    "ingest",
    "lines",
    "matcher",
    "tree",
]
