"""Answers as text, against the standards' own examples and other engines' readers."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib.query import Result

from askos.errors import AskosError, QueryError, StreamError
from askos.interval import FOREVER, Interval
from askos.io.results import FORMATS, Report, Row, Time, read_quads, write, write_reports
from askos.terms import XSD, BNode, Literal, Solution, Term, Triple, URIRef, Variable
from tests.io.test_nquads import IRIS, LITERALS, NODES

X, NAME, ANSWER = Variable("x"), Variable("name"), Variable("answer")
SPO = [Variable(place) for place in "spo"]
A, B = URIRef("http://e.example/a"), URIRef("http://e.example/b")


def text(format: str, columns: list[Variable], rows: Iterable[Row], time: Time = Time.NONE) -> str:
    return "".join(write(format, columns, rows, time))


def untimed(*items: Solution | Triple | bool) -> list[Row]:
    return [(item, None) for item in items]


def made(bindings: dict[Variable, Term]) -> Solution:
    return Solution(bindings)


# ---- hand-written ---------------------------------------------------------------------------

# W3C, SPARQL 1.1 Query Results CSV and TSV Formats, section 3.3 and 4.2, with its values.
LITERAL = Variable("literal")
TABLE = untimed(
    made({X: URIRef("http://example/x"), LITERAL: Literal("String")}),
    made({X: URIRef("http://example/x"), LITERAL: Literal('String-with-dquote"')}),
    made({X: BNode("b0"), LITERAL: Literal("Blank node")}),
    made({LITERAL: Literal("Missing 'x'")}),
    made({}),
    made({X: URIRef("http://example/x")}),
    made({X: BNode("b1"), LITERAL: Literal("String-with-lang", lang="en")}),
    made({X: BNode("b1"), LITERAL: Literal("123", datatype=XSD.integer)}),
)
CSV = """x,literal
http://example/x,String
http://example/x,"String-with-dquote\"\""
_:b0,Blank node
,Missing 'x'
,
http://example/x,
_:b1,String-with-lang
_:b1,123
"""
TSV = """?x\t?literal
<http://example/x>\t"String"
<http://example/x>\t"String-with-dquote\\""
_:b0\t"Blank node"
\t"Missing 'x'"
\t
<http://example/x>\t
_:b1\t"String-with-lang"@en
_:b1\t123
"""


def test_csv_is_that_of_the_standard() -> None:
    assert text("csv", [X, LITERAL], TABLE) == CSV.replace("\n", "\r\n")


def test_tsv_is_that_of_the_standard() -> None:
    assert text("tsv", [X, LITERAL], TABLE) == TSV


TYPED = untimed(
    made({X: A, NAME: Literal("5", datatype=URIRef("http://e.example/t"))}),
    made({X: BNode("b"), NAME: Literal("fünf & <more>", lang="de")}),
    made({NAME: Literal("five")}),
)


def test_json_is_that_of_the_standard() -> None:
    assert json.loads(text("json", [X, NAME], TYPED)) == {
        "head": {"vars": ["x", "name"]},
        "results": {
            "bindings": [
                {
                    "x": {"type": "uri", "value": "http://e.example/a"},
                    "name": {"type": "literal", "value": "5", "datatype": "http://e.example/t"},
                },
                {
                    "x": {"type": "bnode", "value": "b"},
                    "name": {"type": "literal", "value": "fünf & <more>", "xml:lang": "de"},
                },
                {"name": {"type": "literal", "value": "five"}},
            ]
        },
    }
    assert json.loads(text("json", [X], []))["results"] == {"bindings": []}


def test_xml_is_that_of_the_standard() -> None:
    assert (
        text("xml", [X, NAME], TYPED)
        == """<?xml version="1.0"?>
