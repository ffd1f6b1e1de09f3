"""What the windows of each dialect mean, as windows of the algebra; and back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from askos.algebra import windows as algebra
from askos.algebra.operator import Operator
from askos.algebra.operators.access import StreamAccess
from askos.errors import QueryError
from askos.interval import FOREVER
from askos.terms import URIRef
from askos.translate import ast
from askos.translate.dialect import Dialect

# Dialects that let elements fall between two windows (δ > w).
_GAPS: Final = frozenset((Dialect.CQELS, Dialect.RSPQL, Dialect.SPARQLSTREAM))
_ANY: Final = StreamAccess(URIRef("urn:any"))


def windowed(window: ast.Window, dialect: Dialect, input: Operator) -> algebra.Window:
    """A window of a dialect over `input`; QueryError if it makes no sense.

    Predicate windows are not among them: their conditions are expressions first.
    """
    gaps = dialect in _GAPS
    match window:
        case ast.TimeWindow(width, None):
            return algebra.SlidingWindow(input, width, 1)
        case ast.TimeWindow(width, int(slide)) if dialect is Dialect.STREAMING:
            return algebra.SlidingWindow(input, width, slide)
        case ast.TimeWindow(width, int(step)):
            boundary = algebra.Boundary.OPEN_CLOSED
            if dialect is Dialect.RSPQL:
                boundary = algebra.Boundary.CLOSED_OPEN
            return algebra.SteppedWindow(input, width, step, 0, boundary, gaps)
        case ast.PastWindow(start, end, slide):
            return algebra.SteppedWindow(input, start, slide or 1, end, gaps=gaps)
        case ast.CountWindow(count, step):
            return algebra.CountWindow(input, count, step, gaps)
        case ast.NowWindow():
            return algebra.SlidingWindow.now(input)
        case ast.AllWindow():
            return algebra.SlidingWindow.all(input)
    raise TypeError(f"{type(window)} is no window of time or count")


def meaning(window: ast.Window, dialect: Dialect) -> algebra.Window:
    """Who is valid when: equal for two windows exactly if they are the same one."""
    return _plain(windowed(window, dialect, _ANY))


def _plain(window: algebra.Window) -> algebra.Window:
    """The one of several spellings that stands for all; `gaps` is a question of manners, not of
    who is valid when."""
    match window:
        case algebra.SteppedWindow(_, width, step, until, algebra.Boundary.CLOSED_OPEN):
            # Time is whole: ⌊τ/δ⌋ + 1 = ⌈(τ+1)/δ⌉, so [o,c) is (o,c] a millisecond ago.
            return algebra.SteppedWindow(window.input, width + 1, step, until + 1, gaps=True)
        case algebra.SteppedWindow(_, width, 1, 0):
            # ⌈τ/1⌉ = τ
            return algebra.SlidingWindow(window.input, width, 1)
        case algebra.SteppedWindow() | algebra.CountWindow():
            return replace(window, gaps=True)
    return window


def other_boundary(window: algebra.Window) -> algebra.Window | None:
    """[o,c) for (o,c], or the reverse: the same for elements a millisecond away; None if the
    window has no such twin."""
    match window:
        case algebra.SlidingWindow(input, width, 1) if width < FOREVER:
            return algebra.SteppedWindow(input, width + 1, 1, 1, gaps=True)
        case algebra.SteppedWindow(_, width, _, 0):
            return replace(window, width=width + 1, until=1)
        case algebra.SteppedWindow(_, width, _, 1):
            return _plain(replace(window, width=width - 1, until=0))
    return None


def express(wanted: algebra.Window, dialect: Dialect) -> ast.Window | None:
    """The window of a dialect that means this, if it has one."""
    for window in _candidates(wanted, dialect):
        try:
            if meaning(window, dialect) == wanted:
                return window
        except QueryError:
            continue
    return None


def _candidates(wanted: algebra.Window, dialect: Dialect) -> Iterator[ast.Window]:
    """Windows that the dialect has, the shortest first; not all of them mean what is wanted."""
    if dialect is Dialect.SPARQL:
        return
    match wanted:
        case algebra.CountWindow(_, count, step) if dialect is not Dialect.SPARQLSTREAM:
            yield ast.CountWindow(count, step)
        case algebra.SlidingWindow(_, width, slide):
            yield from _sliding(width, slide, dialect)
        case algebra.SteppedWindow(_, width, step, until) if dialect is Dialect.SPARQLSTREAM:
            yield ast.PastWindow(width, until, None if step == 1 else step)
        case algebra.SteppedWindow(_, width, step, until):
            yield ast.TimeWindow(width - until, step)


def _sliding(width: int, slide: int, dialect: Dialect) -> Iterator[ast.Window]:
    past = dialect is Dialect.SPARQLSTREAM
    if dialect is Dialect.CQELS or past:
        yield ast.NowWindow()
    if dialect is Dialect.CQELS:
        yield ast.AllWindow()
    if width < FOREVER:
        if dialect is Dialect.CQELS:
            yield ast.TimeWindow(width)
        yield ast.PastWindow(width, 0) if past else ast.TimeWindow(width, slide)
