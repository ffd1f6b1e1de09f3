"""Queries that no other dialect can say: refused, with the part at fault and the reason."""

from __future__ import annotations

import pytest

from askos.errors import QueryError, UnsupportedError
from askos.terms import URIRef
from askos.translate import Dialect, Difference, ast, create_plan, parse
from askos.translate import format as format_query
from askos.translate.convert import convert
from tests.translate.test_convert import ANY, into

STREAMING = "SELECT DISTINCT ?x\nFROM STREAM <s> WINDOW RANGE 10 S SLIDE 5 S\nWHERE { ?x <p> ?y }"
CSPARQL = "SELECT ?x\nFROM STREAM <s> [RANGE 10s STEP 5s]\nWHERE { ?x <p> ?y }"
ALL = [difference.value for difference in Difference]
CQELS = "SELECT ?x\n{ STREAM <s> [TRIPLES 5] { ?x <p> ?y }\n?x <q> ?z }"


def why_not(dialect: str, text: str, *allow: str) -> tuple[str, str]:
    """The reason, and the line of the query from the part at fault on."""
    with pytest.raises(UnsupportedError) as told:
        format_query(parse(text), dialect=dialect, allow=allow)
    line = text.splitlines()[told.value.line - 1]
    return told.value.message, line[told.value.column - 1 :]


@pytest.mark.parametrize(
    ("dialect", "text", "reason", "part"),
    [
        ("sparql", CSPARQL, "SPARQL 1.1 has no streams", "<s> [RANGE"),
        (
            "csparql",
            STREAMING,
            "C-SPARQL has no window with this content: an element enters when it arrives, and"
            " leaves at a multiple of SLIDE",
            "WINDOW RANGE",
        ),
        (
            "rspql",
            CSPARQL,
            "RSP-QL has no window with this content: at each step t the elements of (t - w, t],"
            " those of t among them",
            "[RANGE 10s",
        ),
        (
            "cqels",
            CSPARQL,
            "C-SPARQL reports RSTREAM every 5000 ms, CQELS-QL ISTREAM every 5000 ms",
            "SELECT ?x",
        ),
        (
            "csparql",
            CQELS,
            "in C-SPARQL this would read the streams too, not static graphs only",
            "?x <q> ?z",
        ),
        (
            "rspql",
            CQELS,
            "CQELS-QL reads the engine's static graphs here, RSP-QL only what FROM names",
            "?x <q> ?z",
        ),
        (
            "rspql",
            "SELECT ?x FROM STREAM <s> [RANGE TRIPLES 5] { ?x <p> ?y }"
            "\nGROUP BY ?x HAVING (EXISTS { ?x <q> ?z })",
            "in RSP-QL a pattern outside of WHERE reads no window",
            "?x <q> ?z",
        ),
        (
            "csparql",
            "ASK {\nSTREAM <s> [TRIPLES 1] {} STREAM <s> [TRIPLES 2] {} }",
            "C-SPARQL gives a stream one window, but <s> has two",
            "<s> [TRIPLES 2]",
        ),
        (
            "cqels",
            "SELECT * FROM STREAM <s> WINDOW ELEMS 5\n{ ?x <p> ?y }",
            "a window is a bag of triples in Streaming SPARQL, a set in CQELS-QL, and this query"
            " counts",
            "SELECT *",
        ),
        (
            "csparql",
            "ASK FROM STREAM <s> WINDOW ELEMS 5\n{ ?x <p> ?y WINDOW ELEMS 3 }",
            "C-SPARQL has no window for a group",
            "WINDOW ELEMS 3",
        ),
        (
            "cqels",
            "SELECT ?x FROM STREAM <s> [RANGE TRIPLES 5] { ?x <p> ?y }\n"
            "AGGREGATE {\n(?n, COUNT, {?x}) }",
            "CQELS-QL has no AGGREGATE",
            "?n, COUNT",
        ),
        (
            "sparqlstream",
            "ASK FROM STREAM <s> [RANGE 5s STEP 5s] { ?x <p> ?y\nFILTER (timestamp(?x) > 5) }",
            "SPARQLstream has no timestamp()",
            "timestamp(?x)",
        ),
        (
            "sparql",
            "SELECT ?a-b\nWHERE { ?x <p> ?a-b } AGGREGATE { (?n, COUNT, {?x}) }",
            "SPARQL 1.1 has no - in variables",
            "?a-b",
        ),
        (
            "streaming-sparql",
            "REGISTER STREAM o AS CONSTRUCT {} FROM STREAM <s> [RANGE TRIPLES 5] {}",
            "Streaming SPARQL has no REGISTER, so it publishes no stream",
            "REGISTER",
        ),
        (
            "rspql",
            "ASK FROM NAMED STREAM <s> WINDOW ELEMS 5\n{ GRAPH ?g { ?x <p> ?y } }",
            "GRAPH ?g may range over other streams there",
            "GRAPH ?g",
        ),
        (
            "csparql",
            "ASK FROM STREAM <s> WINDOW ELEMS 5\n{ GRAPH <s> { ?x <p> ?y } }",
            "GRAPH of a stream means something else there",
            "GRAPH <s>",
        ),
        (
            "rspql",
            "ASK {\nSTREAM ?s [NOW] { ?x <p> ?y } }",
            "a variable for the streams to read",
            "STREAM ?s",
        ),
        (
            "rspql",
            "ASK {\nSTREAM <s> { ?x <p> ?y } }",
            "this stream has no window",
            "STREAM <s>",
        ),
        (
            "csparql",
            "SELECT * FROM <g>\n{ ?x <p> ?y }",
            "C-SPARQL reads the engine's static graphs here, SPARQL 1.1 only what FROM names",
            "?x <p> ?y",
        ),
        (
            "rspql",
            "DESCRIBE ?x FROM STREAM <s> [RANGE TRIPLES 5] { ?x <p> ?y }",
            "RSP-QL describes from static graphs, not from a window",
            "DESCRIBE",
        ),
        (
            "rspql",
            "ASK FROM <g>\nFROM STREAM <s> [RANGE TRIPLES 5] { ?x <p> ?y }",
            "in RSP-QL a pattern reads one window, and no static graph beside it",
            "FROM <g>",
        ),
    ],
)
def test_a_query_that_means_something_else_there_is_refused(
    dialect: str, text: str, reason: str, part: str
) -> None:
    message, there = why_not(dialect, text)
    assert message == reason
    assert there.startswith(part)


