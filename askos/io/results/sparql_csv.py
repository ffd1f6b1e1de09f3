"""SPARQL 1.1 Query Results CSV Format."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from askos.io.results.rows import Table
from askos.terms import BNode, Term


def sparql_csv(table: Table) -> Iterator[str]:
    """Values without their types, for spreadsheets; ASK is a table too.

    W3C, SPARQL 1.1 Query Results CSV and TSV Formats, section 3.  Lossy by design: what is unbound
    and what is empty look alike, and so do an IRI and its text.
    """
    names = [str(v) for v in table.variables]
    yield _line(names)
    for row in table.solutions:
        yield _line([_value(row[v]) if v in row else "" for v in table.variables])


def _line(cells: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)  # quotes and ends lines as RFC 4180 has it
    return line.getvalue()


def _value(term: Term) -> str:
    return f"_:{term}" if isinstance(term, BNode) else str(term)
