"""Queries in other dialects: where they mean the same, and why not where they do not."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askos.algebra import Stamped
from askos.algebra.reference import Streams, evaluate
from askos.errors import QueryError, UnsupportedError
from askos.sources import DEFAULT_GRAPH
from askos.terms import Triple, URIRef
from askos.translate import Dialect, Difference, ast, create_plan, parse
from askos.translate import format as format_query
from askos.translate.convert import convert
from tests.build import EX, stream, triple
from tests.translate.generate import DIALECTS, queries

ANY = frozenset(Difference)


def into(dialect: str, text: str, *allow: str) -> str:
    """The query in another dialect, on one line."""
    return " ".join(format_query(parse(text), dialect=dialect, allow=allow).split())


def why_not(dialect: str, text: str, *allow: str) -> tuple[str, str]:
    """The reason, and the line of the query from the part at fault on."""
    with pytest.raises(UnsupportedError) as told:
        format_query(parse(text), dialect=dialect, allow=allow)
    line = text.splitlines()[told.value.line - 1]
    return told.value.message, line[told.value.column - 1 :]


# ---- laws -------------------------------------------------------------------------------------


@settings(max_examples=4 * settings().max_examples)
@given(queries(), DIALECTS)
def test_what_is_converted_is_a_query_of_its_dialect_or_refused(
    query: ast.Query, dialect: Dialect
) -> None:
    try:
        new = convert(query, dialect, ANY)
    except (UnsupportedError, QueryError):  # the latter of reports that make no sense
        return
    assert new.dialect is dialect
    assert parse(format_query(new), dialect=dialect) == new


@settings(max_examples=3 * settings().max_examples)
@given(queries(), DIALECTS, st.sets(st.sampled_from(Difference)))
def test_allowing_more_never_refuses_more(
    query: ast.Query, dialect: Dialect, allow: set[Difference]
) -> None:
    try:
        strict = convert(query, dialect, allow)
    except (UnsupportedError, QueryError):
        return
    assert convert(query, dialect, ANY) == strict


@pytest.mark.parametrize("dialect", Dialect, ids=lambda d: d.value)
@pytest.mark.parametrize("text", ["SELECT * { ?s ?p ?o }", "ASK { GRAPH <g> { ?s <p>* ?o } }"])
def test_a_query_without_streams_goes_into_any_dialect_and_back(
    dialect: Dialect, text: str
) -> None:
    query = parse(text)
    there = format_query(query, dialect=dialect)
    assert there == format_query(query)
    assert convert(parse(there, dialect=dialect), Dialect.SPARQL) == query


# ---- the same by meaning ----------------------------------------------------------------------

BY_MEANING = [
    "SELECT * FROM STREAM :s WINDOW RANGE 5 SLIDE 1 { ?x :p ?y }",
    "SELECT DISTINCT ?x FROM STREAM :s WINDOW RANGE 5 SLIDE 1 { ?x :p ?y }",
    "ASK FROM STREAM :s WINDOW ELEMS 3 { ?x :p ?y FILTER NOT EXISTS { ?y :p ?z } }",
    "SELECT DISTINCT * FROM STREAM :s WINDOW ELEMS 3 FROM NAMED STREAM :t WINDOW RANGE 4 SLIDE 1"
    " { ?x :p ?y OPTIONAL { GRAPH :t { ?x :p ?z } } }",
    "SELECT DISTINCT * FROM STREAM :s WINDOW ELEMS 3 FROM NAMED STREAM :s WINDOW ELEMS 3"
    " { ?x :p ?y MINUS { GRAPH :s { ?y :p ?x } } }",
    "SELECT * FROM STREAM :s [RANGE 6 STEP 4] { ?x :p ?y }",
    "SELECT ?x (COUNT(*) AS ?n) FROM STREAM :s [RANGE 5 STEP 5] FROM STREAM :t [RANGE 4 STEP 2]"
    " { ?x :p ?y GRAPH :s { ?y :p ?z } } GROUP BY ?x",
    "SELECT * FROM STREAM :s [RANGE 4 STEP 4] FROM NAMED STREAM :t [RANGE TRIPLES 2]"
    " { ?x :p ?y GRAPH :t { ?y :p ?z } }",
    "SELECT * FROM NAMED STREAM :s [RANGE 4 STEP 4] FROM NAMED STREAM :t [RANGE 3 STEP 1]"
    " { ?x :p ?y OPTIONAL { GRAPH :t { ?y :p ?z } } }",
    "SELECT * FROM NAMED :g FROM NAMED STREAM :s [RANGE TRIPLES 3]"
    " { GRAPH :s { ?x :p ?y } GRAPH :g { ?y :p ?z } }",
    "SELECT * FROM STREAM :s [RANGE 4 STEP 4] { GRAPH :s { ?x :p ?y } }",
    "SELECT * { STREAM :s [RANGE 5] { ?x :p ?y } STREAM :t [TRIPLES 2] { ?y :p ?z } }",
    "SELECT * { STREAM :s [NOW] { ?x :p ?y } STREAM :s [ALL] { ?y :p ?z } }",
    "SELECT * { STREAM :s [RANGE 5 SLIDE 7] { ?x :p ?y }"
    " { STREAM :s [RANGE 5 SLIDE 7] { ?y :p ?z } } UNION { STREAM :t [RANGE 2] { ?z :p ?y } } }",
    "SELECT * FROM STREAM :s [RANGE 3 SLIDE 2] FROM STREAM T [NOW]"
    " { ?x :p ?y STREAM :s { ?y :p ?z } }",
    "CONSTRUCT WHERE { ?x :p ?y }",
    "SELECT * FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 2] FROM NAMED WINDOW :v ON :t [ELEMENTS 3]"
    " { WINDOW :w { ?x :p ?y } WINDOW :v { ?y :p ?z } }",
    "SELECT DISTINCT * FROM NAMED WINDOW :w ON :s [RANGE 5 STEP 2] { WINDOW :w { ?x :p ?y } }",
    "SELECT * FROM NAMED STREAM :s [NOW - 5 MS SLIDE 2 MS] { ?x :p ?y }",
    "SELECT DISTINCT ?y FROM NAMED STREAM :s [NOW - 5 MS TO NOW - 1 MS SLIDE 2 MS] { ?x :p ?y }",
    "SELECT DISTINCT ?y FROM STREAM :s [NOW - 5 MS] FROM NAMED STREAM :t [NOW]"
    " { ?x :p ?y OPTIONAL { GRAPH :t { ?y :p ?z } } }",
    "SELECT * { ?x :p ?y GRAPH :g { ?y :p ?z } }",
]
NODES = st.sampled_from("ab")
ROWS = st.lists(st.tuples(NODES, st.just("p"), NODES, st.integers(0, 12)), max_size=6)
GRAPHS = st.lists(st.tuples(NODES, NODES), max_size=2, unique=True)


@st.composite
def data(draw: st.DrawFn) -> Streams:
    found: dict[URIRef, list[Stamped] | list[Triple]] = {
        name: stream(*sorted(draw(ROWS), key=lambda row: row[3])) for name in (EX.s, EX.t)
    }
    found[EX.g] = [triple(s, "p", o) for s, o in draw(GRAPHS)]
    return found | {URIRef("T"): [], DEFAULT_GRAPH: []}


@pytest.mark.parametrize("text", BY_MEANING)
@settings(max_examples=settings().max_examples // 2)
@given(data=data())
def test_the_converted_query_has_the_same_answer_at_every_instant(text: str, data: Streams) -> None:
    """Whatever it reports; and where the engine has no static graphs of its own."""
    query = parse(f"PREFIX : <{EX}> {text}")
    plan = create_plan(query)
    for dialect in Dialect:
        try:
            there = format_query(query, dialect=dialect, allow=("report", "static"))
        except UnsupportedError:
            continue
        other = create_plan(parse(there, dialect=dialect))
        for t in range(24):
            assert evaluate(other, data, t) == evaluate(plan, data, t), (there, t)


def test_most_of_these_can_be_said_in_several_dialects() -> None:
    """So that the test above is not an empty one."""
    said = []
    for text in BY_MEANING:
        query = parse(f"PREFIX : <{EX}> {text}")
        for dialect in set(Dialect) - {query.dialect}:
            with suppress(UnsupportedError):
                format_query(query, dialect=dialect, allow=("report", "static"))
                said.append((query.dialect, dialect))
    assert len(said) >= 35
    assert len(set(said)) >= 15


# ---- the same in other words ------------------------------------------------------------------


def test_the_last_elements_are_the_same_in_cqels_and_rspql() -> None:
    cqels = (
        "SELECT ?x { STREAM <s> [TRIPLES 5] { ?x <p> ?y } STREAM <t> [TRIPLES 9] { ?x <q> ?z } }"
    )
    rspql = into("rspql", cqels)
    assert rspql == (
        "REGISTER ISTREAM <urn:query:result> AS SELECT ?x "
        "FROM NAMED WINDOW <urn:window:1> ON <s> [ELEMENTS 5] "
        "FROM NAMED WINDOW <urn:window:2> ON <t> [ELEMENTS 9] "
        "WHERE { WINDOW <urn:window:1> { ?x <p> ?y . } WINDOW <urn:window:2> { ?x <q> ?z . } }"
    )
    assert convert(parse(rspql), Dialect.CQELS).where == parse(cqels).where


def test_one_window_of_cqels_read_twice_is_one_window_of_rspql() -> None:
    text = "ASK { STREAM <s> [TRIPLES 5] { ?x <p> ?y } STREAM <s> [TRIPLES 5] { ?y <p> ?z } }"
    assert into("rspql", text).count("FROM NAMED WINDOW") == 1


def test_a_stepped_window_of_sparqlstream_is_that_of_csparql() -> None:
    text = """SELECT RSTREAM DISTINCT ?x FROM NAMED STREAM <s> [NOW - 10 M SLIDE 1 M]
        WHERE { ?x <p> ?y }"""
    assert into("csparql", text, "static") == (
        "SELECT DISTINCT ?x FROM STREAM <s> [RANGE 10m STEP 1m] WHERE { ?x <p> ?y . }"
    )
    back = "SELECT DISTINCT ?x FROM STREAM <s> [RANGE 10m STEP 1m] WHERE { ?x <p> ?y }"
    assert into("sparqlstream", back, "static") == (
        "SELECT RSTREAM DISTINCT ?x FROM NAMED STREAM <s> [NOW - 10 MINUTES SLIDE 1 MINUTES]"
        " WHERE { ?x <p> ?y . }"
    )


def test_sparqlstream_says_the_half_open_windows_of_rspql() -> None:
    text = """REGISTER ISTREAM <o> AS SELECT DISTINCT ?x
        FROM NAMED WINDOW <w> ON <s> [RANGE PT10S STEP PT2S] WHERE { WINDOW <w> { ?x <p> ?y } }"""
    assert into("sparqlstream", text) == (
        "SELECT ISTREAM DISTINCT ?x FROM NAMED STREAM <s> [NOW - 10001 MS TO NOW - 1 MS SLIDE 2 S]"
        " WHERE { GRAPH <s> { ?x <p> ?y . } }"
    )


def test_graph_of_a_stream_in_csparql_is_stream_in_cqels() -> None:
    text = """REGISTER QUERY q AS SELECT DISTINCT ?x FROM STREAM <s> [RANGE 10m STEP 5m]
        WHERE { ?x <p> ?y GRAPH <s> { ?x <q> ?z } GRAPH <g> { ?x <r> ?u } }"""
    assert into("cqels", text, "report") == (
        "REGISTER QUERY q AS SELECT DISTINCT ?x FROM STREAM <s> [RANGE 10m SLIDE 5m]"
        " WHERE { ?x <p> ?y . STREAM <s> { ?x <q> ?z . } GRAPH <g> { ?x <r> ?u . } }"
    )


def test_a_window_that_moves_with_time_is_the_same_in_cqels_and_streaming_sparql() -> None:
    text = "SELECT DISTINCT ?x { STREAM <s> [RANGE 15s] { ?x <p> ?y } }"
    streaming = into("streaming-sparql", text, "report")
    assert streaming == (
        "SELECT DISTINCT ?x FROM NAMED STREAM <s> WINDOW RANGE 15 S SLIDE 1 MS"
        " WHERE { GRAPH <s> { ?x <p> ?y . } }"
    )
    assert convert(parse(streaming), Dialect.CQELS, ANY) == parse(text)


def test_a_stream_read_both_ways_in_streaming_sparql_is_one_in_csparql() -> None:
    text = """ASK FROM STREAM <s> WINDOW ELEMS 5 FROM NAMED STREAM <s> WINDOW ELEMS 5
        WHERE { ?x <p> ?y GRAPH <s> { ?x <q> ?z } }"""
    csparql = into("csparql", text, "report", "static")
    assert csparql == (
        "ASK FROM STREAM <s> [RANGE TRIPLES 5] WHERE { ?x <p> ?y . GRAPH <s> { ?x <q> ?z . } }"
    )
    assert convert(parse(csparql), Dialect.STREAMING, ANY) == parse(text)


def test_a_query_about_one_stream_is_about_one_window_in_rspql() -> None:
    text = """REGISTER STREAM out AS CONSTRUCT FROM STREAM <s> [RANGE 10s STEP 5s]
        WHERE { ?x <p> ?y }"""
    assert into("rspql", text, "static", "boundary") == (
        "REGISTER RSTREAM <urn:query:out> AS CONSTRUCT { ?x <p> ?y . }"
        " FROM NAMED WINDOW <urn:window:1> ON <s> [RANGE PT10S STEP PT5S]"
        " WHERE { WINDOW <urn:window:1> { ?x <p> ?y . } }"
    )


def test_windows_that_differ_at_their_boundaries_are_allowed_on_demand() -> None:
    text = """REGISTER RSTREAM <o> AS SELECT ?x FROM NAMED WINDOW <w> ON <s> [RANGE PT10S STEP PT2S]
        WHERE { WINDOW <w> { ?x <p> ?y } }"""
    with pytest.raises(UnsupportedError) as told:
        into("csparql", text)
    assert told.value.hint == "if that does not matter, allow the difference: boundary"
    csparql = into("csparql", text, "boundary")
    assert csparql == (
        "REGISTER QUERY <o> AS SELECT ?x FROM NAMED STREAM <s> [RANGE 10s STEP 2s]"
        " WHERE { GRAPH <s> { ?x <p> ?y . } }"
    )


# ---- refusals ---------------------------------------------------------------------------------

STREAMING = "SELECT DISTINCT ?x\nFROM STREAM <s> WINDOW RANGE 10 S SLIDE 5 S\nWHERE { ?x <p> ?y }"
CSPARQL = "SELECT ?x\nFROM STREAM <s> [RANGE 10s STEP 5s]\nWHERE { ?x <p> ?y }"
ALL = [difference.value for difference in Difference]
CQELS = "SELECT ?x\n{ STREAM <s> [TRIPLES 5] { ?x <p> ?y }\n?x <q> ?z }"


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