def test_static_triples_outside_of_stream_need_from_in_streaming_sparql() -> None:
    text = "ASK {0} {{ STREAM <s> [RANGE 5s] {{ ?x <p> ?y }}\n?x <q> ?z }}"
    message, part = why_not("streaming-sparql", text.format(""), *ALL)
    assert message == "Streaming SPARQL reads static graphs here only if FROM names them"
    assert part.startswith("?x <q> ?z")
    streaming = into("streaming-sparql", text.format("FROM <g>"), *ALL)
    assert create_plan(streaming)


def test_a_query_about_one_stream_is_about_it_alone_in_cqels() -> None:
    """FROM STREAM would add the engine's static graphs, and be taken for C-SPARQL."""
    text = "ASK FROM STREAM <s> WINDOW RANGE 5 S SLIDE 1 MS { ?x <p> ?y }"
    cqels = into("cqels", text, "report")
    assert cqels == "ASK WHERE { STREAM <s> [RANGE 5s] { ?x <p> ?y . } }"
    assert convert(parse(cqels), Dialect.STREAMING, ANY).dataset[0] == ast.FromStream(
        ast.Term(URIRef("s")), named=True, window=ast.TimeWindow(5000, 1)
    )


def test_what_would_be_taken_for_another_dialect_is_refused() -> None:
    text = "ASK FROM STREAM <http://e/s> [RANGE 5ms STEP 1ms] { ?x <p> ?y }"
    message, _ = why_not("cqels", text, "report")
    assert message == "written in CQELS-QL, this would be taken for C-SPARQL"
    stepped = text.replace("STEP 1ms", "STEP 5ms")
    assert parse(into("cqels", stepped, "report")).dialect is Dialect.CQELS


def test_a_word_of_cqels_for_a_stream_stays_one_where_there_is_a_base() -> None:
    query = parse("ASK { STREAM Telemetry [TRIPLES 5] { ?x <p> ?y } }", base="http://e/")
    rspql = format_query(query, dialect="rspql", allow=ANY)
    assert "ON Telemetry [ELEMENTS 5]" in rspql
    assert create_plan(parse(rspql, base="http://e/")) == create_plan(query)
    with pytest.raises(UnsupportedError, match="GRAPH cannot name the stream Telemetry"):
        format_query(query, dialect="csparql", allow=ANY)


def test_a_difference_is_admitted_by_name_only() -> None:
    with pytest.raises(UnsupportedError) as told:
        into("cqels", CSPARQL)
    assert told.value.hint == "if that does not matter, allow the difference: report"
    assert into("cqels", CSPARQL, "report")
    with pytest.raises(QueryError, match="'everything' is not a valid Difference"):
        into("cqels", CSPARQL, "everything")
    with pytest.raises(QueryError, match="'klingon' is no dialect"):
        into("klingon", CSPARQL)


@pytest.mark.parametrize(
    ("form", "pattern", "notices"),
    [
        ("SELECT ?x", "", True),
        ("SELECT DISTINCT ?x", "", False),
        ("SELECT DISTINCT (COUNT(?x) AS ?n)", "", True),
        ("SELECT DISTINCT (COUNT(DISTINCT ?x) AS ?n)", "", False),
        ("SELECT DISTINCT (MAX(?y) AS ?n)", "", False),
        ("ASK", "", False),
        ("ASK", "{ SELECT ?x { ?x <q> ?z } LIMIT 1 }", True),
        ("ASK", "{ SELECT ?x { ?x <q> ?z } }", False),
        ("ASK", "FILTER (RAND() < 0.5)", True),
        ("CONSTRUCT { ?x <q> ?y }", "", False),
        ("CONSTRUCT { ?x <q> [] }", "", True),
        ("CONSTRUCT { ?x <q> _:b }", "", True),
    ],
)
def test_duplicates_matter_only_to_those_who_count(form: str, pattern: str, notices: bool) -> None:
    text = f"{form} FROM STREAM <s> WINDOW ELEMS 5 WHERE {{ ?x <p> ?y {pattern} }}"
    if notices:
        message, _ = why_not("cqels", text, "report", "static")
        assert message.startswith("a window is a bag of triples")
    assert into("cqels", text, "report", "static", *["duplicates"] * notices)
