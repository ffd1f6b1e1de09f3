"""N-Triples: one statement a line, terms as text.

    <http://wind.example/T01> <http://wind.example/site> "north" .

For static graphs; streams come as N-Quads with timestamps (`askos.io.nquads`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from askos.errors import StreamError

_BLANK: Final = r"_:[^\s<\"]*[^\s<\".]"
_LITERAL: Final = r"\"(?:[^\"\\]|\\.)*\"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?"
_STATEMENT: Final = re.compile(
    rf"[ \t]*(<[^>]*>|{_BLANK})[ \t]*(<[^>]*>)[ \t]*(<[^>]*>|{_BLANK}|{_LITERAL})[ \t]*"
    r"\.[ \t]*(?:#.*)?\r?\n?"
)
_NOTHING: Final = re.compile(r"[ \t]*(?:#.*)?\r?\n?")


def statements(lines: Iterable[str], name: str = "") -> Iterator[tuple[int, str, str, str]]:
    """The number and the three terms of each statement; blank lines and comments are none.

    Tells the terms apart; whether each is a term of N-Triples is for `parse_term` to say.

    >>> list(statements(["<a> <b> 'c' ."], "data.nt"))
    Traceback (most recent call last):
    askos.errors.StreamError: data.nt, line 1: not a statement of N-Triples: <a> <b> 'c' .
    hint: write subject, predicate, object and a dot on one line
    """
    match = _STATEMENT.fullmatch
    for number, line in enumerate(lines, 1):
        found = match(line)
        if found:
            s, p, o = found.groups()
            yield number, s, p, o
        elif not _NOTHING.fullmatch(line):
            raise StreamError(
                f"{name}, line {number}: not a statement of N-Triples: {line.strip()}",
                hint="write subject, predicate, object and a dot on one line",
            )
