"""Queries that others wrote: W3C's syntax tests, the stream benchmarks, and the papers."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from askos.errors import QueryError
from askos.terms import Literal
from askos.translate import Dialect, parse
from tests.suites import FOLDER, suite

PAPERS = Path(__file__).parent.parent / "queries"

# What these suites call streaming-sparql is SPARQLstream, or C-SPARQL's clauses; it is read as that
# unless Streaming SPARQL is asked for, which reads their windows too.
LABELS = {
    "sparql": {Dialect.SPARQL},
    "csparql": {Dialect.CSPARQL},
    "cqels": {Dialect.CQELS},
    "rspql": {Dialect.RSPQL},
    "streaming-sparql": {Dialect.SPARQLSTREAM, Dialect.CSPARQL},
}
# Not because of us: where the text is wrong, or of a language that is none of ours.
SEQ = "unknown word SEQ"  # event patterns of cqels4j: FILTER(SEQ(?e1 ; ?e2))
FUTURE = "a window needs RANGE"  # cqels4j's windows over what comes after an element
UNGROUPED = "is not the same in all of a group"  # W3C refuses it too: group06, agg10
EXCEPTIONS = {
    "citybench/rspql/Q12": UNGROUPED,
    "srbench/streaming-sparql/siow-q5": UNGROUPED,
    "cqels-examples/cqels/cqels4j-CepQuantifier-01": SEQ,
    "cqels-examples/cqels/cqels4j-ComplexEventPattern-01": SEQ,
    "cqels-examples/cqels/cqels4j-CorrelatedFaultCascade-01": SEQ,
    "cqels-examples/cqels/cqels4j-DriverAttentionWatchdog-01": SEQ,
    "cqels-examples/cqels/cqels4j-DirectionalMultiPatternJoin-01": FUTURE,
    "cqels-examples/cqels/cqels4j-DirectionalWindow-01": FUTURE,
}

# Tests of syntax alone, whose SELECT names what WHERE does not bind.
UNBOUND = ["nothing binds ?x: it has no value"]
REMARKED = {f"sparql10/syntax-sparql2/syntax-dataset-0{number}": UNBOUND for number in (1, 3, 4)}


def rows(manifest: Path) -> list[dict[str, Any]]:
    if not manifest.exists():
        return []
    lines = manifest.read_text(encoding="utf-8").splitlines()
    return [row | {"path": manifest.parent / row["query"]} for row in map(json.loads, lines)]


@cache
def w3c() -> list[dict[str, Any]]:
    return rows(FOLDER / "w3c" / "manifest.jsonl")


@cache
def streams() -> list[dict[str, Any]]:
    found = [row for m in sorted(FOLDER.glob("rsp/*/manifest.jsonl")) for row in rows(m)]
    return [row for row in found if not row.get("template")]


def identity(row: dict[str, Any]) -> str:
    return str(row["id"])


def test_the_suites_are_there() -> None:
    suite("w3c")
    suite("rsp")
    assert len(w3c()) == 574
    assert len(streams()) == 185


@pytest.mark.parametrize("row", [r for r in w3c() if r["kind"] != "syntax-negative"], ids=identity)
def test_w3c_queries_parse_as_plain_sparql(row: dict[str, Any]) -> None:
    query = parse(row["path"].read_text(encoding="utf-8"), base=row["base"])
    assert query.dialect is Dialect.SPARQL
    told = [remark.message for remark in query.remarks]
    assert told == REMARKED.get(row["id"], [])


@pytest.mark.parametrize("row", [r for r in w3c() if r["kind"] == "syntax-negative"], ids=identity)
def test_w3c_negative_tests_are_refused_with_a_position(row: dict[str, Any]) -> None:
    with pytest.raises(QueryError) as caught:
        parse(row["path"].read_text(encoding="utf-8"), base=row["base"])
    assert caught.value.line > 0


@pytest.mark.parametrize("row", w3c(), ids=identity)
def test_a_plain_query_means_the_same_in_a_stream_dialect(row: dict[str, Any]) -> None:
    """C-SPARQL's ?total-sensor and $parameters of CQELS aside, no dialect takes anything away."""
    text = row["path"].read_text(encoding="utf-8")
    for dialect in (Dialect.STREAMING, Dialect.RSPQL, Dialect.SPARQLSTREAM):
        try:
            plain: Any = parse(text, base=row["base"]).form
        except QueryError as error:
            plain = error.line
        try:
            stream: Any = parse(text, base=row["base"], dialect=dialect).form
        except QueryError as error:
            stream = error.line
        # An aggregate without parentheses is RSP-QL.
        assert plain == stream or (dialect is Dialect.RSPQL and not isinstance(stream, int))


@pytest.mark.parametrize("row", streams(), ids=identity)
def test_stream_queries_parse_in_the_dialect_they_are_labelled_with(row: dict[str, Any]) -> None:
    text = row["path"].read_text(encoding="utf-8")
    if row["id"] in EXCEPTIONS:
        with pytest.raises(QueryError, match=EXCEPTIONS[row["id"]]):
            parse(text)
        return
    query = parse(text)
    assert query.dialect in LABELS[row["dialect"]]
    assert parse(text, dialect=query.dialect) == query
    assert parse(text, dialect=row["dialect"]).where == query.where


@pytest.mark.parametrize("file", sorted(PAPERS.rglob("*.rq")), ids=lambda file: file.stem)
def test_queries_of_the_papers_parse_and_the_broken_ones_do_not(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    parameters = {"Name": Literal("Nora")}
    if file.parent.name == "refused":
        with pytest.raises(QueryError):
            parse(text, parameters=parameters)
        return
    query = parse(text, parameters=parameters)
    homes = {"streaming-sparql": Dialect.STREAMING, "cqels": Dialect.CQELS}
    plain_or_own = {Dialect.SPARQL, homes.get(file.parent.name, Dialect.CSPARQL)}
    assert query.dialect in plain_or_own
