"""How a query reports if nobody says otherwise (semantics, section 6)."""

from __future__ import annotations

from collections.abc import Iterator

from askos.algebra import Intervals, Kind, OnChange, Periodic, Report
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.plan.errors import fault

_WINDOWS = (
    ast.TimeWindow, ast.PastWindow, ast.CountWindow, ast.NowWindow, ast.AllWindow,
    ast.PredicateWindow,
)  # fmt: skip


def default_report(query: ast.Query) -> Report:
    """What the query's dialect reports, and when.

    Streaming SPARQL: intervals.  C-SPARQL: RSTREAM at each STEP, or as COMPUTED EVERY says.
    CQELS: ISTREAM on change, or at each SLIDE.  RSP-QL and SPARQLstream say which, at each STEP
    or SLIDE.  A query whose windows do not move in steps reports on change.
    """
    _check_register(query)
    report = _of_dialect(query)
    register = query.register
    triples = isinstance(query.form, ast.Construct | ast.Describe)
    if register and register.stream and triples and not isinstance(report, Periodic):
        hint = "write COMPUTED EVERY 1m before AS, or give the windows a STEP"
        raise fault(query, register, "a registered stream needs a period", hint)
    return report


def _of_dialect(query: ast.Query) -> Report:
    match query.dialect:
        case Dialect.SPARQL:
            return Intervals()
        case Dialect.STREAMING if not _said(query):
            return Intervals()
        case Dialect.CQELS:
            return _at_steps(query, Kind.ISTREAM, all(_steps(query)))
    return _at_steps(query, _kind(query), any(_steps(query)))


def _at_steps(query: ast.Query, kind: Kind, stepped: bool) -> Report:
    """Periodic where there is a period, else on change."""
    if query.register and query.register.every:
        return Periodic(kind, (query.register.every,))
    steps = sorted({step for step in _steps(query) if step})
    return Periodic(kind, tuple(steps)) if stepped and steps else OnChange(kind)


def _steps(query: ast.Query) -> Iterator[int | None]:
    """The step of each window; None where it moves otherwise."""
    for node in query.walk():
        if isinstance(node, _WINDOWS):
            yield node.slide if isinstance(node, ast.TimeWindow | ast.PastWindow) else None


def _kind(query: ast.Query) -> Kind:
    """What the query says of its report; else the whole answer."""
    return _said(query) or Kind.RSTREAM


def _said(query: ast.Query) -> Kind | None:
    """What RSP-QL's REGISTER, or SPARQLstream's SELECT, says."""
    said = [query.register.report] if query.register else []
    if isinstance(query.form, ast.Select | ast.Construct):
        said.append(query.form.report)
    return next((kind for kind in said if kind), None)


def _check_register(query: ast.Query) -> None:
    """C-SPARQL's REGISTER STREAM publishes triples; RSP-QL's may stream solutions."""
    register = query.register
    if register is None or not register.stream or register.report is not None:
        return
    if not isinstance(query.form, ast.Construct | ast.Describe):
        hint = "write CONSTRUCT, or REGISTER QUERY"
        raise fault(query, query.form, "a registered stream consists of triples", hint)
