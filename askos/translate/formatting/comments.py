"""Comments in the text of a query, which its syntax tree does not keep."""

from __future__ import annotations

import re
from typing import Final

# What may contain a # that begins no comment comes first.
_PIECES: Final = re.compile(
    r"""<[^<>"{}|^`\x00-\x20]*>|\\."""
    r"""|\"{3}(?:\"{0,2}(?:[^"\\]|\\.))*\"{3}|'{3}(?:'{0,2}(?:[^'\\]|\\.))*'{3}"""
    r"""|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'"""
    r"""|(?P<comment>\#[^\r\n]*)""",
    re.DOTALL,
)


def comments(text: str) -> list[str]:
    """The comments of a query's text, in order.

    >>> comments("ASK { <a#b> ?p '#' } # why")
    ['# why']
    """
    return [found[0] for found in _PIECES.finditer(text) if found["comment"]]
