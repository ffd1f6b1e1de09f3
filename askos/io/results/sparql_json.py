"""SPARQL 1.1 Query Results JSON Format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askos.io.results.rows import Table
from askos.terms import BNode, Literal, Term, Variable


def sparql_json(table: Table) -> Iterator[str]:
    """One binding to a line; {"boolean": ..} for ASK.

    W3C, SPARQL 1.1 Query Results JSON Format, sections 3 and 4.
    """
    verdict, table = table.verdict()
    if verdict is not None:
        yield json.dumps({"head": {}, "boolean": verdict}) + "\n"
        return
    head = json.dumps({"vars": [str(v) for v in table.variables]}, ensure_ascii=False)
    yield f'{{"head": {head}, "results": {{"bindings": ['
    between = "\n"
    for row in table.solutions:
        yield between + json.dumps(binding(table.variables, row), ensure_ascii=False)
        between = ",\n"
    yield "\n]}}\n"


def binding(variables: Sequence[Variable], row: Mapping[Variable, Term]) -> dict[str, Any]:
    """A row: what is unbound is not there."""
    return {str(v): _encode(row[v]) for v in variables if v in row}


def _encode(term: Term) -> dict[str, Any]:
    match term:
        case BNode():
            return {"type": "bnode", "value": str(term)}
        case Literal(language=str() as tag):
            return {"type": "literal", "value": str(term), "xml:lang": tag}
        case Literal(datatype=datatype) if datatype is not None:
            return {"type": "literal", "value": str(term), "datatype": str(datatype)}
        case Literal():
            return {"type": "literal", "value": str(term)}
    return {"type": "uri", "value": str(term)}
