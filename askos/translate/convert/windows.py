"""Which windows of two dialects are the same: those with the same elements at every instant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from askos.algebra import Operator, StreamAccess
from askos.algebra import windows as algebra
from askos.errors import QueryError
from askos.interval import FOREVER
from askos.terms import URIRef
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.plan.context import Context
from askos.translate.plan.dataset import Dataset
from askos.translate.plan.windows import window as planned

_ANY: Final = StreamAccess(URIRef("urn:any"))


def context(dialect: Dialect) -> Context:
    """That of a query about nothing: all that windows depend on is its dialect."""
    return Context(ast.Query(dialect, ast.Ask(), None), Dataset((), {}, {}, {}), ())


def windowed(window: ast.Window, dialect: Dialect) -> Operator:
    """What a window of a dialect means, over some stream; QueryError if it makes no sense."""
    return planned(context(dialect), window, _ANY)


def meaning(window: ast.Window, dialect: Dialect) -> Operator:
    """Who is valid when: equal for two windows exactly if they are the same one."""
    return plain(windowed(window, dialect))


def plain(window: Operator) -> Operator:
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


def other_boundary(window: Operator) -> Operator | None:
    """[o,c) for (o,c], or the reverse: the same for elements a millisecond away; None if the
    window has no such twin."""
    match window:
        case algebra.SlidingWindow(input, width, 1) if width < FOREVER:
            return algebra.SteppedWindow(input, width + 1, 1, 1, gaps=True)
        case algebra.SteppedWindow(_, width, _, 0):
            return replace(window, width=width + 1, until=1)
        case algebra.SteppedWindow(_, width, _, 1):
            return plain(replace(window, width=width - 1, until=0))
    return None


def express(wanted: Operator, dialect: Dialect) -> ast.Window | None:
    """The window of a dialect that means this, if it has one."""
    for window in _candidates(wanted, dialect):
        try:
            if meaning(window, dialect) == wanted:
                return window
        except QueryError:
            continue
    return None


def _candidates(wanted: Operator, dialect: Dialect) -> Iterator[ast.Window]:
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
