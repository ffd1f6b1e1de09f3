"""Text of queries: what is written reads back as the same query."""

from __future__ import annotations

from hypothesis import given, settings

from askos.translate import ast, parse
from askos.translate.formatting import write
from tests.translate.generate import queries


@settings(max_examples=300, deadline=None)
@given(queries())
def test_what_is_written_reads_back_as_the_same_query(query: ast.Query) -> None:
    text = write(query)
    again = parse(text, dialect=query.dialect)
    assert again == query
    assert write(again) == text
