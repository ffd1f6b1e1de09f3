"""Functions on strings (SPARQL 1.1, 17.4.3).  A string is a sequence of code points.

A string literal is simple, or has a language tag; what is cut out of one is of its kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias
from urllib.parse import quote

from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.numbers import Number
from askos.algebra.expressions.registry import (
    BOOLEAN,
    INTEGER,
    SIMPLE,
    STRING,
    Function,
    register,
)
from askos.algebra.expressions.values import LangString

String: TypeAlias = str | LangString


LONGEST: Final = 2**24
"""Characters of a result that grows with each call: doubled forty times, a letter fills a disk."""


def text(string: String) -> str:
    """The characters, without the language tag."""
    return string.text if isinstance(string, LangString) else string


def like(model: String, characters: str) -> String:
    """A string of the kind of `model`: with its language tag, if any."""
    return LangString(characters, model.language) if isinstance(model, LangString) else characters


def _substr(source: String, start: Number, length: Number | None = None) -> String:
    """fn:substring: the characters at start ≤ position < start + length, counted from 1."""
    first = int(start.value)
    characters = text(source)[max(first - 1, 0) :]
    if length is not None:
        # A start before the string uses up some of the length.
        characters = characters[: max(int(length.value) + min(first - 1, 0), 0)]
    return like(source, characters)


def _compatible(first: String, second: String) -> None:
    """17.4.3.1.2: the second is simple, or has the language tag of the first."""
    if isinstance(second, LangString):
        same = isinstance(first, LangString) and first.language == second.language
        if not same:
            raise ExpressionError("the language tags of the arguments are not compatible")


def _test(law: Callable[[str, str], bool]) -> Callable[[String, String], bool]:
    def test(first: String, second: String) -> bool:
        _compatible(first, second)
        return law(text(first), text(second))

    return test


def _before(first: String, second: String) -> String:
    _compatible(first, second)
    place = text(first).find(text(second))
    return "" if place < 0 else like(first, text(first)[:place])


def _after(first: String, second: String) -> String:
    _compatible(first, second)
    place = text(first).find(text(second))
    return "" if place < 0 else like(first, text(first)[place + len(text(second)) :])


def _concat(*strings: String) -> String:
    """The tag is kept where every argument has it."""
    languages = {s.language if isinstance(s, LangString) else None for s in strings}
    if sum(len(text(string)) for string in strings) > LONGEST:
        raise ExpressionError(f"CONCAT: the result is longer than {LONGEST} characters")
    joined = "".join(map(text, strings))
    return like(strings[0], joined) if len(languages) == 1 else joined


def _lang_matches(tag: str, wanted: str) -> bool:
    """RFC 4647, 3.3.1, basic filtering: the range is a prefix of the tag, of whole subtags."""
    tag, wanted = tag.lower(), wanted.lower()
    if wanted == "*":
        return bool(tag)
    return f"{tag}-".startswith(f"{wanted}-")


def _mapped(law: Callable[[str], str]) -> Callable[[String], String]:
    return lambda string: like(string, law(text(string)))


_TWO: Final = (STRING, STRING)

register(Function("STRLEN", (STRING,), lambda s: len(text(s)), returns=INTEGER))
register(Function("SUBSTR", (STRING, INTEGER, INTEGER), _substr, optional=1, returns=STRING))
register(Function("UCASE", (STRING,), _mapped(str.upper), returns=STRING))
register(Function("LCASE", (STRING,), _mapped(str.lower), returns=STRING))
register(Function("STRSTARTS", _TWO, _test(str.startswith), returns=BOOLEAN))
register(Function("STRENDS", _TWO, _test(str.endswith), returns=BOOLEAN))
register(Function("CONTAINS", _TWO, _test(str.__contains__), returns=BOOLEAN))
register(Function("STRBEFORE", _TWO, _before, returns=STRING))
register(Function("STRAFTER", _TWO, _after, returns=STRING))
register(Function("ENCODE_FOR_URI", (STRING,), lambda s: quote(text(s), safe=""), returns=SIMPLE))
register(Function("CONCAT", (STRING,), _concat, variadic=True, returns=STRING))
register(Function("LANGMATCHES", (SIMPLE, SIMPLE), _lang_matches, returns=BOOLEAN))
