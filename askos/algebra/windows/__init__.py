"""Windows: who is valid when."""

from askos.algebra.windows.count import CountWindow
from askos.algebra.windows.predicate import PredicateWindow
from askos.algebra.windows.sliding import SlidingWindow
from askos.algebra.windows.stepped import Boundary, SteppedWindow
from askos.algebra.windows.window import Window

__all__ = [
    "Boundary",
    "CountWindow",
    "PredicateWindow",
    "SlidingWindow",
    "SteppedWindow",
    "Window",
]
