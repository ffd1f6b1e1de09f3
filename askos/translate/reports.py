"""When a query reports, and what, unless the caller says otherwise."""

from __future__ import annotations

from askos.algebra.report import Intervals, Kind, OnChange, Periodic, Report
from askos.translate import ast
from askos.translate.dialect import Dialect


def report(query: ast.Query) -> Report | None:
    """The report of a query's own dialect; None is a query without streams, which reports once.

    Streaming SPARQL: intervals.  C-SPARQL: RSTREAM at each COMPUTED EVERY or STEP, else on
    change.  CQELS: ISTREAM on change, or at each SLIDE where all windows have one.  RSP-QL and
    SPARQLstream say which, RSTREAM if they do not, and when as C-SPARQL and CQELS do.
    """
    extents = tuple(windows(query))
    every = query.register.every if query.register else None
    if not extents:
        return Periodic(kind(query), (every,)) if every else None
    if query.dialect is Dialect.STREAMING:
        return Intervals()
    periods = {every} if every else _periods(extents, query.dialect)
    return Periodic(kind(query), tuple(sorted(periods))) if periods else OnChange(kind(query))


def kind(query: ast.Query) -> Kind:
    """What of the answer the query tells."""
    match query:
        case ast.Query(dialect=Dialect.CQELS):
            return Kind.ISTREAM
        case ast.Query(register=ast.Register(report=Kind() as told)):
            return told
        case ast.Query(form=ast.Select(report=Kind() as told)):
            return told
        case ast.Query(form=ast.Construct(report=Kind() as told)):
            return told
    return Kind.RSTREAM


def windows(query: ast.Query) -> list[ast.Window]:
    """The windows of a query's streams."""
    holders = ast.FromStream | ast.FromWindow | ast.StreamPattern | ast.Group
    found = (node.window for node in query.walk() if isinstance(node, holders))
    return [window for window in found if window is not None]


def _periods(extents: tuple[ast.Window, ...], dialect: Dialect) -> set[int]:
    steps = [getattr(window, "slide", None) for window in extents]
    if None in steps and dialect in (Dialect.CQELS, Dialect.SPARQLSTREAM):
        return set()
    return {step for step in steps if step is not None}
