"""What a caller asks of a report, on top of what the query says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from askos.algebra import Intervals, Kind, OnChange, Periodic, Report
from askos.errors import QueryError, require, require_flag, require_whole
from askos.translate import ast
from askos.translate.durations import milliseconds
from askos.translate.plan.reports import check_registered, own_report

Every: TypeAlias = int | str | Sequence[int | str]
"""Periods: milliseconds, or durations such as "10s"; one, or several."""

INTERVALS: Final = "intervals"
KINDS: Final = {kind.value.lower(): kind for kind in Kind}
NAMES: Final = (INTERVALS, *KINDS)
"""What reports are called."""

_ITSELF: Final = "a Report says that itself; or name its kind: report='rstream'"


def asked_report(
    query: ast.Query | None,
    report: Report | str | None = None,
    *,
    every: Every | None = None,
    nonempty: bool | None = None,
    origin: int | None = None,
) -> Report:
    """The report of a query, or of a plan (None), which has none of its own.

    A `report` by name replaces the kind and keeps the query's own period; `every` replaces that,
    and makes a query that would tell intervals an RSTREAM.  A `Report` is taken as it is, from
    the given origin if it names none.

    >>> asked_report(None, "istream", every="10s")
    Periodic(kind=<Kind.ISTREAM: 'ISTREAM'>, every=(10000,), origin=0, nonempty=False)
    """
    if isinstance(report, Report):
        require(every is None, f"every={every!r} is said beside the report {report!r}", _ITSELF)
        said = f"nonempty={nonempty!r} is said beside the report {report!r}"
        require(nonempty is None, said, _ITSELF)
        return _from(report, origin)
    made = _named(query, None if report is None else _name(report), _periods(every))
    if nonempty is not None:
        made = _only(made, nonempty)
    made = _from(made, origin)
    return made if query is None else check_registered(query, made)


def _name(report: object) -> str:
    name = report.lower() if isinstance(report, str) else ""
    hint = f"one of {', '.join(NAMES)}, or a Report"
    require(name in NAMES, f"there is no report {report!r}", hint)
    return name


def _named(query: ast.Query | None, name: str | None, every: tuple[int, ...]) -> Report:
    """What the query would report, of the kind that is asked for by name."""
    if name == INTERVALS:
        require(not every, "intervals have no period", "leave every out, or ask for an RSTREAM")
        return Intervals()
    kind = None if name is None else KINDS[name]
    if query is not None:
        return own_report(query, kind, every)
    if every:
        return Periodic(kind or Kind.RSTREAM, every)
    return OnChange(kind) if kind else Intervals()


def _only(report: Report, nonempty: bool) -> Report:
    require_flag(nonempty, "nonempty")
    match report:
        case Periodic() | OnChange():
            return replace(report, nonempty=nonempty)
    hint = "leave nonempty out, or ask for another report"
    raise QueryError("intervals are never without rows", hint=hint)


def _from(report: Report, origin: int | None) -> Report:
    """A periodic report counts from where the windows do; others have nothing to count."""
    if origin is None or not isinstance(report, Periodic):
        return report
    require_whole(origin, 0, "origin")
    require(
        report.origin in (0, origin),
        f"the report counts from {report.origin}, and the windows from {origin}",
        "say the origin once",
    )
    return replace(report, origin=origin)


def _periods(every: Every | None) -> tuple[int, ...]:
    if every is None:
        return ()
    each = (every,) if isinstance(every, int | str) else tuple(every)
    require(bool(each), "every: there is no period in it", "write 10s, 5m or 500")
    return tuple(sorted({_period(period) for period in each}))


def _period(period: object) -> int:
    if not isinstance(period, str):
        require_whole(period, 1, "a period")
        assert isinstance(period, int)
        return period
    try:
        length = milliseconds(period.strip())[0]
    except ValueError as error:
        message, _, hint = str(error).partition("; ")
        raise QueryError(f"a period: {message}", hint=hint) from None
    require_whole(length, 1, f"the period {period!r}")
    return length
