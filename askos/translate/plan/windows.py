"""Windows as each dialect means them (semantics, section 2).

The boundary is the dialect's unless the caller asks for another, and time counts from the
caller's origin.  `[NOW]` and `[ALL]` have no steps, so neither changes them.
"""

from __future__ import annotations

from typing import Final

from askos.algebra import (
    Boundary,
    CountWindow,
    Operator,
    PredicateWindow,
    SlidingWindow,
    SteppedWindow,
)
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.plan.context import Context
from askos.translate.plan.errors import fault, placed
from askos.translate.plan.expressions import expression

# Where elements between two windows may be missed.
_GAPPY: Final = frozenset({Dialect.CQELS, Dialect.RSPQL, Dialect.SPARQLSTREAM})


def window(context: Context, clause: ast.Window, input: Operator) -> Operator:
    """ω of `input`, which is triples for a window in FROM, solutions for one in a group."""
    with placed(context.query, clause):
        match clause:
            case ast.TimeWindow():
                return _time(context, clause, input)
            case ast.PastWindow(start, end, slide):
                return _stepped(context, input, start, slide or 1, end)
            case ast.CountWindow(count, step):
                return CountWindow(input, count, step, _gaps(context, step > count))
            case ast.NowWindow():
                return SlidingWindow.now(input)
            case ast.AllWindow():
                return SlidingWindow.all(input)
            case ast.PredicateWindow(start, end, within):
                conditions = (expression(context, start), expression(context, end))
                return PredicateWindow(input, *conditions, within)


def _time(context: Context, clause: ast.TimeWindow, input: Operator) -> Operator:
    """RANGE w SLIDE δ: sliding in Streaming SPARQL, stepped elsewhere."""
    match context.query.dialect, clause.slide:
        case Dialect.STREAMING, slide:
            return SlidingWindow(input, clause.range, slide or 1, context.origin)
        case Dialect.CQELS, None:
            return SlidingWindow(input, clause.range, 1, context.origin)
        case _, None:
            hint = "write STEP after it, as in [RANGE 10m STEP 1m]"
            raise fault(context.query, clause, "RANGE needs a STEP here", hint)
        case Dialect.RSPQL, slide:
            return _stepped(context, input, clause.range, slide, 0, Boundary.CLOSED_OPEN)
        case _, slide:
            return _stepped(context, input, clause.range, slide)


def _stepped(
    context: Context,
    input: Operator,
    width: int,
    step: int,
    until: int = 0,
    boundary: Boundary = Boundary.OPEN_CLOSED,
) -> Operator:
    gaps = _gaps(context, step > width - until)
    asked = context.boundary or boundary
    return SteppedWindow(input, width, step, until, asked, gaps, context.origin)


def _gaps(context: Context, needed: bool) -> bool:
    return needed and context.query.dialect in _GAPPY