<sparql xmlns="http://www.w3.org/2005/sparql-results#">
<head><variable name="x"/><variable name="name"/></head>
<results>
<result><binding name="x"><uri>http://e.example/a</uri></binding>\
<binding name="name"><literal datatype="http://e.example/t">5</literal></binding></result>
<result><binding name="x"><bnode>b</bnode></binding>\
<binding name="name"><literal xml:lang="de">fünf &amp; &lt;more&gt;</literal></binding></result>
<result><binding name="name"><literal>five</literal></binding></result>
</results>
</sparql>
"""
    )


@pytest.mark.parametrize("answer", [True, False])
def test_ask_without_time_is_one_boolean(answer: bool) -> None:
    rows, word = untimed(answer), str(answer).lower()
    columns = [Variable("answer")]
    assert json.loads(text("json", columns, rows)) == {"head": {}, "boolean": answer}
    assert f"<boolean>{word}</boolean>" in text("xml", columns, rows)
    assert text("csv", columns, rows) == f"answer\r\n{word}\r\n"
    assert text("tsv", columns, rows) == f'?answer\n"{word}"^^<{XSD.boolean}>\n'
    assert text("table", columns, rows) == ("yes\n" if answer else "no\n")


def test_time_is_in_further_columns() -> None:
    columns, one = [X], Solution({X: A})
    held: list[Row] = [(one, Interval(0, FOREVER))]
    told: list[Row] = [(one, 5)]
    assert text("csv", columns, held, Time.INTERVAL) == f"x,ts,te\r\n{A},0,{FOREVER}\r\n"
    assert text("tsv", columns, told, Time.INSTANT) == f"?x\t?at\n<{A}>\t5\n"
    (binding,) = json.loads(text("json", columns, told, Time.INSTANT))["results"]["bindings"]
    assert binding["at"] == {"type": "literal", "value": "5", "datatype": str(XSD.integer)}
    assert '<variable name="te"/>' in text("xml", columns, held, Time.INTERVAL)
    assert "∞" in text("table", columns, held, Time.INTERVAL)


def test_ask_with_time_is_a_table() -> None:
    columns, rows = [Variable("answer")], [(True, Interval(0, 5)), (False, Interval(5, 9))]
    assert text("csv", columns, rows, Time.INTERVAL) == "answer,ts,te\r\ntrue,0,5\r\nfalse,5,9\r\n"
    assert "boolean" in text("json", columns, rows, Time.INTERVAL)
    assert [
        line.split()[0] for line in text("table", columns, rows, Time.INTERVAL).splitlines()
    ] == [
        "answer",
        "yes",
        "no",
    ]


def test_quads_have_the_time_in_fourth_place() -> None:
    triple = Triple(A, B, Literal("1"))
    assert text("nq", [], untimed(triple)) == f'<{A}> <{B}> "1" .\n'
    assert text("nq", [], [(triple, 5)], Time.INSTANT) == f'<{A}> <{B}> "1" <urn:ms:5> .\n'
    held: list[Row] = [(triple, Interval(5, 9))]
    assert text("nq", [], held, Time.INTERVAL) == f'<{A}> <{B}> "1" <urn:ms:5/9> .\n'
    assert text("table", [], held, Time.INTERVAL) == text("nq", [], held, Time.INTERVAL)
    assert text("csv", [Variable(name) for name in "spo"], held, Time.INTERVAL).splitlines() == [
        "s,p,o,ts,te",
        f"{A},{B},1,5,9",
    ]


def test_a_table_for_people_shortens_names() -> None:
    shown = "".join(write("table", [X, NAME], TYPED, prefixes={"": "http://e.example/"}))
    cells = [line.split() for line in shown.splitlines()]
    assert cells == [
        ["x", "name"],
        [":a", '"5"^^:t'],
        ["_:b", '"fünf', "&", '<more>"@de'],
        ['"five"'],
    ]


@pytest.mark.parametrize(
    ("format", "columns", "row", "time", "message"),
    [
        ("turtle", [X], (Solution(), None), Time.NONE, "there is no format 'turtle'"),
        ("csv", [Variable("ts")], (Solution(), None), Time.INTERVAL, "rename the variable"),
        ("csv", [X], (Solution(), None), Time.INTERVAL, "a row has the time None"),
        ("csv", [X], (Solution(), 5), Time.NONE, "a row has the time 5"),
        ("nq", [X], (Solution(), None), Time.NONE, "is no triple"),
        ("xml", [X], (Solution({X: Literal("\x0b")}), None), Time.NONE, r"U\+000B"),
    ],
)
def test_what_cannot_be_written_is_refused(
    format: str, columns: list[Variable], row: Row, time: Time, message: str
) -> None:
    with pytest.raises(AskosError, match=message):
        text(format, columns, [row], time)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"<{A}> <{B}> <{A}> <{B}> .", "says nothing of time"),
        (f"<{A}> <{B}> <{A}> <urn:ms:9/9> .", "is empty"),
        (f"<{A}> <{B}> .", "not a statement"),
    ],
)
def test_what_is_no_quad_with_time_is_told_with_its_line(line: str, message: str) -> None:
    good = f"<{A}> <{B}> <{A}> <urn:ms:1> ."
    with pytest.raises(StreamError, match=f"out.nq, line 2: .*{message}"):
        list(read_quads([good, line], "out.nq"))


def test_rows_are_written_as_they_come() -> None:
    def endless() -> Iterable[Row]:
        while True:
            yield Solution({X: A}), None

    for name in FORMATS.keys() - {"table", "nq"}:
        pieces = iter(write(name, [X], endless()))
        assert any(str(A) in next(pieces) for _ in range(5))


def test_an_error_of_a_table_is_a_query_error() -> None:
    with pytest.raises(QueryError):
        text("csv", [Variable("at")], [], Time.INSTANT)


# ---- read back by others --------------------------------------------------------------------

TERMS = st.one_of(NODES, LITERALS)
SOLUTIONS = st.dictionaries(st.sampled_from([X, NAME]), TERMS).map(Solution)
INTERVALS = st.tuples(st.integers(0, 99), st.integers(1, 99)).map(
    lambda pair: Interval(pair[0], pair[0] + pair[1])
) | st.just(Interval(3, FOREVER))
HELD = st.lists(st.tuples(SOLUTIONS, INTERVALS), max_size=4)


def timed(rows: list[tuple[Solution, Interval]]) -> list[dict[str, Term]]:
    def number(n: int) -> Literal:
        return Literal(str(n), datatype=XSD.integer)

    return [
        {**{str(v): t for v, t in item.items()}, "ts": number(i.start), "te": number(i.end)}
        for item, i in rows
    ]


def from_oxigraph(term: Any) -> Term:
    match term:
        case ox.NamedNode():
            return URIRef(term.value)
        case ox.BlankNode():
            return BNode(term.value)
    if term.language:
        return Literal(term.value, lang=term.language)
    plain = term.datatype.value == str(XSD.string)
    return Literal(term.value, datatype=None if plain else URIRef(term.datatype.value))


def read_by_oxigraph(written: str, format: Any) -> list[dict[str, Term]]:
    found = ox.parse_query_results(written.encode(), format)
    assert isinstance(found, ox.QuerySolutions)
    names = [variable.value for variable in found.variables]
    return [
        {name: from_oxigraph(row[name]) for name in names if row[name] is not None} for row in found
    ]


def printable(rows: list[tuple[Solution, Interval]]) -> bool:
    values = (str(term) for item, _ in rows for term in item.values())
    return all(c.isprintable() or c in "\t\n\r" for value in values for c in value)


@given(HELD)
def test_another_engine_reads_json_and_tsv_back(rows: list[tuple[Solution, Interval]]) -> None:
    for name, theirs in (
        ("json", ox.QueryResultsFormat.JSON),
        ("tsv", ox.QueryResultsFormat.TSV),
    ):
        written = text(name, [X, NAME], rows, Time.INTERVAL)
        assert read_by_oxigraph(written, theirs) == timed(rows)


@given(HELD.filter(printable))
def test_another_engine_reads_xml_back(rows: list[tuple[Solution, Interval]]) -> None:
    written = text("xml", [X, NAME], rows, Time.INTERVAL)
    assert read_by_oxigraph(written, ox.QueryResultsFormat.XML) == timed(rows)


@given(HELD.filter(printable))
def test_rdflib_reads_xml_and_json_back(rows: list[tuple[Solution, Interval]]) -> None:
    for name in ("xml", "json"):
        written = text(name, [X, NAME], rows, Time.INTERVAL).encode()
        found = Result.parse(io.BytesIO(written), format=name)
        read = [{str(v): str(term) for v, term in row.items()} for row in found.bindings]
        assert read == [{v: str(term) for v, term in row.items()} for row in timed(rows)]


TRIPLES = st.builds(Triple, NODES, IRIS, TERMS)


@given(st.lists(st.tuples(TRIPLES, INTERVALS)), st.lists(st.tuples(TRIPLES, st.integers(0, 99))))
def test_quads_are_read_back(
    held: list[tuple[Triple, Interval]], told: list[tuple[Triple, int]]
) -> None:
    for rows, time in ((held, Time.INTERVAL), (told, Time.INSTANT)):
        written = text("nq", [], rows, time)
        assert list(read_quads(written.split("\n"))) == rows
        theirs = ox.parse(written.encode(), format=ox.RdfFormat.N_QUADS)
        assert [from_oxigraph(quad.object) for quad in theirs] == [t.object for t, _ in rows]


# ---- reports --------------------------------------------------------------------------------

TOLD = [(10, [made({X: A}), made({X: A}), made({})]), (20, []), (30, [made({X: B})]), (40, [])]


def reported(format: str, columns: list[Variable], told: Iterable[Report]) -> str:
    return "".join(write_reports(format, columns, told, {"e": "http://e.example/"}))


def test_a_terminal_shows_a_table_for_each_report_and_a_line_for_one_without_rows() -> None:
    times = [f"1970-01-01T00:00:00.0{at}Z" for at, _ in TOLD]
    want = [
        f"at {times[0]}\nx\ne:a\ne:a\n\n",
        f"at {times[1]}: no rows",
        f"at {times[2]}\nx\ne:b\n",
        f"at {times[3]}: no rows",
    ]
    assert reported("table", [X], TOLD).split("\n") == "\n".join([*want, ""]).split("\n")
    assert reported("table", [ANSWER], [(0, [True]), (10, [False]), (20, [])]) == (
        "at 1970-01-01T00:00:00Z: yes\nat 1970-01-01T00:00:00.010Z: no\n"
        "at 1970-01-01T00:00:00.020Z: no rows\n"
    )
    assert reported("table", [], [(0, [made({})]), (1000, [made({})] * 2)]) == (
        "at 1970-01-01T00:00:00Z: 1 row without columns\n"
        "at 1970-01-01T00:00:01Z: 2 rows without columns\n"
    )
    assert reported("table", SPO, [(0, [Triple(A, B, A)])]) == (
        f"at 1970-01-01T00:00:00Z\n<{A}> <{B}> <{A}> .\n"
    )


def test_in_json_each_report_is_a_line_also_one_without_rows() -> None:
    lines = [json.loads(line) for line in reported("json", [X], TOLD).splitlines()]
    assert [line["at"] for line in lines] == [10, 20, 30, 40]
    assert [line["head"] for line in lines] == [{"vars": ["x"]}] * 4
    uri = {"x": {"type": "uri", "value": str(A)}}
    assert lines[0]["results"] == {"bindings": [uri, uri, {}]}
    assert lines[1]["results"] == {"bindings": []}
    (line,) = reported("json", [ANSWER], [(5, [True])]).splitlines()
    assert json.loads(line)["results"]["bindings"][0]["answer"]["value"] == "true"


def test_elsewhere_rows_have_the_instant_and_reports_without_rows_are_left_out() -> None:
    assert reported("csv", [X], TOLD) == f"x,at\r\n{A},10\r\n{A},10\r\n,10\r\n{B},30\r\n"
    assert reported("tsv", [X], TOLD) == f"?x\t?at\n<{A}>\t10\n<{A}>\t10\n\t10\n<{B}>\t30\n"
    assert reported("xml", [X], TOLD).count('<binding name="at"><literal') == 4
    told = [(7, [Triple(A, B, A)]), (9, [])]
    assert reported("nq", SPO, told) == f"<{A}> <{B}> <{A}> <urn:ms:7> .\n"


@pytest.mark.parametrize("format", FORMATS)
def test_reports_are_written_as_they_come(format: str) -> None:
    read: list[int] = []

    def told() -> Iterator[Report]:
        for at in (10, 20, 30):
            read.append(at)
            yield at, [Triple(A, B, A)]

    pieces = write_reports(format, SPO, told())
    text = ""
    while "10" not in text:
        text += next(pieces)
    assert read == [10]
    assert "30" in "".join(pieces)


def test_a_variable_may_be_called_at_where_the_instant_is_no_column() -> None:
    at = Variable("at")
    told = [(10, [made({at: A})])]
    assert "e:a" in reported("table", [at], told)
    assert json.loads(reported("json", [at], told))["at"] == 10
    with pytest.raises(QueryError, match="name of a column"):
        reported("csv", [at], told)
    with pytest.raises(QueryError, match="no format 'yaml'"):
        reported("yaml", [at], told)
