"""`parse`: from the text of a query to its syntax tree."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, Final

from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.library.iris import resolve
from askos.errors import QueryError
from askos.translate import ast
from askos.translate.diagnose import diagnose
from askos.translate.dialect import Dialect
from askos.translate.lexer import Parameters, Token, tokens
from askos.translate.manners import check_manners
from askos.translate.recognise import recognise
from askos.translate.remarks import remarks
from askos.translate.scope import check_scope
from askos.translate.syntax import Builder, assemble
from askos.translate.syntax.parts import fault

_DEEPEST: Final = 100  # brackets within brackets; what works on trees recurses


def parse(
    text: str,
    *,
    dialect: Dialect | str | None = None,
    base: str | None = None,
    parameters: Parameters | None = None,
) -> ast.Query:
    """The syntax tree of a query; QueryError, with line, column and a hint, if it is none.

    The dialect is recognised from the text, unless one is given.  `base` resolves relative IRIs
    before a BASE does; without either they stay as they are.  `parameters` are the terms that
    CQELS's $Name$ stand for.

    >>> query = parse("SELECT ?t FROM STREAM <wind> WINDOW RANGE 5 MINUTE FIXED { ?t a <Turbine> }")
    >>> query.dialect, query.dataset[0].window
    (<Dialect.STREAMING: 'streaming-sparql'>, TimeWindow(range=300000, slide=300000))
    >>> parse("SELCT * { ?s ?p ?o }")
    Traceback (most recent call last):
    askos.errors.QueryError: line 1, column 1: unknown word SELCT
      SELCT * { ?s ?p ?o }
      ^
    hint: did you mean SELECT?
    """
    if base is not None:
        _check_base(base)
    try:
        return _parse(text, _dialect(text, dialect), base, parameters)
    except QueryError as error:
        raise error.at(text, error.line, error.column) from None


def _check_base(base: str) -> None:
    try:
        resolve(base)
    except ExpressionError:
        hint = "give one as in http://example.org/"
        raise QueryError(f"the base {base!r} is no absolute IRI", hint=hint) from None


def _dialect(text: str, dialect: Dialect | str | None) -> Dialect:
    if dialect is None:
        return recognise(text)
    try:
        return Dialect.of(dialect)
    except ValueError as error:
        raise QueryError(str(error)) from None


def _parse(
    text: str, dialect: Dialect, base: str | None, parameters: Parameters | None
) -> ast.Query:
    found = list(tokens(text, dialect, base, parameters))
    query = assemble(_run(found, dialect), dialect, text)
    nodes = tuple(query.walk())
    check_manners(query, nodes, found)
    check_scope(query, nodes)
    return replace(query, given=base, remarks=tuple(remarks(query)))


def _run(found: list[Token], dialect: Dialect) -> list[Any]:
    """Feed the tokens to the grammar's tables; the result is what the rule `query` built."""
    from lark import UnexpectedToken

    feed, depth = _grammar().parse_interactive("").feed_token, 0
    built: list[Any] = []
    for place, token in enumerate(found):
        if token.type in ("LBRACE", "LPAR", "LSQB"):
            depth += 1
            if depth > _DEEPEST:
                raise fault(f"more than {_DEEPEST} brackets inside each other", token.at)
        elif token.type in ("RBRACE", "RPAR", "RSQB"):
            depth -= 1
        try:
            built = feed(token)
        except UnexpectedToken:
            raise diagnose(token, found[:place], _expected(found[:place]), dialect) from None
    return built


def _expected(before: list[Token]) -> frozenset[str]:
    """The terminals that may follow.  Told from the start again: by the time a token turns out
    not to fit, the parser may have reduced what other tokens would have gone on with."""
    parser = _grammar().parse_interactive("")
    parser.parser_state.parse_conf = copy(parser.parser_state.parse_conf)
    parser.parser_state.parse_conf.callbacks = {}
    for token in before:
        parser.feed_token(token)
    return frozenset(parser.accepts())


@cache
def _grammar() -> Any:
    """The tables of grammar.lark, made at the first query."""
    from lark import Lark
    from lark.lexer import Lexer

    class Given(Lexer):
        """None: the tokens are fed to the parser."""

        def __init__(self, conf: Any) -> None: ...

        def lex(self, lexer_state: Any, parser_state: Any) -> Iterable[Any]:  # type: ignore[override]
            return ()

    text = resources.files("askos.translate").joinpath("grammar.lark").read_text("utf-8")
    return Lark(text, parser="lalr", lexer=Given, start="query", transformer=Builder())
