"""How deep XML and JSON are nested, looked at before a parser sees them.

Parsers take time in the square of the depth, or overflow the stack and take the process with
them.  Entities of XML grow without end: ten of ten of ten.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

from askos.errors import StreamError
from askos.io.limits import Limits, setting

# Possessive throughout: what was matched is never looked at again.
_TAG: Final = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<![^>]*+>|(</)|"
    rb"(<)[^>\"']*+(?:(?:\"[^\"]*+\"|'[^']*+')[^>\"']*+)*+>",
    re.DOTALL,
)
_BRACKET: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|([\[{])|([\]}])', re.DOTALL)
_ENTITY: Final = b"<!ENTITY"
_ENCODING: Final = re.compile(r"""(\s*<\?xml[^>]*?encoding\s*=\s*["'])([A-Za-z0-9._-]+)""")


def check_xml(data: bytes, name: str, limits: Limits) -> bytes:
    """A document as UTF-8; StreamError if it is nested too deeply, or declares entities."""
    text = _as_utf8(data, name)
    found = text.count(_ENTITY)
    if found > limits.entities:
        raise StreamError(
            f"{name} declares entities, which can grow without end",
            hint=f"write out what they stand for; {setting('entities', limits.entities)}",
        )
    depth = 0
    for tag in _TAG.finditer(text):
        if tag.lastindex == 1:
            depth -= 1
        elif tag.lastindex == 2 and text[tag.end() - 2] != ord("/"):
            depth += 1
            _check(depth, text, tag.start(), name, limits)
    return text


def check_json(data: bytes, name: str, limits: Limits) -> bytes:
    """The document itself; StreamError if it is nested too deeply."""
    depth = 0
    for bracket in _BRACKET.finditer(data):
        if bracket.lastindex == 1:
            depth += 1
            _check(depth, data, bracket.start(), name, limits)
        elif bracket.lastindex == 2:
            depth -= 1
    return data


def _check(depth: int, data: bytes, at: int, name: str, limits: Limits) -> None:
    if depth > limits.depth:
        line = data.count(b"\n", 0, at) + 1
        raise StreamError(
            f"{name}, line {line}: nested more than {limits.depth} deep",
            hint=setting("depth", limits.depth),
        )


def _as_utf8(data: bytes, name: str) -> bytes:
    """XML says in its first line how it is encoded; the parser knows UTF-8 alone."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    start = data[:200].decode("utf-16" if marked else "latin-1", "ignore")
    found = _ENCODING.match(start)
    encoding = found[2] if found else "utf-16" if marked else "utf-8"
    if encoding.lower() in ("utf-8", "utf8", "us-ascii"):
        return data
    try:
        text = data.decode(encoding)
    except (LookupError, UnicodeDecodeError) as error:
        raise StreamError(f"{name} is not RDF/XML: {error}", hint="save it as UTF-8") from None
    return _ENCODING.sub(r"\1utf-8", text, count=1).encode()
