"""Answers as text: W3C's formats for SELECT and ASK, N-Quads for CONSTRUCT and DESCRIBE.

Where answers carry time, tables have further columns: `ts` and `te` for the interval [ts, te) of
validity, or `at` for the instant of a report, as whole numbers of milliseconds.  N-Quads have the
time in fourth place, `<urn:ms:FROM/TO>` or `<urn:ms:AT>`.  Nothing is lost; FOREVER is its number.

Reports at a terminal, and in JSON, are written one by one, so that those without rows are seen.  In
CSV, TSV, XML and N-Quads they are the rows of one table, where a report without rows leaves no
trace: a row in which nothing is bound is something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from askos.errors import require
from askos.io.results.quads import quads, read_quads
from askos.io.results.reports import Report, Reports, json_reports, terminal_reports
from askos.io.results.rows import Row, Table, Time
from askos.io.results.settled import settled
from askos.io.results.sparql_csv import sparql_csv
from askos.io.results.sparql_json import sparql_json
from askos.io.results.sparql_tsv import sparql_tsv
from askos.io.results.sparql_xml import sparql_xml
from askos.io.results.terminal import terminal
from askos.terms import Variable

__all__ = [
    "FORMATS",
    "Format",
    "Report",
    "Row",
    "Table",
    "Time",
    "read_quads",
    "settled",
    "write",
    "write_reports",
]


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write answers: its media type, the function that writes them piece by piece, and
    where reports are not simply rows with a time, the function that writes those."""

    media: str
    write: Callable[[Table], Iterator[str]]
    reports: Callable[[Reports], Iterator[str]] | None = None


FORMATS: Final[Mapping[str, Format]] = {
    "table": Format("text/plain", terminal, terminal_reports),
    "json": Format("application/sparql-results+json", sparql_json, json_reports),
    "xml": Format("application/sparql-results+xml", sparql_xml),
    "csv": Format("text/csv", sparql_csv),
    "tsv": Format("text/tab-separated-values", sparql_tsv),
    "nq": Format("application/n-quads", quads),
}


def write(
    format: str,
    columns: Sequence[Variable],
    rows: Iterable[Row],
    time: Time = Time.NONE,
    prefixes: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """The text of an answer, piece by piece: rows are taken as they come.

    `time` says what the second part of each row is: nothing, an interval, or an instant.

    >>> from askos.interval import Interval
    >>> from askos.terms import Literal, Solution
    >>> t = Variable("t")
    >>> rows = [(Solution({t: Literal("north")}), Interval(0, 5))]
    >>> print("".join(write("tsv", [t], rows, Time.INTERVAL)).expandtabs(9))
    ?t       ?ts      ?te
    "north"  0        5
    <BLANKLINE>
    """
    return _format(format).write(Table(tuple(columns), rows, time, prefixes or {}))


def write_reports(
    format: str,
    columns: Sequence[Variable],
    reports: Iterable[Report],
    prefixes: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """The text of reports, piece by piece: they are taken as they come.

    >>> from askos.terms import Literal, Solution
    >>> t = Variable("t")
    >>> told = [(10, [Solution({t: Literal("north")})]), (20, [])]
    >>> print("".join(write_reports("table", [t], told)), end="")
    at 1970-01-01T00:00:00.010Z
    t
    "north"
    <BLANKLINE>
    at 1970-01-01T00:00:00.020Z: no rows
    """
    chosen, told = _format(format), Reports(tuple(columns), reports, prefixes or {})
    return chosen.write(told.flat()) if chosen.reports is None else chosen.reports(told)


def _format(name: str) -> Format:
    known = ", ".join(FORMATS)
    require(name in FORMATS, f"there is no format {name!r} for answers", f"one of {known}")
    return FORMATS[name]
