r"""XPath's regular expressions (XPath functions, 7.6.1; XML Schema Part 2, app. F) in the notation
of our engines.

The notations look alike and differ: \w leaves out _ and takes in +, \s is four characters,
[a-z-[aeiou]] subtracts, a case-insensitive \p{Lu} still wants upper case, a reference to a group
that matched nothing matches nothing.  So a pattern is read by XPath's grammar, character classes
are computed as sets, and what the grammar does not know is refused.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import Final, NoReturn

from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.library.characters import (
    Characters,
    category,
    complement,
    difference,
    escape,
    single,
    union,
    with_variants,
)

_FLAGS: Final = frozenset("smixq")
_SPACE: Final = frozenset(" \t\n\r")
_CONTROLS: Final = {"n": "\n", "r": "\r", "t": "\t"}
_ESCAPABLE: Final = frozenset("\\|.-^?*+{}()[]$")
_CLASSES: Final = frozenset("pPsSiIcCdDwW")
_DIGITS: Final = frozenset("0123456789")
_SPECIAL: Final = frozenset("\\|.?*+{}()[]^$")
_CATEGORY: Final = re.compile(r"\{([^{}]*)\}")
_QUANTIFIER: Final = re.compile(r"(?:[?*+]|\{(?P<least>[0-9]+)(?:,(?P<most>[0-9]*))?\})\??")
_DEEPEST: Final = 50
"""Levels of parentheses; the compilers of the engines recurse too."""
_LONGEST: Final = 2**19
"""Characters of a pattern with its classes written out; \\w alone is some 2,000."""


@dataclass(frozen=True, slots=True)
class Translated:
    """A pattern in the notation of the engines: how many groups capture, and whether it refers
    back to one, which only an engine that backtracks can do."""

    notation: str
    groups: int = 0
    refers: bool = False


def translate(pattern: str, flags: str = "") -> Translated:
    """The pattern for the engines; an error where XPath does not allow it."""
    unknown = set(flags) - _FLAGS
    if unknown:
        raise ExpressionError(f"unknown flags {''.join(sorted(unknown))!r}: there are s m i x q")
    if len(pattern) > _LONGEST:
        raise ExpressionError(f"a pattern of {len(pattern)} characters is longer than we read")
    known = frozenset(flags)
    if "q" in known:  # quoted: every character stands for itself
        return Translated("".join(_literal(character, known) for character in pattern))
    reader = _Reader(_without_space(pattern) if "x" in known else pattern, known)
    notation = reader.alternatives(0)
    if reader.peek():
        reader.refuse("a ) without a (")
    return Translated(notation, reader.opened, reader.refers)


def _without_space(pattern: str) -> str:
    """Flag x: white space is left out, except within [ ]."""
    kept: list[str] = []
    depth, escaped = 0, False
    for character in pattern:
        if character in _SPACE and not depth:
            continue
        kept.append(character)
        if not escaped:
            depth += (character == "[") - (character == "]")
        escaped = character == "\\" and not escaped
    return "".join(kept)


def _render(characters: Characters) -> str:
    """The set as a class; that of no character leaves out every one."""
    if not characters:
        return f"[^{_character(0)}-{_character(sys.maxunicode)}]"
    pairs = (f"{_character(first)}-{_character(last)}" for first, last in characters)
    return f"[{''.join(pairs)}]"


def _character(code: int) -> str:
    """A character that stands for itself, in a class and outside."""
    character = chr(code)
    return character if code > 127 or character.isalnum() else rf"\x{code:02x}"


def _cased(characters: Characters, flags: frozenset[str]) -> Characters:
    return with_variants(characters) if "i" in flags else characters


def _literal(character: str, flags: frozenset[str]) -> str:
    characters = _cased(single(character), flags)
    return _character(ord(character)) if len(characters) == 1 else _render(characters)


@dataclass(slots=True)
class _Reader:
    """A recursive descent through a pattern, that yields the notation of the engines."""

    pattern: str
    flags: frozenset[str]
    place: int = 0
    length: int = 0
    opened: int = 0
    refers: bool = False
    closed: set[int] = field(default_factory=set)

    def refuse(self, why: str) -> NoReturn:
        """SPARQL's error, with the place in the pattern."""
        raise ExpressionError(f"the pattern {self.pattern!r} has {why} before {self.place}")

    def peek(self, ahead: int = 0) -> str:
        """The character to be read, or "" at the end."""
        return self.pattern[self.place + ahead : self.place + ahead + 1]

    def next(self) -> str:
        """Read one character."""
        character = self.peek() or self.refuse("an unexpected end")
        self.place += 1
        return character

    def take(self, text: str) -> bool:
        """Read `text`, if it is next."""
        found = self.pattern.startswith(text, self.place)
        self.place += len(text) if found else 0
        return found

    # ---- structure --------------------------------------------------------------------------

    def alternatives(self, depth: int) -> str:
        """regExp ::= branch ( '|' branch )*"""
        if depth > _DEEPEST:
            self.refuse("more levels than we read")
        branches = [self.branch(depth)]
        while self.take("|"):
            branches.append(self.branch(depth))
        return "|".join(branches)

    def branch(self, depth: int) -> str:
        """branch ::= ( atom quantifier? )*"""
        pieces: list[str] = []
        while self.peek() not in ("", "|", ")"):
            pieces += [self.atom(depth), self.quantifier()]
        return "".join(pieces)

    def quantifier(self) -> str:
        """? * + {n} {n,} {n,m}, and ? after it for the shortest match."""
        found = _QUANTIFIER.match(self.pattern, self.place)
        if found is None:
            return ""
        least, most = found["least"], found["most"]
        if len(least or "") > 9 or len(most or "") > 9:
            self.refuse("a repetition with more digits than we read")
        if least and most and int(most) < int(least):
            self.refuse("a repetition that runs backwards")
        self.place = found.end()
        return found[0]

    def atom(self, depth: int) -> str:
        """A character, a class, a group, an anchor or a reference."""
        match self.next():
            case "(":
                return self.group(depth)
            case "[":
                return self.rendered(self.class_expression(depth))
            case "\\":
                return self.escaped()
            case ".":
                return "(?s:.)" if "s" in self.flags else "."
            case "^":
                return "(?m:^)" if "m" in self.flags else r"(?:\A)"
            case "$":
                return "(?m:$)" if "m" in self.flags else r"(?:\z)"
            case character:
                if character in _SPECIAL:
                    self.refuse(f"a {character} that must be escaped")
                return _literal(character, self.flags)

    def group(self, depth: int) -> str:
        """( .. ) captures, (?: .. ) does not."""
        if self.take("?"):
            if not self.take(":"):
                self.refuse("an unknown kind of group")
            inner = self.alternatives(depth + 1)
            return self.ended(f"(?:{inner})", ")")
        self.opened += 1
        number = self.opened
        inner = self.alternatives(depth + 1)
        self.closed.add(number)
        return self.ended(f"({inner})", ")")

    def ended(self, result: str, bracket: str) -> str:
        """`result`, if the bracket that ends it is next."""
        return result if self.take(bracket) else self.refuse(f"no {bracket}")

    def escaped(self) -> str:
        """What a backslash stands before, outside of [ ]."""
        character = self.next()
        if character in "123456789":
            return self.reference(character)
        if character in _CLASSES:
            return self.rendered(self.class_escape(character))
        return _literal(self.single_escape(character), self.flags)

    def reference(self, digits: str) -> str:
        """A back-reference, of as many digits as there are groups; "" if the group has no match."""
        while self.peek() in _DIGITS and int(digits + self.peek()) <= self.opened:
            digits += self.next()
        if int(digits) not in self.closed:
            self.refuse(f"a reference to group {digits}, which is not closed")
        self.refers = True
        matched = rf"(?({digits})\{digits}|)"
        return f"(?i:{matched})" if "i" in self.flags else f"(?:{matched})"

    # ---- character classes ------------------------------------------------------------------

    def rendered(self, characters: Characters) -> str:
        """A class written out, as long as the whole stays of a size that engines take."""
        notation = _render(characters)
        self.length += len(notation)
        if self.length > _LONGEST:
            self.refuse("more characters in its classes than we read")
        return notation

    def single_escape(self, character: str) -> str:
        """The one character an escape stands for."""
        if character in _CONTROLS:
            return _CONTROLS[character]
        return character if character in _ESCAPABLE else self.refuse(rf"an unknown \{character}")

    def class_escape(self, letter: str) -> Characters:
        r"""\s \i \c \d \w \p{..}, or in upper case what they leave out; whatever the case flag."""
        if letter not in "pP":
            return escape(letter)
        found = _CATEGORY.match(self.pattern, self.place)
        characters = category(found[1]) if found else None
        if found is None or characters is None:
            self.refuse("no general category of Unicode (blocks are not offered)")
        self.place = found.end()
        return complement(characters) if letter == "P" else characters

    def class_expression(self, depth: int) -> Characters:
        """[..], [^..], and with a subtraction [..-[..]]."""
        if depth > _DEEPEST:
            self.refuse("more levels than we read")
        negative, members = self.take("^"), self.members()
        members = complement(members) if negative else members
        if self.take("-["):
            members = difference(members, self.class_expression(depth + 1))
        return members if self.take("]") else self.refuse("no ]")

    def members(self) -> Characters:
        """posCharGroup ::= ( charRange | charClassEsc )+"""
        found: list[Characters] = []
        while not found or not self.ends():
            found.append(self.member(first=not found))
        return union(*found)

    def ends(self) -> bool:
        """Whether no more members follow."""
        return self.pattern.startswith(("]", "-["), self.place)

    def member(self, *, first: bool) -> Characters:
        """One character, a range, or a class by its escape."""
        character = self.next()
        if character == "\\" and self.peek() and self.peek() in _CLASSES:
            return self.class_escape(self.next())
        if character == "-" and not (first or self.ends()):
            self.refuse("a - that must be escaped")
        lowest = self.bound(character)
        if character == "-" or self.peek() != "-" or self.peek(1) in ("]", "[", "-"):
            return _cased(single(lowest), self.flags)
        self.next()
        highest = self.bound(self.next())
        if highest < lowest:
            self.refuse("a range that runs backwards")
        return _cased(((ord(lowest), ord(highest)),), self.flags)

    def bound(self, character: str) -> str:
        """A single character within [ ], which may be escaped."""
        if character in "[]":
            self.refuse(f"a {character} that must be escaped")
        return self.single_escape(self.next()) if character == "\\" else character
