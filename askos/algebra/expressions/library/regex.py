"""REGEX and REPLACE (SPARQL 1.1, 17.4.3.14 and 15), by XPath's fn:matches and fn:replace."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from askos.algebra.expressions.expression import ExpressionError
from askos.algebra.expressions.library.engines import Group, compile_pattern
from askos.algebra.expressions.library.strings import String, like, text
from askos.algebra.expressions.registry import BOOLEAN, SIMPLE, STRING, Function, register

_PIECE: Final = re.compile(r"\\([\\$])|\$([0-9]{1,9})|([^\\$]+)")


def _regex(source: String, pattern: str, flags: str = "") -> bool:
    return compile_pattern(pattern, flags).matches(text(source))


def _replace(source: String, pattern: str, replacement: str, flags: str = "") -> String:
    """Every match, from left to right; a pattern that matches "" is an error."""
    compiled = compile_pattern(pattern, flags)
    if compiled.matches(""):
        raise ExpressionError(f"REPLACE: {pattern!r} matches the empty string")
    pieces = (replacement,) if "q" in flags else _pieces(replacement, compiled.groups)

    def replaced(group: Group) -> str:
        return "".join(piece if isinstance(piece, str) else group(piece) for piece in pieces)

    return like(source, compiled.replaced(text(source), replaced))


@lru_cache(maxsize=512)
def _pieces(replacement: str, groups: int) -> tuple[str | int, ...]:
    r"""The parts of a replacement: texts, and numbers for $N; \$ and \\ are $ and \."""
    pieces: list[str | int] = []
    place = 0
    while place < len(replacement):
        found = _PIECE.match(replacement, place)
        if found is None:
            raise ExpressionError(rf"REPLACE: {replacement!r} must escape its \ and $")
        escaped, digits, plain = found.groups()
        pieces += _reference(digits, groups) if digits else [escaped or plain]
        place = found.end()
    return tuple(pieces)


def _reference(digits: str, groups: int) -> list[str | int]:
    """$N: as many digits as make a group that there is; a single one may name none, and is ""."""
    length = len(digits)
    while length > 1 and int(digits[:length]) > groups:
        length -= 1
    number = int(digits[:length])
    return [number if number <= groups else "", digits[length:]]


_THREE: Final = (STRING, SIMPLE, SIMPLE)

register(Function("REGEX", _THREE, _regex, optional=1, returns=BOOLEAN, costly=True))
register(Function("REPLACE", (*_THREE, SIMPLE), _replace, optional=1, returns=STRING, costly=True))
