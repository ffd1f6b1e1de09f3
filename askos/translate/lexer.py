"""From text to the tokens of the grammar, with names resolved.

SPARQL 1.1, section 19.8.  Tokens are found by one regular expression; what is wrong with the
text becomes a token too, so that an earlier mistake of grammar is told before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeAlias

from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.library.iris import resolve
from askos.terms import XSD, BNode, Literal, URIRef, Variable
from askos.translate.ast import NOWHERE, Position
from askos.translate.dialect import Dialect
from askos.translate.words import AGGREGATES, ARITY, terminals

_BASE: Final = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d"
    "\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_USUAL: Final = _BASE + "_0-9"
_CHARS: Final = _USUAL + "\u00b7\u0300-\u036f\u203f-\u2040-"
_PLX: Final = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_PREFIX: Final = rf"[{_BASE}](?:[{_CHARS}.]*[{_CHARS}])?"
_LOCAL: Final = rf"(?:[{_USUAL}:]|{_PLX})(?:(?:[{_CHARS}.:]|{_PLX})*(?:[{_CHARS}:]|{_PLX}))?"
_NAME: Final = rf"[{_USUAL}][{_USUAL}\u00b7\u0300-\u036f\u203f-\u2040]*"
# C-SPARQL's ?total-sensor; but ?a-abs(?b) and ?a-?b are differences.
_FUNCTION: Final = "|".join(sorted(ARITY.keys() | AGGREGATES))
_DASHED: Final = rf"(?:{_NAME})(?:-(?!(?i:{_FUNCTION})\()[{_BASE}_][{_USUAL}]*)*"
_EXPONENT: Final = r"[eE][+-]?[0-9]+"
_ISO: Final = r"[Pp](?=[0-9Tt])(?:[0-9.]+[YyMmWwDd])*(?:[Tt](?:[0-9.]+[HhMmSs])+)?(?![\w:.-])"

PUNCTUATION: Final = {
    "{": "LBRACE", "}": "RBRACE", "(": "LPAR", ")": "RPAR", "[": "LSQB", "]": "RSQB",
    ".": "DOT", ",": "COMMA", ";": "SEMICOLON", "^^": "HATS", "*": "STAR", "+": "PLUS",
    "-": "DASH", "/": "SLASH", "|": "VBAR", "^": "CARET", "!": "BANG", "?": "QMARK", "||": "OR",
    "&&": "AND", "=": "EQ", "!=": "NE", "<": "LT", ">": "GT", "<=": "LE", ">=": "GE",
}  # fmt: skip


@dataclass(slots=True)
class Token:
    """What the parser sees of the text: a terminal, its value, and where it stands."""

    type: str
    value: Any
    at: Position


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a piece of text is no token."""

    message: str
    hint: str = ""


