"""Texts of N-Triples that are as `n3` writes them, so that two are one term if they are equal."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from askos.terms import XSD, BNode, Literal, Term, URIRef

_REWRITTEN: Final = frozenset({XSD.string, XSD.token, XSD.normalizedString})
"""Datatypes of literals that rdflib or we give another form than their text has."""


def is_plain(text: str) -> bool:
    """Whether the text of a term that is right is the one `n3` would write.

    >>> is_plain('"a"@en'), is_plain('"a"@EN')
    (True, False)
    """
    if "\\" in text:
        return False
    if text[0] == '"':
        return text.isprintable() and _is_plain_kind(text[text.rindex('"') + 1 :])
    return not text.startswith("<<")


@lru_cache
def _is_plain_kind(kind: str) -> bool:
    """What follows the quotes of a literal: there are few."""
    if kind.startswith("^^"):
        return URIRef(kind[3:-1]) not in _REWRITTEN
    return kind == kind.lower() and "--" not in kind


def read_plain(text: str) -> Term:
    """The term of a plain text.

    >>> read_plain('"5"@en'), read_plain("_:b")
    (rdflib.term.Literal('5', lang='en'), rdflib.term.BNode('b'))
    """
    if text[0] == "<":
        return str.__new__(URIRef, text[1:-1])  # rdflib would look at each character once more
    if text[0] == "_":
        return str.__new__(BNode, text[2:])
    end = text.rindex('"')
    if text.startswith("^^", end + 1):
        return Literal(text[1:end], datatype=str.__new__(URIRef, text[end + 4 : -1]))
    return Literal(text[1:end], lang=text[end + 2 :] or None)
