"""Terms as text: names as short as they get, numbers bare, everything else in quotes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from askos.errors import UnsupportedError
from askos.screen import numbered
from askos.terms import RDF, BNode, Literal, URIRef, Variable, spell
from askos.translate import ast
from askos.translate.dialect import Dialect
from askos.translate.lexer import Token, tokens

_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
# Those of a local name that need a backslash (19.8, rule 173, PN_LOCAL_ESC).
_RESERVED: Final = re.compile(r"[~!$&'()*+,;=/?#@%]")
_EDGE: Final = re.compile(r"^[.-]|\.$")


class Terms:
    """How the terms of one query are written: its prefixes and base IRI, its dialect; and whether
    it was read with a base, be it declared or not."""

    def __init__(
        self,
        dialect: Dialect,
        prefixes: Mapping[str, str] | None = None,
        base: str | None = None,
        based: bool = False,
    ) -> None:
        self.dialect = dialect
        self.base = base
        self.based = based or base is not None
        # The longest namespace makes the shortest name.
        self._namespaces = sorted((prefixes or {}).items(), key=lambda p: (-len(p[1]), p[0]))

    def term(self, node: ast.Term) -> str:
        """A term where an expression, a row of VALUES or a name may stand."""
        match node.value:
            case Variable():
                return f"?{node.value}"
            case BNode():
                return f"_:{node.value}"
            case Literal():
                return self._literal(node.value)
        return self.iri(node)

    def iri(self, node: ast.Term) -> str:
        """An IRI: a prefixed name, else in full, else a prefixed name with escapes."""
        iri = str(node.value)
        fitting = [(p, iri[len(ns) :]) for p, ns in self._namespaces if iri.startswith(ns)]
        for prefix, local in fitting:
            if _is_local(local, self.dialect):
                return f"{prefix}:{local}"
        if _is_reference(iri, self.base, self.dialect):
            return bracketed(iri)
        for prefix, local in fitting:
            if _is_local(escaped := _escape(local), self.dialect):
                return f"{prefix}:{escaped}"
        raise UnsupportedError(
            f"no text stands for the IRI {iri!r}",
            hint="it has characters that no IRI has, or is relative while the query has a BASE",
        ).at("", *node.at)

    def object(self, node: ast.Term) -> str:
        """A term where a subject or an object may stand."""
        return "()" if node.value == RDF.nil else self.term(node)

    def _literal(self, literal: Literal) -> str:
        text, datatype = str(literal), literal.datatype
        if literal.language:
            return f"{quoted(text)}@{literal.language}"
        if datatype is None:
            return quoted(text)
        bare = spell(literal) == text
        return text if bare else f"{quoted(text)}^^{self.iri(ast.Term(datatype))}"


def is_number(text: str) -> bool:
    """Whether a sign before it would become part of it."""
    return text[:1] in "0123456789.+-"


def quoted(text: str) -> str:
    """A string in double quotes, on one line, with nothing in it that cannot be seen.

    >>> print(quoted('say "hi"' + chr(10)))
    "say \\"hi\\"\\n"
    """
    return '"' + "".join(_ESCAPES.get(c) or _visible(c) for c in text) + '"'


def bracketed(iri: str) -> str:
    """<iri>, with escapes for what would end or break it."""
    return "<" + "".join(numbered(c) if c in "\"'\\" else _visible(c) for c in iri) + ">"


def _visible(character: str) -> str:
    if character.isprintable() or 0xD800 <= ord(character) < 0xE000:
        return character
    return numbered(character)


def _escape(local: str) -> str:
    escaped = _RESERVED.sub(r"\\\g<0>", local)
    return _EDGE.sub(r"\\\g<0>", escaped)


# What a name stands for is asked of the lexer: it is the one who will read it.


@cache
def _is_local(text: str, dialect: Dialect) -> bool:
    plain = re.sub(r"\\(.)", r"\1", text)
    return _reads(f"PREFIX p: <x:> p:{text}", URIRef(f"x:{plain}"), dialect)


@cache
def _is_reference(iri: str, base: str | None, dialect: Dialect) -> bool:
    declared = f"BASE {bracketed(base)} " if base is not None else ""
    return _reads(declared + bracketed(iri), URIRef(iri), dialect)


def _reads(text: str, iri: URIRef, dialect: Dialect) -> bool:
    *_, last, end = [Token("", "", ast.NOWHERE), *tokens(text, dialect)]
    return (last.type, last.value, end.type) == ("IRI", iri, "$END")


@cache
def is_word(text: str, dialect: Dialect, *kinds: str) -> bool:
    """Whether a text is read as one word, and as one of these kinds."""
    first, *rest = tokens(text, dialect)
    return first.type in kinds and first.value == text and [t.type for t in rest] == ["$END"]
