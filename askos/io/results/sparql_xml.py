"""SPARQL Query Results XML Format."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from askos.errors import StreamError
from askos.io.results.rows import Table
from askos.terms import BNode, Literal, Term, URIRef

_HEAD: Final = '<?xml version="1.0"?>\n<sparql xmlns="http://www.w3.org/2005/sparql-results#">\n'
_IMPOSSIBLE: Final = re.compile(r"[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]")


def sparql_xml(table: Table) -> Iterator[str]:
    """One result to a line; <boolean> for ASK.

    W3C, SPARQL Query Results XML Format (Second Edition), section 2.  XML 1.0 has no way to write
    most control characters: a literal that holds one is refused.
    """
    verdict, table = table.verdict()
    yield _HEAD
    if verdict is not None:
        yield f"<head/>\n<boolean>{str(verdict).lower()}</boolean>\n</sparql>\n"
        return
    names = "".join(f"<variable name={quoteattr(str(v))}/>" for v in table.variables)
    yield f"<head>{names}</head>\n<results>\n"
    for row in table.solutions:
        cells = (
            f"<binding name={quoteattr(str(v))}>{_encode(row[v])}</binding>"
            for v in table.variables
            if v in row
        )
        yield f"<result>{''.join(cells)}</result>\n"
    yield "</results>\n</sparql>\n"


def _encode(term: Term) -> str:
    text = _text(term)
    match term:
        case URIRef():
            return f"<uri>{text}</uri>"
        case BNode():
            return f"<bnode>{text}</bnode>"
        case Literal(language=str() as tag):
            return f"<literal xml:lang={quoteattr(tag)}>{text}</literal>"
        case Literal(datatype=URIRef() as datatype):
            return f"<literal datatype={quoteattr(str(datatype))}>{text}</literal>"
    return f"<literal>{text}</literal>"


def _text(term: Term) -> str:
    found = _IMPOSSIBLE.search(term)
    if found:
        message = f"the character U+{ord(found[0]):04X} cannot be written in XML"
        raise StreamError(message, hint="write JSON or TSV")
    return escape(term, {"\r": "&#13;"})  # a bare one would be read as the end of a line
