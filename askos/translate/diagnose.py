"""What is wrong with a text, in words of its language: from an unexpected token to an error."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Final

from askos.errors import QueryError
from askos.terms import URIRef, Variable
from askos.translate.dialect import Dialect
from askos.translate.lexer import PUNCTUATION, Fault, Token
from askos.translate.manners import written
from askos.translate.syntax.parts import fault
from askos.translate.words import homes, terminals

_SIGNS: Final = {terminal: sign for sign, terminal in PUNCTUATION.items()}
_TERMS: Final = frozenset(
    ("VAR", "IRI", "BLANK", "ANON", "NIL", "LITERAL", "STRING", "INTEGER", "NUMBER", "SIGNED")
) | {"BOOLEAN", "LPAR", "LSQB"}
_CALLS: Final = frozenset(("BUILTIN", "AGG", "NOW", "EXISTS", "NOT"))
_STARTS: Final = _TERMS | _CALLS | {"BANG", "PLUS", "DASH"}
_OPERATORS: Final = frozenset(
    ("OR", "AND", "EQ", "NE", "LT", "GT", "LE", "GE", "PLUS", "DASH", "STAR", "SLASH", "IN", "NOT")
) | {"SIGNED"}
_PATTERNS: Final = frozenset(
    ("OPTIONAL", "MINUS", "GRAPH", "SERVICE", "FILTER", "BIND", "VALUES", "STREAM", "WINDOW")
) | {"LBRACE"}
_TAIL: Final = frozenset(("GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET", "VALUES", "AGGREGATE"))
_FORMS: Final = frozenset(("SELECT", "CONSTRUCT", "DESCRIBE", "ASK"))
_PATHS: Final = frozenset(("A", "IRI", "VAR", "CARET", "BANG", "LPAR"))
_REPEATS: Final = frozenset(("SLASH", "VBAR", "STAR", "PLUS", "QMARK"))

# What a set of expected terminals is called: the marks that tell it, what they cover, the words.
_PHRASES: Final = (
    (frozenset(("BUILTIN", "VAR", "BOOLEAN")), _STARTS, "an expression"),
    (frozenset(("BUILTIN", "LPAR")), _STARTS, "an expression in parentheses, or a call"),
    (frozenset(("OPTIONAL", "FILTER")), _PATTERNS, "a pattern such as OPTIONAL or FILTER"),
    (frozenset(("VAR", "STRING", "BLANK")), _TERMS, "a term"),
    (frozenset(("STRING", "IRI")), _TERMS, "a term"),
    (frozenset(("A", "CARET")), _PATHS, "a predicate"),
    (frozenset(("EQ", "NE")), _OPERATORS, "an operator"),
    (frozenset(("SLASH", "VBAR")), _REPEATS, "the rest of a path"),
    (frozenset(("SELECT", "ASK")), _FORMS, "SELECT, CONSTRUCT, DESCRIBE or ASK"),
    (frozenset(("LIMIT", "ORDER")), _TAIL, "GROUP BY, ORDER BY, LIMIT .."),
)  # fmt: skip
_NAMES: Final = {
    "VAR": "a variable",
    "IRI": "an IRI",
    "NS": "a prefix such as ex:",
    "BLANK": "a blank node",
    "STRING": "a string",
    "INTEGER": "a whole number",
    "NUMBER": "a number",
    "SIGNED": "a number",
    "WORD": "a name",
    "BUILTIN": "a function",
    "AGG": "an aggregate",
    "DURATION": "a duration such as 10m",
    "LANGTAG": "a language tag",
    "HATS": "^^",
    "NIL": "()",
    "ANON": "[]",
    "$END": "the end of the query",
    "FIXED": "FIXED",
    "REPORT": "RSTREAM",
    "BOOLEAN": "true",
    "LITERAL": "a literal",
}
_OWN_WORDS: Final = {
    ("SLIDE", Dialect.CSPARQL): "STEP",
    ("SLIDE", Dialect.RSPQL): "STEP",
    ("FIXED", Dialect.CSPARQL): "TUMBLING",
    ("FIXED", Dialect.CQELS): "TUMBLING",
    ("FIXED", Dialect.RSPQL): "TUMBLING",
    ("ELEMS", Dialect.CSPARQL): "TRIPLES",
    ("ELEMS", Dialect.CQELS): "TRIPLES",
    ("ELEMS", Dialect.RSPQL): "ELEMENTS",
}


def diagnose(
    token: Token, before: list[Token], expected: frozenset[str], dialect: Dialect
) -> QueryError:
    """The error for `token`, which came after `before` where `expected` would have done."""
    if isinstance(token.value, Fault):
        return fault(token.value.message, token.at, token.value.hint)
    for message, hint in _particular(token, before, expected, dialect):
        return fault(message, token.at, hint)
    wanted = _list(expected, dialect)
    return fault(f"expected {wanted}, but found {_shown(token)}", token.at)


def _shown(token: Token) -> str:
    match token.type, token.value:
        case "$END", _:
            return "the end of the query"
        case "VAR", Variable() as name:
            return f"?{name}"
        case _, URIRef() as iri:
            return f"<{iri}>"
        case "STRING", text:
            return f'"{text}"' if len(text) < 30 else "a string"
        case "BLANK", label:
            return f"_:{label}"
        case "NS", prefix:
            return f"{prefix}:"
        case _, text:
            return str(text).strip() or token.type


def _list(expected: frozenset[str], dialect: Dialect) -> str:
    """The expected terminals as a phrase: a few kinds of things rather than forty tokens."""
    rest = expected & (frozenset(terminals(dialect).values()) | _SIGNS.keys() | _NAMES.keys())
    rest -= {"LITERAL"}
    phrases: list[str] = []
    for marks, covered, phrase in _PHRASES:
        if marks <= rest:
            phrases.append(phrase)
            rest -= covered
    words = sorted(rest, key=lambda terminal: (terminal not in _SIGNS, terminal))
    phrases += [_word(terminal, dialect) for terminal in words]
    known = list(dict.fromkeys(phrases))
    *most, last = known if len(known) <= 6 else [*known[:5], "something else"]
    return f"{', '.join(most)} or {last}" if most else last


def _word(terminal: str, dialect: Dialect) -> str:
    own = _OWN_WORDS.get((terminal, dialect))
    return own or _SIGNS.get(terminal) or _NAMES.get(terminal) or terminal


# ---- particular mistakes ----------------------------------------------------------------------


def _particular(
    token: Token, before: list[Token], expected: frozenset[str], dialect: Dialect
) -> Iterator[tuple[str, str]]:
    """Mistakes that have a better message than what was expected."""
    previous = before[-1].type if before else ""
    if token.type == "$END":
        yield from _ended(before, expected, dialect)
    if token.type == "WORD":
        yield from _misspelt(str(token.value), expected, dialect)
    if expected == {"WORD", "BUILTIN", "AGG"}:
        yield f"expected a unit of time, but found {_shown(token)}", "write 30 MINUTE, or 30m"
    if "RANGE" in expected:
        named = "" if dialect is not Dialect.STREAMING else " or ELEMS"
        yield f"a window needs RANGE{named}", written(dialect)
    if previous == "SELECT" and token.type in ("FROM", "WHERE", "LBRACE"):
        yield "SELECT needs variables, or * for all", "SELECT ?x ?y WHERE { .. }"
    if previous == "SELECT" and token.type in ("AGG", "BUILTIN"):
        call = str(token.value).upper()
        yield "SELECT needs parentheses around an expression", f"write ({call}(..) AS ?name)"
    if previous == "FILTER":
        yield f"FILTER needs parentheses, but found {_shown(token)}", "FILTER (?x > 5)"
    if "AS" in expected and token.type in ("RPAR", "WHERE", "FROM", "LBRACE", "VAR"):
        yield f"expected AS, but found {_shown(token)}", "give it a name: (.. AS ?name)"
    if token.type == "UNION" and previous == "RBRACE":
        yield "UNION stands inside the braces of WHERE", "write WHERE { { .. } UNION { .. } }"
    if "DOT" in expected and token.type in _TERMS | {"A"} and previous in _TERMS | {"RSQB", "RPAR"}:
        yield (
            f"expected . or ; before {_shown(token)}",
            "a triple has three terms; end it with a full stop before the next",
        )
    if token.type in ("GROUP", "HAVING", "ORDER") and "$END" in expected:
        order = "GROUP BY, HAVING, ORDER BY, LIMIT and OFFSET"
        yield f"{_shown(token).upper()} comes too late", f"the order is {order}"
    if token.type in ("RBRACE", "RPAR", "RSQB") and not _closes(token, before):
        yield f"{token.value} closes nothing", "take it out, or open it before"


def _ended(
    before: list[Token], expected: frozenset[str], dialect: Dialect
) -> Iterator[tuple[str, str]]:
    if not before:
        yield "the query is empty", "write SELECT * WHERE { ?s ?p ?o }"
    for opened in _open(before)[-1:]:
        yield (
            f"the query ends, but {opened.value} of line {opened.at.line} is not closed",
            f"add {_CLOSERS[opened.type]}",
        )
    yield f"the query ends too early: expected {_list(expected, dialect)}", ""


def _misspelt(word: str, expected: frozenset[str], dialect: Dialect) -> Iterator[tuple[str, str]]:
    known = terminals(dialect)
    elsewhere = [home for home in homes(word) if home is not dialect]
    if elsewhere:
        titles = " and ".join(home.title for home in elsewhere)
        yield (
            f"{word.upper()} is a word of {titles}, but this query is {dialect.title}",
            f"give dialect={elsewhere[0].value!r} if it is meant to be that",
        )
    likely = [w for w, terminal in known.items() if terminal in expected]
    near = get_close_matches(word.upper(), likely, n=1, cutoff=0.7)
    near = near or get_close_matches(word.upper(), known, n=1, cutoff=0.8)
    if near:
        yield f"unknown word {word}", f"did you mean {near[0]}?"
    elif not expected & {"WORD", "RANGE"}:
        hint = f"a variable is ?{word}, a name needs a prefix, as in ex:{word}"
        hint = hint if "VAR" in expected else ""
        yield f"unknown word {word}: expected {_list(expected, dialect)}", hint


_CLOSERS: Final = {"LBRACE": "}", "LPAR": ")", "LSQB": "]"}


def _open(tokens: list[Token]) -> list[Token]:
    """The brackets that are open at the end of `tokens`, outermost first."""
    stack: list[Token] = []
    for token in tokens:
        if token.type in _CLOSERS:
            stack.append(token)
        elif stack and token.value == _CLOSERS[stack[-1].type]:
            stack.pop()
    return stack


def _closes(token: Token, before: list[Token]) -> bool:
    stack = _open(before)
    return bool(stack) and _CLOSERS[stack[-1].type] == token.value