@cache
def _pattern(dialect: Dialect) -> re.Pattern[str]:
    name = _DASHED if dialect is Dialect.CSPARQL else _NAME
    streams = dialect is not Dialect.SPARQL
    parts = {
        "parameter": r"\$[A-Za-z_]\w*\$" if dialect is Dialect.CQELS else None,
        "VAR": rf"[?$]{name}",
        "PNAME": rf"(?:{_PREFIX})?:(?:{_LOCAL})?",
        "IRIREF": r"<[^<>\"{}|^`\x00-\x20]*>",
        "DURATION": rf"[0-9]+(?!{_EXPONENT})[A-Za-z]+(?:[0-9]+[A-Za-z]+)*(?![\w:-])|{_ISO}"
        if streams
        else None,
        "BLANK": rf"_:[{_USUAL}](?:[{_CHARS}.]*[{_CHARS}])?",
        "word": r"[A-Za-z_][A-Za-z0-9_]*",
        "NUMBER": rf"[0-9]+\.[0-9]*{_EXPONENT}|\.?[0-9]+{_EXPONENT}|[0-9]*\.[0-9]+",
        "INTEGER": r"[0-9]+",
        "SIGNED": rf"[+-](?:[0-9]+\.[0-9]*{_EXPONENT}|\.?[0-9]+{_EXPONENT}"
        r"|[0-9]*\.[0-9]+|[0-9]+)",
        "LONG": r'"""(?:"{0,2}(?:[^"\\]|\\.))*"""|' r"'''(?:'{0,2}(?:[^'\\]|\\.))*'''",
        "STRING": r'"(?:[^"\\\n\r]|\\.)*"|' r"'(?:[^'\\\n\r]|\\.)*'",
        "LANGTAG": r"@[A-Za-z]+(?:-[A-Za-z0-9]+)*",
        "NIL": r"\([ \t\r\n]*\)",
        "ANON": r"\[[ \t\r\n]*\]",
        "hats": r"\^\^(?=\s*[?$(!0-9\"'+-])" if dialect is Dialect.CSPARQL else None,
        "sign": r"\^\^|\|\||&&|!=|<=|>=|[{}()\[\].,;*+\-/|^!?=<>]",
    }
    choices = "|".join(f"(?P<{key}>{part})" for key, part in parts.items() if part)
    return re.compile(rf"(?:[ \t\r\n]+|#[^\r\n]*)*(?:{choices}|(?P<end>\Z)|(?P<bad>.))", re.DOTALL)


Parameters: TypeAlias = Mapping[str, URIRef | Literal]
"""The terms that CQELS's $Name$ stand for."""


def tokens(
    text: str, dialect: Dialect, base: str | None = None, parameters: Parameters | None = None
) -> Iterator[Token]:
    """The tokens of `text`, the last of type $END; an ERROR token holds a Fault."""
    return _Lexer(text, dialect, base, parameters).tokens()


