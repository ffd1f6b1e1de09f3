"""Static data: indexed graphs in memory, and the evaluation of plans over them."""

from askos.static.evaluate import Outcome, evaluate
from askos.static.graph import StaticGraph, merge
from askos.static.graphs import load_graphs
from askos.static.interning import Terms
from askos.static.load import load, load_dataset
from askos.static.queries import Result, Solutions, select
from askos.static.rdfs import rdfs
from askos.static.statistics import GraphStatistics

__all__ = [
    "GraphStatistics",
    "Outcome",
    "Result",
    "Solutions",
    "StaticGraph",
    "Terms",
    "evaluate",
    "load",
    "load_dataset",
    "load_graphs",
    "merge",
    "rdfs",
    "select",
]
