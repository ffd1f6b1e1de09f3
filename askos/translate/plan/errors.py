"""Errors with the position of the clause at fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from askos.errors import QueryError, UnsupportedError
from askos.translate import ast


def fault(query: ast.Query, node: ast.Node, message: str, hint: str = "") -> QueryError:
    """The query is wrong at `node`."""
    return QueryError(message, query.text, node.at.line, node.at.column, hint)


def not_offered(query: ast.Query, node: ast.Node, message: str, hint: str = "") -> UnsupportedError:
    """The query is right, but asks at `node` for what there is not."""
    return UnsupportedError(message, query.text, node.at.line, node.at.column, hint)


@contextmanager
def placed(query: ast.Query, node: ast.Node) -> Iterator[None]:
    """Give the errors of the algebra's constructors the position they cannot know."""
    try:
        yield
    except QueryError as error:
        if error.line or not node.at.line:
            raise
        raise error.at(query.text, node.at.line, node.at.column) from None
