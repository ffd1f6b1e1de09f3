"""Filters below time windows."""

from __future__ import annotations

from dataclasses import replace

from askos.algebra import FALSE, Filter, Operator, SlidingWindow, SteppedWindow
from askos.algebra.operators.filter import is_timeless


def push_filter_into_window(plan: Operator) -> Operator:
    """σ_F(ω(A)) = ω(σ_F(A)), if ω is a time window, A binds every variable of F, and F looks
    at the solution alone.

    When an element is in a time window depends on its own arrival.  Count and predicate windows
    decide by the other elements, those that F drops among them: nothing moves below them.  EXISTS
    fills a window first and puts in outer bindings then, so F must need none.  FILTER(false) is
    how nothing is written, and stays outside.
    """
    match plan:
        case Filter(f, (SlidingWindow() | SteppedWindow()) as window) if f != FALSE:
            if f.variables <= window.input.bound and is_timeless(f) and not f.stamps:
                return replace(window, input=Filter(f, window.input))
    return plan
