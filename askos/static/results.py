"""Answers as text: for people, and as W3C's formats for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from askos.static.queries import Result, Solutions
from askos.terms import XSD, BNode, Literal, Term, n3


def results_text(answers: Result, prefixes: Mapping[str, str] | None = None) -> str:
    """A table for SELECT, yes or no for ASK, N-Triples for CONSTRUCT and DESCRIBE.

    >>> print(results_text(True), end="")
    yes
    """
    if isinstance(answers, bool):
        return "yes\n" if answers else "no\n"
    if not isinstance(answers, Solutions):
        return "".join(f"{triple} .\n" for triple in answers)
    from askos.io.table import table  # loads more than a program that wants JSON needs

    rows = [[n3(row[v]) if v in row else None for v in answers.variables] for row in answers]
    return table([str(v) for v in answers.variables], rows, prefixes) + "\n"


def results_json(answers: Result) -> str:
    """SPARQL 1.1 Query Results JSON Format, for SELECT and ASK; N-Triples for triples.

    >>> print(results_json(False), end="")
    {"head": {}, "boolean": false}
    """
    if isinstance(answers, bool):
        return json.dumps({"head": {}, "boolean": answers}) + "\n"
    if not isinstance(answers, Solutions):
        return results_text(answers)
    bindings = [{str(v): _encode(row[v]) for v in answers.variables if v in row} for row in answers]
    head = {"vars": [str(v) for v in answers.variables]}
    return json.dumps({"head": head, "results": {"bindings": bindings}}, indent=1) + "\n"


def _encode(term: Term) -> dict[str, Any]:
    match term:
        case BNode():
            return {"type": "bnode", "value": str(term)}
        case Literal(language=str() as tag):
            return {"type": "literal", "value": str(term), "xml:lang": tag}
        case Literal(datatype=datatype) if datatype and datatype != XSD.string:
            return {"type": "literal", "value": str(term), "datatype": str(datatype)}
        case Literal():
            return {"type": "literal", "value": str(term)}
    return {"type": "uri", "value": str(term)}
