"""What belongs to which dialect: clauses, windows, and ways of writing.

One grammar reads them all; here a query is held to the dialect it is written in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from askos.terms import Variable
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.lexer import Token
from askos.translate.syntax.parts import fault

_STREAMING: Final = Dialect.STREAMING
_CSPARQL: Final = Dialect.CSPARQL
_CQELS: Final = Dialect.CQELS
_RSPQL: Final = Dialect.RSPQL
_PAST: Final = Dialect.SPARQLSTREAM

_WINDOWS: Final[Mapping[type[ast.Node], frozenset[Dialect]]] = {
    ast.TimeWindow: frozenset((_STREAMING, _CSPARQL, _CQELS, _RSPQL)),
    ast.CountWindow: frozenset((_STREAMING, _CSPARQL, _CQELS, _RSPQL)),
    ast.PredicateWindow: frozenset((_STREAMING,)),
    ast.NowWindow: frozenset((_CQELS, _PAST, _STREAMING)),
    ast.AllWindow: frozenset((_CQELS,)),
    ast.PastWindow: frozenset((_PAST, _STREAMING)),
}
_CLAUSES: Final[Mapping[type[ast.Node], tuple[str, frozenset[Dialect]]]] = {
    ast.StreamPattern: ("STREAM inside WHERE", frozenset((_CQELS,))),
    ast.WindowPattern: ("WINDOW around a pattern", frozenset((_RSPQL,))),
    ast.FromWindow: ("FROM NAMED WINDOW", frozenset((_RSPQL,))),
    ast.FromStream: ("FROM STREAM", frozenset((_STREAMING, _CSPARQL, _CQELS, _PAST))),
    ast.AggregateClause: ("AGGREGATE", frozenset((_CSPARQL,))),
}
_WRITTEN: Final = {
    _STREAMING: "WINDOW RANGE 30 MINUTE SLIDE 5 MINUTE, or WINDOW ELEMS 100",
    _CSPARQL: "[RANGE 30m STEP 5m], [RANGE 30m TUMBLING] or [RANGE TRIPLES 100]",
    _CQELS: "[RANGE 30m SLIDE 5m], [RANGE 30m], [NOW], [ALL] or [TRIPLES 100]",
    _RSPQL: "[RANGE PT30M STEP PT5M] or [ELEMENTS 100]",
    _PAST: "[NOW - 30 M TO NOW - 10 M SLIDE 5 M]",
}


def written(dialect: Dialect) -> str:
    """How `dialect` writes windows, as examples."""
    return f"write {_WRITTEN[dialect]}" if dialect in _WRITTEN else "SPARQL 1.1 has no windows"


def check_manners(query: ast.Query, nodes: Iterable[ast.Node], tokens: list[Token]) -> None:
    """Refuse what the query's dialect does not have; `nodes` are those of the query."""
    places = {token.at: place for place, token in enumerate(tokens)}
    for node in nodes:
        match node:
            case ast.Term():
                continue
            case ast.Select():
                _check_select(node, query.dialect, tokens, places)
            case _ if type(node) in _CLAUSES:
                _check_clause(node, query.dialect)
            case ast.Call("TIMESTAMP", at=at) if query.dialect is not _CSPARQL:
                raise _foreign("timestamp()", at, frozenset((_CSPARQL,)), query.dialect)
            case _ if type(node) in _WINDOWS:
                _check_window(node, query.dialect, tokens[places[node.at]])
    _check_order(query)
    _check_register(query)
    _check_names(query, nodes)


def _check_clause(node: ast.Node, dialect: Dialect) -> None:
    title, homes = _CLAUSES[type(node)]
    if dialect not in homes:
        raise _foreign(title, node.at, homes, dialect)


def _foreign(
    title: str, at: ast.Position, homes: frozenset[Dialect], dialect: Dialect
) -> Exception:
    known = " and ".join(sorted(home.title for home in homes))
    return fault(
        f"{title} is {known}, but this query is {dialect.title}",
        at,
        f"give dialect={min(home.value for home in homes)!r} if it is meant to be that",
    )


