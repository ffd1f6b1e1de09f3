"""N-Triples and N-Quads: one statement a line, terms as text.

    <http://wind.example/T01> <http://wind.example/site> "north" .

For static graphs and for answers; streams come as N-Quads in columns (`askos.io.nquads`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

from askos.errors import StreamError, shortened
from askos.io.files import blocks
from askos.io.limits import Limits
from askos.terms import parse_term

Statement: TypeAlias = tuple[str, str, str, str]
"""Subject, predicate, object and the name of the graph, which is empty for the default graph."""

_BLANK: Final = r"_:[^\s<\"]*[^\s<\".]"
_LITERAL: Final = r"\"(?:[^\"\\]++|\\.)*+\"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?"
_STATEMENT: Final = re.compile(
    rf"[ \t]*(<[^>]*>|{_BLANK})[ \t]*(<[^>]*>)[ \t]*(<[^>]*>|{_BLANK}|{_LITERAL})[ \t]*"
    r"(<[^>]*>|)[ \t]*\.[ \t]*(?:#[^\r\n]*)?\r?\n?"
)
_NOTHING: Final = re.compile(r"[ \t]*(?:#[^\r\n]*)?\r?\n?")

# Most lines are of this form, and need no second look: nothing is escaped in them.
_PLAIN_IRI: Final = r"<[^\x00-\x20<>\"{}|^`\\]*+>"
_PLAIN_NODE: Final = rf"{_PLAIN_IRI}|_:[A-Za-z0-9][A-Za-z0-9_-]*+"
_PLAIN_TEXT: Final = rf"\"[^\"\\\n\r]*+\"(?:\^\^{_PLAIN_IRI}|@[A-Za-z]++(?:-[A-Za-z0-9]++)*+)?"
_PLAIN: Final = rf"^({_PLAIN_NODE})[ \t]({_PLAIN_IRI})[ \t]({_PLAIN_NODE}|{_PLAIN_TEXT})"
_PLAIN_TRIPLE: Final = re.compile(rf"{_PLAIN}()[ \t]?\.\r?$", re.MULTILINE)
_PLAIN_QUAD: Final = re.compile(rf"{_PLAIN}(?:[ \t]({_PLAIN_IRI}))?[ \t]?\.\r?$", re.MULTILINE)


def statements(
    lines: Iterable[str], name: str = "", *, labels: bool = False
) -> Iterator[tuple[int, str, str, str, str]]:
    """The number, the three terms and the graph label of each statement; the label is empty, or
    an IRI where N-Quads' `labels` are allowed.  Blank lines and comments are none.

    Tells the terms apart; whether each is a term of N-Triples is for `parse_term` to say.

    >>> list(statements(["<a> <b> 'c' ."], "data.nt"))
    Traceback (most recent call last):
    askos.errors.StreamError: data.nt, line 1: not a statement of N-Triples: <a> <b> 'c' .
    hint: write subject, predicate, object and a dot on one line
    """
    for number, line in enumerate(lines, 1):
        if found := _statement(line, number, name, labels):
            yield number, *found


def _statement(line: str, number: int, name: str, labels: bool) -> Statement | None:
    found = _STATEMENT.fullmatch(line)
    if found and (labels or not found[4]):
        s, p, o, label = found.groups()
        return s, p, o, label
    if _NOTHING.fullmatch(line):
        return None
    raise StreamError(
        f"{name}, line {number}: not a statement of N-Triples: {shortened(line.strip())}",
        hint="write subject, predicate, object and a dot on one line",
    )


def read_statements(
    file: Path, limits: Limits | None = None, *, labels: bool = False
) -> Iterator[list[Statement]]:
    """The statements of a file, some thousands at a time; every term is one of N-Triples.

    Those of plain lines come first, whole blocks at a time; then those that need a second look.
    """
    plain = _PLAIN_QUAD if labels else _PLAIN_TRIPLE
    before = 0
    for block, _ in blocks(file, limits):
        text = _decoded(block, before, file.name)
        found: list[Statement] = plain.findall(text)
        if len(found) < block.count(b"\n") + (not block.endswith(b"\n")):
            lines = enumerate(text.split("\n"), before + 1)
            others = (line for line in lines if not plain.fullmatch(line[1]))
            found += _looked_at(others, file.name, labels)
        yield found
        before += block.count(b"\n")


def _decoded(block: bytes, before: int, name: str) -> str:
    try:
        return block.decode()
    except UnicodeDecodeError as error:
        start = block.rfind(b"\n", 0, error.start) + 1
        line = before + block.count(b"\n", 0, error.start) + 1
        raise StreamError(
            f"{name}, line {line}: byte {error.start - start + 1} is not UTF-8",
            hint="save the file as UTF-8",
        ) from None


def _looked_at(lines: Iterable[tuple[int, str]], name: str, labels: bool) -> Iterator[Statement]:
    for number, line in lines:
        found = _statement(line, number, name, labels)
        if not found:
            continue
        try:
            for term in filter(None, found):
                parse_term(term)
        except StreamError as error:
            message = f"{name}, line {number}: {error.message}"
            raise StreamError(message, hint=error.hint) from None
        yield found


def blank_prefix(file: Path) -> str:
    """What goes before the labels of blank nodes in a file: they are its own."""
    return "f" + hashlib.blake2b(str(file.resolve()).encode(), digest_size=4).hexdigest()
