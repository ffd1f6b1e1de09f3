"""What a text looks like at a terminal."""

from __future__ import annotations

import unicodedata
from typing import Final

_WIDE: Final = frozenset("WF")
_ON_TOP: Final = frozenset(("Mn", "Me"))


def width(text: str) -> int:
    """How many columns a text takes: two for a character of East Asia, none for an accent that
    stands on the one before.

    >>> width("wind"), width("風車"), width("e\\u0301")
    (4, 4, 1)
    """
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in _WIDE for character in text)
    return len(text) + wide - sum(unicodedata.category(c) in _ON_TOP for c in text)


def visible(text: str) -> str:
    """The text with escapes for what cannot be seen, or moves the cursor.

    >>> print(visible("\\x1b[31mred"))
    \\u001B[31mred
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else numbered(c) for c in text)


def numbered(character: str) -> str:
    """A character by its number, as SPARQL and N-Triples write it."""
    code = ord(character)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