# ---- windows ----------------------------------------------------------------------------------


def _check_window(window: ast.Node, dialect: Dialect, first: Token) -> None:
    homes = _WINDOWS[type(window)]
    if dialect not in homes:
        raise fault(f"{dialect.title} has no such window", window.at, written(dialect))
    # SRBench writes what it calls Streaming SPARQL in brackets, so that one reads both.
    if first.type == "WINDOW" and dialect is not _STREAMING:
        raise fault(f"{dialect.title} writes windows differently", window.at, written(dialect))
    match window:
        case ast.TimeWindow(slide=None) if dialect is not _CQELS:
            raise fault("a RANGE needs a STEP", window.at, written(dialect))
        case ast.TimeWindow(width, int(slide)) | ast.CountWindow(width, slide) if (
            slide > width and dialect in (_STREAMING, _CSPARQL)
        ):
            word = "SLIDE" if dialect is _STREAMING else "STEP"
            raise fault(
                f"{word} is larger than the window",
                window.at,
                f"elements between two windows would be missed; make {word} at most the window",
            )


# ---- ways of writing --------------------------------------------------------------------------


def _check_select(
    select: ast.Select, dialect: Dialect, tokens: list[Token], places: Mapping[ast.Position, int]
) -> None:
    reporting = frozenset((_PAST, _STREAMING))
    if select.report and dialect not in reporting:
        raise _foreign("SELECT " + select.report.value, select.at, reporting, dialect)
    for projection in select.projections:
        place = places[projection.at]
        if tokens[place - 1].type == "COMMA" and dialect is not _CSPARQL:
            raise fault("SELECT takes no commas", tokens[place - 1].at, "write SELECT ?a ?b")
        if tokens[place].type == "AGG" and dialect not in (_CSPARQL, _CQELS, _RSPQL):
            raise fault(
                "an aggregate in SELECT needs parentheses",
                projection.at,
                f"write ({tokens[place].value.upper()}(..) AS ?{projection.variable.value})",
            )


def _check_order(query: ast.Query) -> None:
    early = [clause for clause in query.dataset if clause.at < query.form.at]
    if early and query.dialect is not _CSPARQL:
        raise fault("FROM comes after SELECT", early[0].at, "SELECT .. FROM .. WHERE ..")


def _check_register(query: ast.Query) -> None:
    register, form = query.register, query.form
    if register is None:
        return
    if register.report and query.dialect is not _RSPQL:
        title = f"REGISTER {register.report.value}"
        raise _foreign(title, register.at, frozenset((_RSPQL,)), query.dialect)
    if streams_no_triples(query) and query.dialect is not _CSPARQL:
        word = type(form).__name__.upper()
        raise fault(
            f"a stream is made of triples, but {word} yields none",
            form.at,
            "register it as QUERY, or CONSTRUCT triples",
        )


def streams_no_triples(query: ast.Query) -> bool:
    """Whether a SELECT or an ASK is registered as a stream; RSP-QL streams solutions."""
    register, triples = query.register, isinstance(query.form, ast.Construct | ast.Describe)
    return register is not None and register.stream and not register.report and not triples


# ---- names ------------------------------------------------------------------------------------


def _check_names(query: ast.Query, nodes: Iterable[ast.Node]) -> None:
    """RSP-QL: a window that is read must be declared, and only once."""
    declared: set[object] = set()
    for clause in query.dataset:
        if isinstance(clause, ast.FromWindow):
            if clause.name.value in declared:
                raise fault(f"window <{clause.name.value}> is declared twice", clause.name.at)
            declared.add(clause.name.value)
    known = ", ".join(f"<{name}>" for name in sorted(map(str, declared)))
    for node in nodes:
        if isinstance(node, ast.WindowPattern) and not _is_known(node.name.value, declared):
            raise fault(
                f"window <{node.name.value}> is not declared",
                node.name.at,
                f"declared: {known}" if known else "FROM NAMED WINDOW <w> ON <stream> [..]",
            )


def _is_known(name: object, declared: set[object]) -> bool:
    return isinstance(name, Variable) or name in declared
