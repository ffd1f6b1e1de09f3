"""Every kind of mistake has its own message, with a position and, mostly, a hint."""

from __future__ import annotations

import pickle

import pytest

from askos.errors import QueryError
from askos.translate import parse
from tests.golden import Case, golden, update


@pytest.mark.parametrize("case", golden("errors"), ids=str)
def test_a_mistake_gets_the_golden_message(case: Case, pytestconfig: pytest.Config) -> None:
    with pytest.raises(QueryError) as caught:
        parse(case.input)
    if pytestconfig.getoption("--update-golden"):
        update("errors", case, str(caught.value))
        return
    assert str(caught.value) == case.plan


@pytest.mark.parametrize("case", golden("errors"), ids=str)
def test_an_error_has_a_position_inside_the_text_and_survives_pickling(case: Case) -> None:
    with pytest.raises(QueryError) as caught:
        parse(case.input)
    error = caught.value
    lines = case.input.split("\n")
    assert 1 <= error.line <= len(lines)
    assert 1 <= error.column <= len(lines[error.line - 1]) + 1
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_the_earlier_mistake_is_told_first() -> None:
    with pytest.raises(QueryError, match="line 1, column 10: expected"):
        parse("SELECT * ; WHERE { ?s undeclared:p ?o }")


def test_a_position_counts_characters_as_written_not_as_meant() -> None:
    with pytest.raises(QueryError) as caught:
        parse('SELECT * {\n  ?s ?p "\\u0041\\u0042" ; }  }')
    assert (caught.value.line, caught.value.column) == (2, 29)


def test_brackets_within_brackets_have_a_limit() -> None:
    with pytest.raises(QueryError, match="brackets inside each other"):
        parse("SELECT * { FILTER " + "(" * 5000 + "1" + ")" * 5000 + " }")


def test_an_unknown_dialect_is_refused_with_the_known_ones() -> None:
    with pytest.raises(QueryError, match="known: sparql, streaming-sparql, csparql"):
        parse("SELECT * {}", dialect="sql")


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * { ?s ?p ?o } LIMIT %s",
        "SELECT * { ?s ?p ?o } OFFSET %s",
        "SELECT * FROM STREAM <w> WINDOW ELEMS %s { ?s ?p ?o }",
        "SELECT * FROM STREAM <w> WINDOW RANGE %s SLIDE { ?s ?p ?o }",
        "SELECT * FROM STREAM <w> [RANGE %ss STEP 1s] WHERE { ?s ?p ?o }",
    ],
)
def test_a_number_of_thousands_of_digits_is_a_mistake(text: str) -> None:
    for digits in ("9" * 5_000, "9" * 20):
        with pytest.raises(QueryError) as caught:
            parse(text % digits)
        assert caught.value.line == 1
        assert "sys." not in str(caught.value)
    assert parse("SELECT * { ?s ?p ?o } LIMIT " + "0" * 5_000 + "7").modifiers.limit == 7


def test_the_error_of_a_long_query_is_short() -> None:
    text = f"SELECT * {{ {' '.join(f'?s <p{i}> ?o{i} .' for i in range(5_000))} FILTR (?s) }}"
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert len(str(caught.value)) < 600
    assert "FILTR (?s)" in str(caught.value)