class _Lexer:
    """One pass over a text; knows the prefixes and the base IRI declared so far."""

    def __init__(
        self, text: str, dialect: Dialect, base: str | None, parameters: Parameters | None
    ) -> None:
        self.text, self.shifts = _decode(text)
        self.pattern = _pattern(dialect)
        self.words = terminals(dialect)
        self.base = base
        self.parameters = parameters or {}
        self.prefixes: dict[str, str] = {}
        self.line, self.begin = 1, 0  # of the line: its number, and where it begins
        none = Token("", "", NOWHERE)
        self.previous = none, none

    def tokens(self) -> Iterator[Token]:
        text, match, place = self.text, self.pattern.match, 0
        while True:
            found = match(text, place)
            assert found is not None, "any character matches"
            kind = found.lastgroup or ""
            start, end = found.span(kind)
            if text.find("\n", place, start) >= 0:
                self._newlines(place, start)
            at = self._position(start)
            token = self._token(kind, found[kind], at)
            if token.type == "IRI":
                self._declare(str(token.value))
            self.previous = self.previous[1], token
            yield token
            if token.type == "$END":
                return
            if kind in ("LONG", "NIL", "ANON"):
                self._newlines(start, end)
            place = end

    def _newlines(self, start: int, end: int) -> None:
        self.line += self.text.count("\n", start, end)
        self.begin = max(self.begin, self.text.rfind("\n", start, end) + 1)

    def _position(self, place: int) -> Position:
        column = place - self.begin + 1
        if self.shifts:
            column += sum(width for at, width in self.shifts if self.begin <= at < place)
        return Position(self.line, column)

    def _token(self, kind: str, text: str, at: Position) -> Token:
        try:
            return _MAKE[kind](self, text, at)
        except _FaultError as error:
            return Token("ERROR", error.fault, at)

    def _declare(self, iri: str) -> None:
        """Take note of PREFIX and BASE, since the tokens after them depend on it."""
        first, second = self.previous
        if first.type == "PREFIX" and second.type == "NS":
            self.prefixes[second.value] = iri
        elif second.type == "BASE":
            self.base = iri

    # ---- one method a kind of token -----------------------------------------------------------

    def end(self, text: str, at: Position) -> Token:
        return Token("$END", "", at)

    def sign(self, text: str, at: Position) -> Token:
        return Token(PUNCTUATION[text], text, at)

    def hats(self, text: str, at: Position) -> Token:
        """C-SPARQL prints ^^ for &&; it is a datatype's if a name follows."""
        return Token("AND", "&&", at)

    def word(self, text: str, at: Position) -> Token:
        kind = "A" if text == "a" else self.words.get(text.upper(), "WORD")
        return Token(kind, text, at)

    def variable(self, text: str, at: Position) -> Token:
        return Token("VAR", Variable(text[1:]), at)

    def parameter(self, text: str, at: Position) -> Token:
        """CQELS $Name$: stands for the term that the caller gave for it."""
        match self.parameters.get(text[1:-1]):
            case URIRef() as iri:
                return Token("IRI", iri, at)
            case Literal() as literal:
                return Token("LITERAL", literal, at)
        raise _FaultError(f"parameter {text} has no value", "give it an IRI or a literal")

    def pname(self, text: str, at: Position) -> Token:
        prefix, _, local = text.partition(":")
        if self.previous[1].type == "PREFIX":
            return Token("WORD", text, at) if local else Token("NS", prefix, at)
        if self.previous[1].type in ("NS", "BASE"):
            raise _FaultError(f"{text} cannot stand here", "declarations take an IRI in <>")
        if prefix not in self.prefixes:
            raise _FaultError(f"prefix {prefix}: is not declared", _undeclared(prefix))
        if "\\" in local:
            local = re.sub(r"\\(.)", r"\1", local)
        return Token("IRI", URIRef(self.prefixes[prefix] + local), at)

    def iriref(self, text: str, at: Position) -> Token:
        iri = _unescape(text[1:-1], {}, "an IRI") if "\\" in text else text[1:-1]
        if self.base is not None:
            try:
                iri = resolve(iri, self.base)
            except ExpressionError as error:
                raise _FaultError(str(error), "give an absolute IRI, or an absolute BASE") from None
        return Token("IRI", URIRef(iri), at)

    def string(self, text: str, at: Position) -> Token:
        return Token("STRING", _unescape(text[1:-1], _ESCAPES, "a string"), at)

    def long(self, text: str, at: Position) -> Token:
        return Token("STRING", _unescape(text[3:-3], _ESCAPES, "a string"), at)

    def integer(self, text: str, at: Position) -> Token:
        return Token("INTEGER", Literal(text, datatype=XSD.integer), at)

    def number(self, text: str, at: Position) -> Token:
        return Token("NUMBER", _number(text), at)

    def signed(self, text: str, at: Position) -> Token:
        return Token("SIGNED", _number(text), at)

    def blank(self, text: str, at: Position) -> Token:
        return Token("BLANK", BNode(text[2:]), at)

    def tag(self, text: str, at: Position) -> Token:
        return Token("LANGTAG", text[1:].lower(), at)

    def duration(self, text: str, at: Position) -> Token:
        return Token("DURATION", text, at)

    def nil(self, text: str, at: Position) -> Token:
        return Token("NIL", text, at)

    def anon(self, text: str, at: Position) -> Token:
        return Token("ANON", text, at)

    def bad(self, text: str, at: Position) -> Token:
        if text in "\"'":
            raise _FaultError(
                "the string is not closed",
                f"end it with {text}; over several lines write {text * 3}..{text * 3}",
            )
        raise _FaultError(f"{text!r} means nothing here", _BAD.get(text, ""))


class _FaultError(Exception):
    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.fault = Fault(message, hint)


