"""Whatever the text, there is a query or a QueryError, and it does not take for ever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askos.errors import QueryError
from askos.translate import Dialect, parse
from askos.translate.ast import Query
from askos.translate.lexer import PUNCTUATION
from askos.translate.words import terminals
from tests.golden import golden

WORDS = sorted({word for dialect in Dialect for word in terminals(dialect)})
SCRAPS = [
    *WORDS,
    *PUNCTUATION,
    *("?x", "$y", "$Name$", "<p>", ":p", "ex:p", "_:b", "a", '"text"', "'''long'''", "@en", "5"),
    *("-5", "1.5", "1e9", "10m", "PT5S", "()", "[]", "\\u0041", "\n", "#", '"', "'", "<", "\x00"),
]
QUERIES = [case.input for case in golden("errors")]


def refused_or_parsed(text: str, dialect: Dialect | None) -> None:
    outcome: Query | QueryError
    try:
        outcome = parse(text, dialect=dialect)
    except QueryError as error:
        outcome = error
    if isinstance(outcome, QueryError):
        assert outcome.line > 0
        assert str(outcome)
    else:
        assert outcome.text == text


@given(st.text(), st.sampled_from([None, *Dialect]))
def test_any_text_is_parsed_or_refused(text: str, dialect: Dialect | None) -> None:
    refused_or_parsed(text, dialect)


@given(st.lists(st.sampled_from(SCRAPS), max_size=40), st.sampled_from([None, *Dialect]))
def test_any_words_are_parsed_or_refused(words: list[str], dialect: Dialect | None) -> None:
    refused_or_parsed(" ".join(words), dialect)
    refused_or_parsed("PREFIX : <u:> SELECT * { " + " ".join(words), dialect)


@given(st.sampled_from(QUERIES), st.data())
def test_any_damage_to_a_query_is_parsed_or_refused(query: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(query)))
    length = data.draw(st.integers(0, 5))
    insert = data.draw(st.sampled_from(SCRAPS) | st.text(max_size=3))
    refused_or_parsed(query[:place] + insert + query[place + length :], None)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * {" + "?s ?p ?o . " * 20_000 + "}",
        "SELECT * { FILTER (" + "1 + " * 20_000 + "1) }",
        "SELECT * { FILTER (" + "1 || " * 20_000 + "1) }",
        "SELECT * { ?s " + "<p>/" * 20_000 + "<p> ?o }",
        "SELECT * {" + "{} UNION " * 20_000 + "{} }",
        "a." * 5_000,
        '"' * 20_000,
        "(" * 20_000,
        "SELECT * { ?s ?p '" + "\\\\" * 20_000,
    ],
    ids=lambda text: text[:24],
)
def test_long_texts_neither_hang_nor_overflow(text: str) -> None:
    refused_or_parsed(text, None)
