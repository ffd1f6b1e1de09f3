"""Text in pictures: how wide it is at most, and how it is broken into lines."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

# The widest of the common monospaced fonts, and a little more, as parts of the font size.
_CELL: Final = 0.62
_CHARACTER: Final = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# Characters a cell may take: more than this are not looked at, however long a text is.
_ENOUGH: Final = 4
_BREAKS: Final = re.compile(r"(?<=[ /#])")


def width(text: str, size: float) -> float:
    """The width of a line in a monospaced font of that size: an upper estimate."""
    return cells(text) * _CELL * size


def cells(text: str) -> int:
    """Character cells: two for wide characters, none for combining ones.

    >>> cells("µ"), cells("風"), cells("e\\u0301")
    (1, 2, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def wrapped(text: str, most: int, lines: int) -> list[str]:
    """At most `lines` lines of at most `most` cells; what is left out is an ellipsis.

    >>> wrapped("RANGE 30 MINUTE SLIDE 1 MINUTE", 16, 2)
    ['RANGE 30 MINUTE', 'SLIDE 1 MINUTE']
    >>> wrapped("one two three four", 8, 2)
    ['one two', 'three …']
    """
    shown = text[: _ENOUGH * most * lines]
    made = [""]
    for word in _words(_spelt(shown), most):
        if cells(made[-1]) + cells(word.rstrip()) > most:
            made.append("")
        made[-1] += word
    made = [line.strip() for line in made]
    if len(made) > lines or len(shown) < len(text):
        made, last = made[: lines - 1], made[lines - 1 : lines] or [""]
        made.append(_cut(f"{last[0]} ", most - 1) + "…")
    return made if made != [""] else []


def _words(text: str, most: int) -> Iterator[str]:
    """The parts a line may end after: what is in brackets stays together if it can; what is
    longer than a line is cut where it must be."""
    spaced = (part for part in _together(text) if part)
    parts = ([p] if cells(p.rstrip()) <= most else _BREAKS.split(p) for p in spaced)
    for word in (word for part in parts for word in part):
        while cells(word.rstrip()) > most:
            head = _cut(word, most)
            yield head
            word = word[len(head) :]
        yield word


def _together(text: str) -> Iterator[str]:
    """The text in pieces that end with a space outside of brackets."""
    piece, depth = "", 0
    for word in text.split():
        piece += f"{word} "
        depth += sum(c in "([{" for c in word) - sum(c in ")]}" for c in word)
        if depth <= 0:
            yield piece
            piece, depth = "", 0
    yield piece


def _cut(text: str, most: int) -> str:
    """The longest beginning of at most `most` cells, and of at least one character."""
    ends = accumulate(map(cells, text))
    return text[: max(1, sum(end <= most for end in ends))]


def _spelt(text: str) -> str:
    return _CHARACTER.sub(lambda found: f"\\u{ord(found[0]):04X}", text)


def escaped(text: str) -> str:
    """Text as XML content or attribute; what XML cannot hold is spelt as in N-Triples.

    >>> escaped("<a> & \\x01")
    '&lt;a&gt; &amp; \\\\u0001'
    """
    spelt = _spelt(text)
    for character, entity in (("&", "amp"), ("<", "lt"), (">", "gt"), ('"', "quot")):
        spelt = spelt.replace(character, f"&{entity};")
    return spelt


def write(
    text: str,
    at: tuple[float, float],
    size: float,
    colour: str,
    *,
    bold: bool = False,
    middle: bool = False,
) -> str:
    """A line of text as an SVG element."""
    weight = ' font-weight="bold"' * bold
    anchor = ' text-anchor="middle"' * middle
    return (
        f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" font-size="{size:g}" fill="{colour}"'
        f"{weight}{anchor}>{escaped(text)}</text>"
    )
