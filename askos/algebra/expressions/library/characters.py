"""Sets of characters as ranges of code points: the classes of XSD's regular expressions.

XML Schema Part 2, appendix F.1; a set is a tuple of disjoint (first, last), in ascending order.
"""

from __future__ import annotations

import sys
import unicodedata
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Final, TypeAlias

Characters: TypeAlias = tuple[tuple[int, int], ...]

# XML 1.0 (fifth edition), productions 4 and 4a.
_NAME_START: Final = (
    "::AZ__az\u00c0\u00d6\u00d8\u00f6\u00f8\u02ff\u0370\u037d\u037f\u1fff\u200c\u200d"
    "\u2070\u218f\u2c00\u2fef\u3001\ud7ff\uf900\ufdcf\ufdf0\ufffd\U00010000\U000effff"
)
_NAME: Final = _NAME_START + "--..09\u00b7\u00b7\u0300\u036f\u203f\u2040"


def single(character: str) -> Characters:
    """The set of one character."""
    return ((ord(character), ord(character)),)


def union(*sets: Characters) -> Characters:
    """The characters in any of the sets; touching ranges become one."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(r for characters in sets for r in characters):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(characters: Characters) -> Characters:
    """Every other character."""
    edges = [(-1, -1), *characters, (sys.maxunicode + 1, 0)]
    gaps = ((left[1] + 1, right[0] - 1) for left, right in pairwise(edges))
    return tuple((first, last) for first, last in gaps if first <= last)


def difference(left: Characters, right: Characters) -> Characters:
    """The characters of `left` that are not in `right`."""
    return complement(union(complement(left), right))


def category(name: str) -> Characters | None:
    r"""\p{name}: a general category of Unicode, or a group of them by its first letter."""
    table = _categories()
    found = [members for code, members in table.items() if name in (code, code[0])]
    return union(*found) if found else None


@cache
def _categories() -> Mapping[str, Characters]:
    """The ranges of each general category, Cs among them."""
    table: dict[str, list[tuple[int, int]]] = defaultdict(list)
    start, current = 0, unicodedata.category("\0")
    for code in range(1, sys.maxunicode + 1):
        found = unicodedata.category(chr(code))
        if found != current:
            table[current].append((start, code - 1))
            start, current = code, found
    table[current].append((start, sys.maxunicode))
    return {name: tuple(ranges) for name, ranges in table.items()}


def ranges(text: str) -> Characters:
    """The set whose ranges `text` lists: "azAZ" for a to z and A to Z."""
    pairs = zip(text[::2], text[1::2], strict=True)
    return union(tuple((ord(first), ord(last)) for first, last in pairs))


@cache
def escape(letter: str) -> Characters:
    r"""The multi-character escapes \s \i \c \d \w; in upper case, what they leave out."""
    if letter.isupper():
        return complement(escape(letter.lower()))
    match letter:
        case "s":
            return ranges("\t\n\r\r  ")
        case "i":
            return ranges(_NAME_START)
        case "c":
            return ranges(_NAME)
        case "d":
            return category("Nd") or ()
    assert letter == "w", letter
    return complement(union(*(category(name) or () for name in "PZC")))


# ---- case -----------------------------------------------------------------------------------


def with_variants(characters: Characters) -> Characters:
    """The set and the case variants of its members.

    Two characters are variants of each other if they agree in upper or in lower case.
    """
    table = _variants()
    cased = (code for first, last in characters for code in _between(first, last))
    variants = {other for code in cased for other in table[code]}
    return union(characters, tuple((code, code) for code in variants))


def _between(first: int, last: int) -> list[int]:
    """The characters from `first` to `last` that have case variants."""
    codes = _cased()
    return codes[bisect_left(codes, first) : bisect_right(codes, last)]


@cache
def _cased() -> list[int]:
    # No character beyond the first two planes has case.
    return [code for code in range(0x20000) if chr(code).lower() != chr(code).upper()]


@cache
def _variants() -> Mapping[int, set[int]]:
    """The case variants of each character that has some."""
    groups: dict[tuple[bool, str], set[int]] = defaultdict(set)
    for code in _cased():
        groups[False, chr(code).lower()].add(code)
        groups[True, chr(code).upper()].add(code)
    return {
        code: groups[False, chr(code).lower()] | groups[True, chr(code).upper()]
        for code in _cased()
    }
