"""`parse`: from the text of a query to its syntax tree."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

from askos.translate import ast
from askos.translate.builder import Builder, assemble
from askos.translate.dialect import Dialect
from askos.translate.lexer import Parameters, Token, tokens


def parse(
    text: str,
    *,
    dialect: Dialect | str | None = None,
    base: str | None = None,
    parameters: Parameters | None = None,
) -> ast.Query:
    """The syntax tree of a query; QueryError, with line, column and a hint, if it is none."""
    language = Dialect.of(dialect or "sparql")
    found = list(tokens(text, language, base, parameters))
    return assemble(_run(found), language, text)


def _run(found: Iterable[Token]) -> list[Any]:
    parser = _grammar().parse_interactive("")
    result: list[Any] = []
    for token in found:
        result = parser.feed_token(token)
    return result


@cache
def _grammar() -> Any:
    from lark import Lark
    from lark.lexer import Lexer

    class Given(Lexer):
        """No lexer at all: tokens are fed to the parser."""

        def __init__(self, conf: Any) -> None:
            pass

        def lex(self, data: Any) -> Any:
            return iter(())

    text = resources.files("askos.translate").joinpath("grammar.lark").read_text("utf-8")
    return Lark(text, parser="lalr", lexer=Given, start="query", transformer=Builder())
