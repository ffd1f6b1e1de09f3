"""`format`: the canonical text of a query, in its dialect or another."""

from __future__ import annotations

from collections.abc import Collection

from askos.errors import QueryError, UnsupportedError
from askos.translate import ast
from askos.translate.convert import Difference, convert
from askos.translate.dialect import Dialect
from askos.translate.formatting.queries import write
from askos.translate.recognise import recognise


def format(  # noqa: A001
    query: ast.Query,
    *,
    dialect: Dialect | str | None = None,
    allow: Collection[Difference | str] = (),
) -> str:
    """The text of a query in canonical layout: declarations, the form, the dataset, WHERE, one
    triple a line, no parentheses that change nothing, windows in the largest whole unit.

    What is written reads back as the same query: `parse(format(q), dialect=q.dialect) == q`.
    Comments are not kept: a syntax tree has none.

    With a dialect, the query is written in that one, if it can say the same there; otherwise
    UnsupportedError names the reason and the part.  `convert` tells what is compared, and which
    differences `allow` may admit.

    >>> from askos.translate.parser import parse
    >>> query = parse("ask from stream <s> [range 90m step 60000ms] {?s a <T>; <p> 01}")
    >>> print(format(query), end="")
    ASK
    FROM STREAM <s> [RANGE 90m STEP 1m]
    WHERE {
      ?s a <T> ;
         <p> 01 .
    }
    """
    try:
        target = query.dialect if dialect is None else Dialect.of(dialect)
        admitted = {Difference(each) for each in allow}
    except ValueError as error:
        raise QueryError(str(error)) from None
    text = write(convert(query, target, admitted))
    if target is not query.dialect:
        _check_recognised(query, text, target)
    return text


def _check_recognised(query: ast.Query, text: str, target: Dialect) -> None:
    """What is written must be read as what it is; a text without streams is so in any dialect."""
    taken = recognise(text)
    if taken not in (target, Dialect.SPARQL):
        message = f"written in {target.title}, this would be taken for {taken.title}"
        hint = "put what reads a stream into a pattern that names it, as in GRAPH <s> { .. }"
        raise UnsupportedError(message, query.text, *query.form.at, hint)
