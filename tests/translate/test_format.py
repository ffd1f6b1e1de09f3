"""Text of queries: canonical, and read back as the same query."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import QueryError, UnsupportedError
from askos.terms import Literal, URIRef
from askos.translate import Dialect, ast, format, parse  # noqa: A004
from askos.translate.formatting.windows import duration
from tests import suites
from tests.translate.generate import queries

PAPERS = Path(__file__).parent.parent / "queries"


def check_round_trip(query: ast.Query) -> None:
    text = format(query)
    again = parse(text, dialect=query.dialect)
    assert again == query
    assert format(again) == text


# ---- the law ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", Dialect, ids=lambda d: d.value)
@given(data=st.data())
def test_what_is_written_reads_back_as_the_same_query(
    dialect: Dialect, data: st.DataObject
) -> None:
    check_round_trip(data.draw(queries(dialect)))


def test_every_query_of_the_w3c_reads_back() -> None:
    folder = suites.suite("w3c")
    rows = [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]
    legal = [row for row in rows if row["kind"] != "syntax-negative"]
    assert len(legal) == 507
    for row in legal:
        text = (folder / row["query"]).read_text(encoding="utf-8")
        check_round_trip(parse(text, dialect="sparql", base=row["base"]))


def test_every_query_of_the_stream_benchmarks_reads_back() -> None:
    read = refused = 0
    for file in _benchmarks():
        try:
            query = parse(file.read_text(encoding="utf-8"))
        except QueryError:
            refused += 1  # templates, and what is in none of the dialects
            continue
        check_round_trip(query)
        read += 1
    assert read >= 172, f"{refused} refused"


def _benchmarks() -> Iterator[Path]:
    for manifest in sorted(suites.suite("rsp").glob("*/manifest.jsonl")):
        for line in manifest.read_text().splitlines():
            yield manifest.parent / json.loads(line)["query"]


@pytest.mark.parametrize(
    "file",
    [file for file in sorted(PAPERS.rglob("*.rq")) if "refused" not in file.parts],
    ids=lambda file: f"{file.parent.name}-{file.stem}",
)
def test_every_query_of_the_papers_reads_back(file: Path) -> None:
    check_round_trip(parse(file.read_text()))


# ---- layout -----------------------------------------------------------------------------------


def test_a_query_gets_the_canonical_layout() -> None:
    query = parse(
        """prefix : <http://w/> # a comment
        select ?x (count(*) as ?n) from stream <http://w/s> window range 1800 S slide 60000
        { ?x :p ?y ; a :T, [ :q 1 ] . filter(?y > 1 && (?y < 2)) optional {?x :r ?z window elems 5}
          {?a :b ?c} union {} minus {?x :u (1 2)} values ?x {:a undef} }
        group by ?x having(?n > 1) order by desc(?x) limit 5"""
    )
    assert format(query) == (
        """\
PREFIX : <http://w/>

