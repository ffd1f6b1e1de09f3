"""Static data: indexed graphs in memory, and the evaluation of plans over them."""

from askos.static.evaluate import Answer, evaluate
from askos.static.graph import StaticGraph, merge
from askos.static.interning import Terms
from askos.static.load import load
from askos.static.rdfs import rdfs
from askos.static.statistics import GraphStatistics

__all__ = ["Answer", "GraphStatistics", "StaticGraph", "Terms", "evaluate", "load", "merge", "rdfs"]
