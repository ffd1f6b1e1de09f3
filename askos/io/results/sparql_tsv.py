"""SPARQL 1.1 Query Results TSV Format."""

from __future__ import annotations

from collections.abc import Iterator

from askos.io.results.rows import Table
from askos.terms import XSD, Literal, Term, n3, spell


def sparql_tsv(table: Table) -> Iterator[str]:
    """Terms as SPARQL writes them, numbers bare; ASK is a table too.

    W3C, SPARQL 1.1 Query Results CSV and TSV Formats, section 4.
    """
    yield "\t".join(n3(v) for v in table.variables) + "\n"
    for row in table.solutions:
        yield "\t".join(_cell(row[v]) if v in row else "" for v in table.variables) + "\n"


def _cell(term: Term) -> str:
    """A truth value in full: readers of this format know bare numbers only."""
    if isinstance(term, Literal) and term.datatype == XSD.boolean:
        return n3(term)
    return spell(term)