_MAKE: Final[dict[str, Callable[[_Lexer, str, Position], Token]]] = {
    "parameter": _Lexer.parameter,
    "VAR": _Lexer.variable,
    "PNAME": _Lexer.pname,
    "IRIREF": _Lexer.iriref,
    "DURATION": _Lexer.duration,
    "word": _Lexer.word,
    "NUMBER": _Lexer.number,
    "INTEGER": _Lexer.integer,
    "SIGNED": _Lexer.signed,
    "LONG": _Lexer.long,
    "STRING": _Lexer.string,
    "BLANK": _Lexer.blank,
    "LANGTAG": _Lexer.tag,
    "NIL": _Lexer.nil,
    "ANON": _Lexer.anon,
    "hats": _Lexer.hats,
    "sign": _Lexer.sign,
    "end": _Lexer.end,
    "bad": _Lexer.bad,
}

_BAD: Final = {
    "&": "write && for and",
    "\\": "an escape \\uXXXX must name a character, and may not stand for a quote or a backslash",
    "@": 'a language tag follows a string, as in "text"@en',
    "_": "a blank node is written _:name",
    "%": "a name may contain % only as part of %20 and the like",
}
_KNOWN: Final = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "sosa": "http://www.w3.org/ns/sosa/",
    "ssn": "http://www.w3.org/ns/ssn/",
}


def _undeclared(prefix: str) -> str:
    if prefix.lower() in ("http", "https", "urn", "file", "mailto"):
        return f"write an IRI in angle brackets, without spaces: <{prefix}:..>"
    return f"add PREFIX {prefix}: <{_KNOWN.get(prefix, '..')}> before the query"


def _number(text: str) -> Literal:
    kind = XSD.integer
    if "e" in text or "E" in text:
        kind = XSD.double
    elif "." in text:
        kind = XSD.decimal
    return Literal(text, datatype=kind)


# ---- escapes ----------------------------------------------------------------------------------

_ESCAPES: Final = {"\\": "\\", '"': '"', "'": "'"} | dict(zip("nrtbf", "\n\r\t\b\f", strict=True))
_ESCAPE: Final = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
# What a code point may not stand for outside strings: it would begin or end one.
_STRUCTURAL: Final = frozenset("\"'\\\n\r")


def _unescape(text: str, plain: dict[str, str], where: str) -> str:
    if "\\" not in text:
        return text

    def character(found: re.Match[str]) -> str:
        code = found[1]
        if len(code) > 1:
            return _code_point(code)
        if code in plain:
            return plain[code]
        raise _FaultError(f"\\{code} is no escape in {where}", "write \\\\ for a backslash")

    return _ESCAPE.sub(character, text)


def _code_point(code: str) -> str:
    number = int(code[1:], 16)
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        raise _FaultError(f"\\{code} is no character", "surrogates come in no RDF text")
    return chr(number)


def _decode(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text with code point escapes replaced (19.2), and how much shorter it got where.

    Those that would be quotes, backslashes or line ends stay, for strings to decode.
    """
    if "\\u" not in text and "\\U" not in text:
        return text, []
    parts: list[str] = []
    shifts: list[tuple[int, int]] = []
    done = length = 0
    for found in _ESCAPE.finditer(text):
        code = found[1]
        if len(code) == 1:
            continue
        try:
            character = _code_point(code)
        except _FaultError:
            continue
        if character not in _STRUCTURAL:
            parts += [text[done : found.start()], character]
            length += found.start() - done + 1
            shifts.append((length - 1, len(found[0]) - 1))
            done = found.end()
    return "".join([*parts, text[done:]]), shifts


# ---- a first look -----------------------------------------------------------------------------


def words_and_signs(text: str) -> Iterator[str]:
    """The words of a text in upper case, and its signs; names of any kind as <>, variables as ?.

    For telling the dialect, before it is known which words are keywords.
    """
    for found in _pattern(Dialect.STREAMING).finditer(text):
        match found.lastgroup:
            case "word":
                yield found["word"].upper()
            case "sign":
                yield found["sign"]
            case "PNAME" | "IRIREF":
                yield "<>"
            case "VAR":
                yield "?"
            case "NUMBER" | "INTEGER" | "SIGNED" | "DURATION":
                yield "0"
