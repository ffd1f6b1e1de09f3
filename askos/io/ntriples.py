"""N-Triples and N-Quads: one statement a line, terms as text.

    <http://wind.example/T01> <http://wind.example/site> "north" .

For static graphs and for answers; streams come as N-Quads in columns (`askos.io.nquads`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from askos.errors import StreamError, shortened

_BLANK: Final = r"_:[^\s<\"]*[^\s<\".]"
_LITERAL: Final = r"\"(?:[^\"\\]++|\\.)*+\"(?:\^\^<[^>]*>|@[A-Za-z0-9-]+)?"
_STATEMENT: Final = re.compile(
    rf"[ \t]*(<[^>]*>|{_BLANK})[ \t]*(<[^>]*>)[ \t]*(<[^>]*>|{_BLANK}|{_LITERAL})[ \t]*"
    r"(<[^>]*>|)[ \t]*\.[ \t]*(?:#.*)?\r?\n?"
)
_NOTHING: Final = re.compile(r"[ \t]*(?:#.*)?\r?\n?")


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
    match = _STATEMENT.fullmatch
    for number, line in enumerate(lines, 1):
        found = match(line)
        if found and (labels or not found[4]):
            s, p, o, label = found.groups()
            yield number, s, p, o, label
        elif not _NOTHING.fullmatch(line):
            raise StreamError(
                f"{name}, line {number}: not a statement of N-Triples: {shortened(line.strip())}",
                hint="write subject, predicate, object and a dot on one line",
            )


def blank_prefix(file: Path) -> str:
    """What goes before the labels of blank nodes in a file: they are its own."""
    return "f" + hashlib.blake2b(str(file.resolve()).encode(), digest_size=4).hexdigest()