SELECT ?x (COUNT(*) AS ?n)
FROM STREAM :s WINDOW RANGE 30 MINUTE SLIDE 1 MINUTE
WHERE {
  ?x :p ?y ;
     a :T, [ :q 1 ] .
  FILTER (?y > 1 && ?y < 2)
  OPTIONAL {
    ?x :r ?z .
    WINDOW ELEMS 5
  }
  {
    ?a :b ?c .
  } UNION {}
  MINUS {
    ?x :u (1 2) .
  }
  VALUES ?x { :a UNDEF }
}
GROUP BY ?x
HAVING (?n > 1)
ORDER BY DESC(?x)
LIMIT 5
"""
    )


def test_a_registered_query_has_its_declarations_where_its_dialect_has_them() -> None:
    text = "PREFIX : <http://w/> REGISTER {} AS CONSTRUCT {{}} {} WHERE {{}}"
    csparql = parse(
        text.format("STREAM :o COMPUTED EVERY 300s", "FROM STREAM :s [RANGE 1h STEP 5m]")
    )
    assert format(csparql).startswith(
        "REGISTER STREAM <http://w/o> COMPUTED EVERY 5m AS\n\n"
        "PREFIX : <http://w/>\n\n"
        "CONSTRUCT {}\n"
    )
    rspql = parse(text.format("DSTREAM :o", "FROM NAMED WINDOW :w ON :s [RANGE PT1H STEP PT5M]"))
    assert format(rspql).startswith(
        "PREFIX : <http://w/>\n\nREGISTER DSTREAM :o AS\nCONSTRUCT {}\n"
    )


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        ("((?a + ?b)) * ?c", "(?a + ?b) * ?c"),
        ("(?a * ?b) + ?c", "?a * ?b + ?c"),
        ("?a -5", "?a - 5"),
        ("?a - -5", "?a - -5"),
        ("- 5", "- 5"),
        ("-5", "-5"),
        ("-(?a)", "-?a"),
        ("-(-?a)", "-(-?a)"),
        ("!(?a = ?b)", "!(?a = ?b)"),
        ("(!?a) = ?b", "!?a = ?b"),
        ("?a = ?b || (?c && ?d)", "?a = ?b || ?c && ?d"),
        ("(?a || ?b) && ?c", "(?a || ?b) && ?c"),
        ("(?a || ?b) || ?c", "(?a || ?b) || ?c"),
        ("(?a = ?b) = ?c", "(?a = ?b) = ?c"),
        ("?a not in()", "?a NOT IN ()"),
        ("+1.0", "+1.0"),
        ('"1"^^<http://www.w3.org/2001/XMLSchema#integer>', "1"),
        ('"1."^^xsd:decimal', '"1."^^xsd:decimal'),
        ("TRUE", "true"),
        ("'''a\n\"'''@EN", '"a\\n\\""@en'),
        ("'\\u0007'", '"\\u0007"'),
        ("isiri(?a)", "ISIRI(?a)"),
    ],
)
def test_an_expression_has_the_parentheses_it_needs(expression: str, written: str) -> None:
    prefix = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>"
    query = parse(f"{prefix} SELECT (({expression}) AS ?x) {{}}")
    assert f"SELECT ({written} AS ?x)" in format(query)
    check_round_trip(query)


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("(:a/:b)|:c", ":a/:b|:c"),
        (":a/(:b|:c)", ":a/(:b|:c)"),
        ("^(:a*)", "^:a*"),
        ("(^:a)*", "(^:a)*"),
        ("(:a*)*", "(:a*)*"),
        ("!(a)", "!a"),
        ("!(^:a|:b)+", "!(^:a|:b)+"),
        ("(:a?)", ":a?"),
    ],
)
def test_a_path_has_the_parentheses_it_needs(path: str, written: str) -> None:
    query = parse(f"PREFIX : <http://w/> SELECT * {{ ?s {path} ?o }}")
    assert f"?s {written} ?o ." in format(query)
    check_round_trip(query)


@pytest.mark.parametrize(
    ("iri", "written"),
    [
        ("<http://w/p#x>", "p:x"),
        ("<http://w/x>", ":x"),
        ("<http://w/>", ":"),
        ("<http://w/x/y>", "<http://w/x/y>"),
        ("<http://w/x.>", "<http://w/x.>"),
        ("<http://v/x>", "<http://v/x>"),
        (":x\\~y", "<http://w/x~y>"),
    ],
)
def test_an_iri_is_written_short_where_a_prefix_fits(iri: str, written: str) -> None:
    query = parse(f"PREFIX : <http://w/> PREFIX p: <http://w/p#> DESCRIBE {iri}")
    assert format(query).endswith(f"DESCRIBE {written}\n")
    check_round_trip(query)


def test_a_name_that_a_base_would_change_keeps_its_prefix() -> None:
    query = parse("PREFIX : <rel/> BASE <http://w/> DESCRIBE :a :b\\/..\\/c <d>")
    assert format(query).endswith("DESCRIBE :a :b\\/..\\/c <http://w/d>\n")
    check_round_trip(query)


def test_an_iri_that_no_text_stands_for_is_told() -> None:
    query = parse(
        "SELECT * { STREAM <s> [NOW] { ?s ?p $X$ } }",
        dialect="cqels",
        parameters={"X": URIRef("not an IRI")},
    )
    with pytest.raises(UnsupportedError, match="no text stands for the IRI 'not an IRI'"):
        format(query)


def test_a_parameter_is_written_as_its_value() -> None:
    query = parse(
        "SELECT * { STREAM <s> [NOW] { ?s ?p $X$ } }",
        dialect="cqels",
        parameters={"X": Literal("Bob")},
    )
    assert '?s ?p "Bob" .' in format(query)


@pytest.mark.parametrize(
    ("dialect", "lengths", "written"),
    [
        (Dialect.STREAMING, [604_800_000, 90_000, 1_800_000, 1], "1 WEEK, 90 S, 30 MINUTE, 1 MS"),
        (Dialect.CSPARQL, [604_800_000, 86_400_000, 5_400_000, 1_500], "7d, 1d, 90m, 1500ms"),
        (Dialect.CQELS, [3_600_000, 15_000], "1h, 15s"),
        (Dialect.RSPQL, [86_400_000, 5_400_000, 1_500, 1_001], "P1D, PT90M, PT1.5S, PT1.001S"),
        (Dialect.SPARQLSTREAM, [3_600_000, 10_000], "1 HOURS, 10 S"),
    ],
    ids=lambda value: getattr(value, "value", None),
)
def test_a_duration_has_the_largest_whole_unit_of_its_dialect(
    dialect: Dialect, lengths: list[int], written: str
) -> None:
    assert ", ".join(duration(length, dialect) for length in lengths) == written


@pytest.mark.parametrize(
    "window",
    [
        "FROM STREAM <s> WINDOW RANGE 5 S FIXED",
        "FROM NAMED STREAM <s> WINDOW ELEMS 10 SLIDE 5",
        "FROM STREAM <s> WINDOW START WHEN (?o > 5) END WHEN BOUND(?x) WITHIN 1 HOUR",
        "FROM STREAM <s> [RANGE 5m TUMBLING]",
        "FROM STREAM <s> [RANGE TRIPLES 10 STEP 5]",
        "FROM STREAM Telemetry [RANGE 5m]",
        "FROM STREAM <s> [TRIPLES 10]",
        "FROM STREAM <s> [ALL]",
        "FROM NAMED WINDOW <w> ON <s> [ELEMENTS 10 STEP 5]",
        "FROM NAMED STREAM <s> [NOW - 10 S TO NOW - 5 S SLIDE 5 S]",
        "FROM NAMED STREAM <s> [NOW - 10 S]",
        "FROM NAMED STREAM <s> [NOW]",
    ],
)
def test_a_window_is_written_in_the_words_of_its_dialect(window: str) -> None:
    text = format(parse(f"SELECT * {window} WHERE {{ ?s ?p ?o }}"))
    assert f"\n{window}\n" in text


def test_a_bare_name_of_a_stream_stays_bare_where_a_base_would_change_it() -> None:
    text = "BASE <http://w/>\n\nASK\nFROM STREAM Telemetry [NOW]\nWHERE {}\n"
    assert format(parse(text)) == text


def test_a_base_that_was_given_is_not_needed_again() -> None:
    query = parse("ASK { <s> <p> <o> }", base="http://w/")
    assert "<http://w/s> <http://w/p> <http://w/o> ." in format(query)
    check_round_trip(query)
