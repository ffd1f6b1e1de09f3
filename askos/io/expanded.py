"""JSON-LD as programs write it: expanded and flat, with neither contexts nor nested nodes.

    [{"@id": "http://x/T1", "http://x/power": [{"@value": "5", "@type": "http://x/kW"}]}]

Such a document is a list of statements already, and reading it as JSON takes half the time of the
algorithms of JSON-LD.  Whatever is of another form, or wrong, is left to them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecoder
from typing import Any, Final

from askos.io.ntriples import Statement
from askos.terms import RDF, Literal, n3

DEPTH: Final = 4
"""How deep such a document is nested."""

_TYPE: Final = f"<{RDF.type}>"
_ESCAPE: Final = re.compile(rb"\\.")
_BEGIN: Final = re.compile(r"[ \t\n\r]*\[[ \t\n\r]*")
_NEXT: Final = re.compile(r"[ \t\n\r]*(?:,[ \t\n\r]*|(\])[ \t\n\r]*\Z)")
# Narrower than the standards: what it leaves out is read by a parser that knows them.
_SIGNS: Final = r"[A-Za-z0-9._~!$&'()*+,;=:@/?-]*+"
_REST: Final = rf"{_SIGNS}(?:%[0-9A-Fa-f]{{2}}{_SIGNS})*+"
_IRI: Final = re.compile(
    r"(?:https?://[A-Za-z0-9.-]++(?::[0-9]{1,5})?(?![^/?#])|urn:[A-Za-z0-9-]++:)"
    rf"{_REST}(?:#{_REST})?"
)
_NODE: Final = re.compile(rf"_:[A-Za-z0-9]++|{_IRI.pattern}")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[a-z]{2})?")


def read_expanded(data: bytes) -> list[Statement] | None:
    """The statements of a document; None if it is of another form."""
    escaped = b"\\" in data
    if escaped and b"\\u" in data:  # perhaps half a character
        return None
    reader = _Reader(escaped=escaped)
    try:
        for node in _nodes(data.decode()):
            reader.read(node)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
    bare = _ESCAPE.sub(b"", data) if escaped else data
    # A key that an object has twice is a string that was read, and not seen.
    return reader.found if 2 * reader.strings == bare.count(b'"') else None


def _nodes(text: str) -> Iterator[dict[str, Any]]:
    """The members of a list, decoded one after the other, so that few are in memory."""
    decode = JSONDecoder().raw_decode
    place = _after(_BEGIN.match(text))
    end = False
    while not end:
        node, place = decode(text, place)
        yield node
        found = _NEXT.match(text, place)
        place, end = _after(found), bool(found and found[1])


def _after(found: re.Match[str] | None) -> int:
    if not found:
        raise ValueError
    return found.end()


class _Reader:
    """Nodes as statements; raises one error or another where a node is of another form.

    `found` are the statements, `strings` is how many strings have been seen.
    """

    def __init__(self, *, escaped: bool) -> None:
        self.found: list[Statement] = []
        self.strings = 0
        self._quoted = _quoted if escaped else '"'.__add__
        self._nodes, self._iris = _Nodes(), _Iris()
        self._types, self._languages = _Types(), _Languages()

    def read(self, node: dict[str, Any]) -> None:
        """Take the statements whose subject is `node`."""
        subject, types = self._nodes[node.pop("@id")], node.pop("@type", None)
        strings, nodes, add = 2 + len(node), self._nodes, self.found.append
        for key, values in node.items():
            predicate = self._iris[key]
            if type(values) is not list:
                raise ValueError
            for value in values:
                strings += 2 * len(value)
                if len(value) == 1 and "@id" in value:
                    add((subject, predicate, nodes[value["@id"]], ""))
                else:
                    add((subject, predicate, self._literal(value), ""))
        self.strings += strings
        if types is not None:
            self._read_types(subject, types)

    def _read_types(self, subject: str, types: list[str]) -> None:
        if type(types) is not list:
            raise ValueError
        self.strings += 1 + len(types)
        self.found += ((subject, _TYPE, self._nodes[kind], "") for kind in types)

    def _literal(self, value: dict[str, str]) -> str:
        quoted = self._quoted(value["@value"])
        match len(value):
            case 1:
                return quoted + '"'
            case 2 if "@type" in value:
                return quoted + self._types[value["@type"]]
            case 2:
                return quoted + self._languages[value["@language"]]
        raise ValueError


def _quoted(text: str) -> str:
    """With a quote before it, and what needs it escaped."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return '"' + text
    return n3(Literal(text))[:-1]


class _Iris(dict[str, str]):
    """IRIs in brackets, each looked at once."""

    def __missing__(self, iri: str) -> str:
        if not _IRI.fullmatch(iri):
            raise ValueError
        self[iri] = text = f"<{iri}>"
        return text


class _Nodes(dict[str, str]):
    """IRIs in brackets, and blank nodes, each looked at once."""

    def __missing__(self, node: str) -> str:
        if not _NODE.fullmatch(node):
            raise ValueError
        self[node] = text = node if node[0] == "_" else f"<{node}>"
        return text


class _Types(_Iris):
    """What ends a literal that has a datatype, its quote included."""

    def __missing__(self, iri: str) -> str:
        self[iri] = text = f'"^^{super().__missing__(iri)}'
        return text


class _Languages(dict[str, str]):
    """What ends a literal in a language, its quote included."""

    def __missing__(self, tag: str) -> str:
        if not _LANGUAGE.fullmatch(tag):
            raise ValueError
        self[tag] = text = f'"@{tag}'
        return text
