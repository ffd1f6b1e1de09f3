"""How a query reports: as the caller asks, else as its dialect does (semantics, section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from askos.algebra import Intervals, Kind, OnChange, Periodic, Report
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.plan.errors import fault

_WINDOWS = (
    ast.TimeWindow, ast.PastWindow, ast.CountWindow, ast.NowWindow, ast.AllWindow,
    ast.PredicateWindow,
)  # fmt: skip


def default_report(query: ast.Query, *, origin: int = 0) -> Report:
    """What the query's dialect reports, and when.

    Streaming SPARQL: intervals.  C-SPARQL: RSTREAM at each STEP, or as COMPUTED EVERY says.
    CQELS: ISTREAM on change, or at each SLIDE, where it has rows.  RSP-QL and SPARQLstream say
    which, at each STEP or SLIDE.  A query whose windows do not move in steps reports on change.
    Periods count from `origin`, as the windows do.
    """
    report = own_report(query)
    made = replace(report, origin=origin) if isinstance(report, Periodic) else report
    return check_registered(query, made)


def check_registered(query: ast.Query, report: Report) -> Report:
    """`report`, unless the query registers a stream that cannot be, or not with it."""
    _check_register(query)
    register = query.register
    triples = isinstance(query.form, ast.Construct | ast.Describe)
    if register and register.stream and triples and not isinstance(report, Periodic):
        hint = "write COMPUTED EVERY 1m before AS, or give the windows a STEP"
        raise fault(query, register, "a registered stream needs a period", hint)
    return report


def own_report(query: ast.Query, asked: Kind | None = None, every: tuple[int, ...] = ()) -> Report:
    """The report of a query's dialect; where a kind is `asked` for, or periods, with these, as if
    the query had said them."""
    match query.dialect:
        case Dialect.SPARQL | Dialect.STREAMING if not (asked or every or _said(query)):
            return Intervals()
        case Dialect.CQELS:
            when = every or _periods(query, all(_steps(query)))
            kind = asked or Kind.ISTREAM
            return Periodic(kind, when, nonempty=True) if when else OnChange(kind)
    when = every or _periods(query, any(_steps(query)))
    kind = asked or _said(query) or Kind.RSTREAM
    return Periodic(kind, when) if when else OnChange(kind)


def _periods(query: ast.Query, stepped: bool) -> tuple[int, ...]:
    """How often the query says that it reports: as its windows step, unless it is computed
    every so often; none if on change."""
    if query.register and query.register.every:
        return (query.register.every,)
    return tuple(sorted({step for step in _steps(query) if step})) if stepped else ()


def _steps(query: ast.Query) -> Iterator[int | None]:
    """The step of each window; None where it moves otherwise."""
    for node in query.walk():
        if isinstance(node, _WINDOWS):
            yield node.slide if isinstance(node, ast.TimeWindow | ast.PastWindow) else None


def _said(query: ast.Query) -> Kind | None:
    """What RSP-QL's REGISTER, or SPARQLstream's SELECT, says."""
    said = [query.register.report] if query.register else []
    if isinstance(query.form, ast.Select | ast.Construct):
        said.append(query.form.report)
    return next((kind for kind in said if kind), None)


def _check_register(query: ast.Query) -> None:
    """REGISTER STREAM publishes triples; RSP-QL's may stream solutions, and C-SPARQL registers a
    SELECT so, which publishes nothing."""
    register = query.register
    if register is None or not register.stream or register.report is not None:
        return
    if query.dialect is Dialect.CSPARQL:
        return
    if not isinstance(query.form, ast.Construct | ast.Describe):
        hint = "write CONSTRUCT, or REGISTER QUERY"
        raise fault(query, query.form, "a registered stream consists of triples", hint)
