"""Tables for the terminal: what differs looks different, and nothing moves the cursor."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.io.table import table
from askos.screen import width
from askos.terms import XSD, BNode, Literal, Term, URIRef, n3
from tests.io.test_nquads import IRIS, LITERALS

PREFIXES = {"": "http://e.example/"}


def typed(text: str, kind: str) -> Literal:
    return Literal(text, datatype=XSD[kind])


def shown(*terms: Term) -> list[str]:
    """The heading and the cells of a column."""
    return [line.strip() for line in table(["x"], [[n3(t)] for t in terms], PREFIXES).split("\n")]


@pytest.mark.parametrize(
    ("term", "cell"),
    [
        (typed("0.00001", "decimal"), "0.00001"),
        (typed("51.507351", "decimal"), "51.507351"),
        (typed("55.116333333333333333", "decimal"), "55.1163…"),
        (typed("-0.000001234567890", "decimal"), "-0.00000123456…"),
        (typed("123456789012345678901234567890", "integer"), "123456789012345678901234567890"),
        (typed("007", "integer"), "007"),
        (typed("5", "integer"), "5"),
        (typed("five", "integer"), '"five"^^xsd:integer'),
        (typed("true", "boolean"), "true"),
        (typed("2026-06-01T00:48:55Z", "dateTime"), "2026-06-01T00:48:55Z"),
        (typed("2026-06-01", "date"), "2026-06-01"),
        (typed("yesterday", "dateTime"), '"yesterday"^^xsd:dateTime'),
        (Literal("5"), '"5"'),
        (Literal("true"), '"true"'),
        (Literal(""), '""'),
        (Literal("Wind", lang="en"), '"Wind"@en'),
        (Literal("POINT(1 2)", datatype=URIRef("http://e.example/wkt")), '"POINT(1 2)"^^:wkt'),
        (Literal("a\nb\tc\x00\x1b[31m\x9b\u202e"), r'"a\nb\tc\u0000\u001B[31m\u009B\u202E"'),
        (Literal("x" * 300), f'"{"x" * 200}"…'),
        (BNode("b1"), "_:b1"),
        (URIRef("http://e.example/T1"), ":T1"),
        (URIRef("http://e.example/T1\u202e"), r"<http://e.example/T1\u202E>"),
    ],
)
def test_a_term_is_shown_exactly_or_visibly_shortened(term: Term, cell: str) -> None:
    assert shown(term) == ["x", cell]


def test_the_type_of_a_column_of_numbers_is_in_its_heading() -> None:
    doubles = [typed(text, "double") for text in ("5.5116333333E1", "162.1", "1.0E300", "-INF")]
    assert shown(*doubles) == ["x (xsd:double)", "55.1163…", "162.1", "1.0E300", "-INF"]
    mixed = shown(typed("5", "double"), typed("5", "float"), typed("5", "integer"), Literal("5"))
    assert mixed == ["x", '"5"^^xsd:double', '"5"^^xsd:float', "5", '"5"']
    assert shown(typed("5", "double"), typed("five", "double"))[0] == "x"


def test_columns_are_aligned_by_what_the_terminal_shows() -> None:
    rows = [['"風車"', '"x"'], ['"e\u0301"', '"y"'], ['"wind"', '"z"']]
    lines = table(["a", "b"], rows).split("\n")
    places = {width(line[: line.rindex(end)]) for line, end in zip(lines[1:], "xyz", strict=True)}
    assert places == {9}


def test_a_row_without_columns_is_a_line() -> None:
    assert table([], [[], []]) == "\n\n"
    assert table(["a"], []) == "a"


TERMS = st.one_of(
    IRIS,
    LITERALS,
    st.sampled_from(["a", "b"]).map(BNode),
    st.builds(
        typed,
        st.sampled_from(["5", "5.0", "5.0E0", "05", "true", "1", "", "2026-06-01", "a\x1b"]),
        st.sampled_from(["integer", "decimal", "double", "float", "boolean", "date", "string"]),
    ),
)


@given(st.lists(TERMS, min_size=2, max_size=4))
def test_terms_that_differ_look_different(terms: list[Term]) -> None:
    heading, *cells = shown(*terms)
    assert all(cell.isprintable() for cell in cells)
    for (a, first), (b, second) in pairwise(zip(terms, cells, strict=True)):
        same = a == b or (heading != "x" and float(str(a)) == float(str(b)))
        assert (first == second) == same or "…" in first
