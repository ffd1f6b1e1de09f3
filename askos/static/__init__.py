"""Static data: indexed graphs in memory, and the evaluation of plans over them."""

from askos.static.evaluate import Answer, evaluate
from askos.static.graph import StaticGraph, merge
from askos.static.interning import Terms
from askos.static.load import load
from askos.static.queries import Answers, Solutions, select
from askos.static.rdfs import rdfs
from askos.static.results import results_json, results_text
from askos.static.statistics import GraphStatistics

__all__ = [
    "Answer",
    "Answers",
    "GraphStatistics",
    "Solutions",
    "StaticGraph",
    "Terms",
    "evaluate",
    "load",
    "merge",
    "rdfs",
    "results_json",
    "results_text",
    "select",
]
