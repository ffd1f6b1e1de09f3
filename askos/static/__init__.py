"""Static data: indexed graphs in memory, and the evaluation of plans over them."""

from askos.static.evaluate import Answer, evaluate
from askos.static.graph import StaticGraph, merge
from askos.static.interning import Terms
from askos.static.load import load
from askos.static.rdfs import rdfs

__all__ = ["Answer", "StaticGraph", "Terms", "evaluate", "load", "merge", "rdfs"]
